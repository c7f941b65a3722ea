import { z } from "zod";

const idPatterns = z.array(z.string().min(1).max(2000)).readonly().default([]);

/** Permissions of a person for one ticket. Only the batch can give them, and the batch is frozen: no agent can. */
export const Allow = z.strictObject({
  testsRemoved: idPatterns.describe("Ids of tests that it may remove or rename; * stands for anything"),
  testsSkipped: idPatterns.describe("Ids of tests that it may skip; * stands for anything"),
  suppressions: z.boolean().default(false).describe("Comments that silence linters, type checkers, runners or coverage"),
  scripts: z
    .boolean()
    .default(false)
    .describe("What a check runs: package.json and its scripts, Makefiles, shell scripts, settings of package managers"),
  attributes: z.boolean().optional().describe("Files named .gitattributes"),
  deletions: z
    .boolean()
    .optional()
    .describe("Deletes more than half of the base's files, or files that its agent's last commit keeps"),
  configuration: z.boolean().optional().describe("How tests run: settings of test runners, conftest.py, manifests"),
  judge: z
    .array(z.string().min(1).max(400))
    .max(200)
    .readonly()
    .optional()
    .describe("Globs of other files that judge, whose version of this ticket counts as the base's"),
});

/** Ids of tests that a ticket must fix. Every report is searched for each of them. */
export const Fixes = z
  .array(z.string().min(1).max(2000))
  .max(200)
  .readonly()
  .describe("Ids of tests that must pass for it to be done; * stands for anything");

/** Whether a ticket's new tests must be red before its change (S3.5). */
export const RedFirst = z.boolean().describe("True if each test that it adds must fail without the rest of its change");
