import { z } from "zod";

/** The version of the format of both bundles. A reader refuses a newer one. */
export const BUNDLE_FORMAT = 1;

/** Names of a bundle's own files, in an attempt's folder and in a run's. */
export const BUNDLE_JSON = "bundle.json";
export const BUNDLE_MD = "bundle.md";

/** A path below the bundle's folder, with "/" on every system. */
const RelativePath = z.string().refine(isRelativePath, "it leads out of the folder");

/** True for a path that stays below a folder, whoever wrote it: not absolute, without "..", and with "/" alone. */
export function isRelativePath(path: string): boolean {
  if (path === "" || path.startsWith("/") || /[\\\0]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A file of a bundle. `description` is for people. */
const BundleFile = z.object({
  path: RelativePath,
  bytes: z.number().int().nonnegative(),
  sha256: Sha256,
  description: z.string(),
});
export type BundleFile = z.infer<typeof BundleFile>;

/** The part of an attempt's `bundle.json` that a reader needs. */
export const ListedAttempt = z.object({
  format: z.literal(BUNDLE_FORMAT),
  kind: z.literal("attempt"),
  run: z.string(),
  ticket: z.string(),
  attempt: z.number().int().positive(),
  files: z.array(BundleFile),
});
export type ListedAttempt = z.infer<typeof ListedAttempt>;

/** The part of a run's `bundle.json` that a reader needs. */
export const BundledRun = z.object({
  format: z.literal(BUNDLE_FORMAT),
  kind: z.literal("run"),
  run: z.string(),
  ended: z.boolean(),
  journal: z.object({ rows: z.number().int().nonnegative(), head: Sha256 }),
  files: z.array(BundleFile),
});
export type BundledRun = z.infer<typeof BundledRun>;

/** The folder of an attempt below its run's, with "/". */
export function attemptFolder(ticket: string, attempt: number): string {
  return `tickets/${ticket}/attempt-${attempt}`;
}
