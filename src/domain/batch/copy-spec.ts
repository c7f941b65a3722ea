import { z } from "zod";

/** Programs that a copied file is for. */
const Reader = z.enum(["agent", "check"]);
export type CopyReader = z.infer<typeof Reader>;

/** No glob, no way out of the checkout, and nothing of git's own. */
const isPlainPath = (path: string): boolean =>
  path.split("/").every((part) => /^[\w.@+-]+$/.test(part) && ![".", "..", ".git"].includes(part.toLowerCase()));

/** A file outside a repository that its checkouts need, and that git ignores there. */
export const CopySpec = z.strictObject({
  from: z.string().min(1).describe("The file: absolute, or relative to this file's folder; at most 1 MiB"),
  to: z
    .string()
    .max(400)
    .refine(isPlainPath, 'must be a path in the checkout, of letters, digits, "_", ".", "@", "+" and "-" between slashes')
    .describe("Its path in the checkout, which the base's .gitignore names"),
  for: z.array(Reader).readonly().optional().describe("Which checkouts have it: agent, check, or both (default)"),
});
export type CopySpec = z.infer<typeof CopySpec>;

/** Globs of exactly the paths of copied files: no change may touch one. */
export function copiedPaths(copy: readonly CopySpec[] = []): readonly string[] {
  return copy.map(({ to }) => `./${to}`);
}
