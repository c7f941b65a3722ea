import { z } from "zod";
import { CopySpec } from "./copy-spec.ts";
import { ForgeSpec } from "./forge-spec.ts";
import { Argv, PrepareCommand } from "./prepare-command.ts";

/** The place of a repository, and the preparation of a fresh worktree. */
export const RepoSpec = z.strictObject({
  path: z.string().min(1).describe("The repository's folder: absolute, or relative to this file"),
  base: z.string().min(1).default("main").describe("The branch that changes are built on and land on"),
  forge: ForgeSpec.optional(),
  prepare: z
    .array(PrepareCommand)
    .readonly()
    .default([])
    .describe(
      'Commands that make a fresh worktree ready, in order: lists of texts, or {"command", "env"}; {batch} is the batch file\'s folder',
    ),
  copy: z
    .array(CopySpec)
    .max(50)
    .readonly()
    .optional()
    .describe("Files that git ignores and that checkouts need, such as .env: copied after prepare, part of no change"),
  fixers: z
    .array(Argv)
    .max(10)
    .readonly()
    .optional()
    .describe("Commands that repair layout in a worktree after its agent, such as formatters: lists of texts, in order"),
  inputs: z
    .array(z.string().min(1))
    .readonly()
    .optional()
    .describe("Glob patterns of the files that the result of prepare depends on; default: found by the commands"),
  cache: z
    .boolean()
    .optional()
    .describe(
      "False if prepare runs anew for every worktree and every check; default: true, one result serves all with equal inputs",
    ),
});
export type RepoSpec = z.infer<typeof RepoSpec>;
