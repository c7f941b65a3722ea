import { z } from "zod";

const idPatterns = z.array(z.string().min(1).max(2000)).readonly().default([]);

/** Permissions of a person for one ticket. Only the batch can give them, and the batch is frozen: no agent can. */
export const Allow = z.strictObject({
  testsRemoved: idPatterns.describe("Ids of tests that the ticket may remove or rename; * stands for anything"),
  testsSkipped: idPatterns.describe("Ids of tests that the ticket may skip; * stands for anything"),
  suppressions: z
    .boolean()
    .default(false)
    .describe("True if the ticket may add suppressions for linters, type checkers, runners and coverage"),
  scripts: z
    .boolean()
    .default(false)
    .describe("True if the ticket may change what a check runs: scripts of package.json, a Makefile, shell scripts"),
  attributes: z.boolean().optional().describe("True if the ticket may change files named .gitattributes; default: false"),
  deletions: z
    .boolean()
    .optional()
    .describe(
      "True if the ticket may delete more than half of the files, or files that its agent's commits keep; default: false",
    ),
  configuration: z
    .boolean()
    .optional()
    .describe("True if tests of the base may depend on the ticket's changes to how tests are run; default: false"),
  judge: z
    .array(z.string().min(1).max(400))
    .max(200)
    .readonly()
    .optional()
    .describe(
      "Glob patterns of files that judge (tests, helpers, settings, scripts) whose changes by this ticket count as the base's",
    ),
});

/** Ids of tests that a ticket must fix. Every report is searched for each of them. */
export const Fixes = z
  .array(z.string().min(1).max(2000))
  .max(200)
  .readonly()
  .describe("Ids of tests that must pass for the ticket to be done, even if they fail on the base; * stands for any characters");

/** Whether a ticket's new tests must be red before its change (S3.5). */
export const RedFirst = z
  .boolean()
  .describe(
    "True if each test that the ticket adds must fail without the rest of its change; without it, the check only says which pass",
  );
