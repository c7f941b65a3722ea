import { z } from "zod";

/** Programs that a copied file is for. */
const Reader = z.enum(["agent", "check"]);
export type CopyReader = z.infer<typeof Reader>;

/** No glob, no way out of the checkout, and nothing of git's own. */
const isPlainPath = (path: string): boolean =>
  path.split("/").every((part) => /^[\w.@+-]+$/.test(part) && ![".", "..", ".git"].includes(part.toLowerCase()));

/** A file outside a repository that its checkouts need, and that git ignores there. */
export const CopySpec = z.strictObject({
  from: z.string().min(1).describe("A file of at most 1 MiB: absolute, or relative to this file"),
  to: z
    .string()
    .max(400)
    .refine(isPlainPath, 'must be a path in the checkout, of letters, digits, "_", ".", "@", "+" and "-" between slashes')
    .describe("Its path in the checkout (mode 0600), which git must ignore on the base"),
  for: z.array(Reader).readonly().optional().describe("Checkouts of agents, of check and verify, or both (default)"),
});
export type CopySpec = z.infer<typeof CopySpec>;

/** Globs of exactly the paths of copied files: no change may touch one. */
export function copiedPaths(copy: readonly CopySpec[] = []): readonly string[] {
  return copy.map(({ to }) => `./${to}`);
}
