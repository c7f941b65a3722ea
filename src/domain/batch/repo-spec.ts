import { z } from "zod";
import { CopySpec } from "./copy-spec.ts";
import { ForgeSpec } from "./forge-spec.ts";
import { Argv, PrepareCommand } from "./prepare-command.ts";

/** The place of a repository, and the preparation of a fresh worktree. */
export const RepoSpec = z.strictObject({
  path: z.string().min(1).describe("The repository's folder: absolute, or relative to this file"),
  base: z.string().min(1).default("main").describe("The branch that changes build on and land on"),
  forge: ForgeSpec.optional(),
  prepare: z
    .array(PrepareCommand)
    .readonly()
    .default([])
    .describe(
      "Commands that make a fresh checkout ready, in order; {batch} stands for this file's folder (docs/use/repositories.md#prepare)",
    ),
  copy: z
    .array(CopySpec)
    .max(50)
    .readonly()
    .optional()
    .describe("Ignored files that checkouts need, such as .env; part of no change (docs/use/repositories.md#ignored-files)"),
  fixers: z
    .array(Argv)
    .max(10)
    .readonly()
    .optional()
    .describe(
      "Formatters that run in the worktree after its agent, at most 5 minutes each; they may change only files that it touched",
    ),
  inputs: z
    .array(z.string().min(1))
    .readonly()
    .optional()
    .describe(
      "Globs of files that prepare reads; default: what a plain install reads, else the whole tree (docs/use/batch-file.md#repositories)",
    ),
  cache: z
    .boolean()
    .optional()
    .describe("False runs prepare for every worktree and check, and keeps no results of checks; default: true"),
});
export type RepoSpec = z.infer<typeof RepoSpec>;
