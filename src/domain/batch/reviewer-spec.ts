import { z } from "zod";
import { vendorFields } from "./agent-spec.ts";
import { Argv, Variables } from "./argv.ts";
import { usd } from "./values.ts";
import { vendorSpecs } from "./vendors.ts";

/** Severities of a finding, worst first. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Common fields of all reviewers. */
const review = {
  blocking: z.enum(SEVERITIES).default("high").describe("The least severity of a finding that fails the step"),
  allowSameVendor: z.boolean().default(false).describe("Lets it be of the agent's vendor; never of the same model"),
  usdPerReview: usd
    .optional()
    .describe("Dollars that one question may cost; default: limits.usdPerAttempt, nothing for a command"),
  canaryEvery: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe("After so many questions it is given a change with a planted defect, to see whether it reads; 0: never"),
};

/** The reviewer: it reviews, attacks and rules on blockers. It reads a checkout that it cannot write. */
export const ReviewerSpec = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("command").describe("Any program: it is told of its question by LOOPDASH_PROMPT and answers on stdout"),
      command: Argv,
      env: Variables.optional().describe(
        "Variables for its rulings on blockers alone; {secret:name} is for a program in the batch file's folder",
      ),
      ...review,
    }),
    ...vendorSpecs({ ...vendorFields, ...review }),
  ])
  .describe("The model that reviews changes and rules on blockers");
export type ReviewerSpec = z.infer<typeof ReviewerSpec>;

/** The second reviewer. Its keys are those of the reviewer; `checkReviewer` refuses those that it has no use for. */
export const SecondReviewerSpec = ReviewerSpec.describe(
  "A model of its own for the second of two reviews, and nothing else; default: the reviewer reads twice",
);

/**
 * Dollars that one question to the reviewer may cost: the batch's number, or else nothing for a command and an attempt's maximum
 * for a vendor.
 */
export function reviewUsd(reviewer: ReviewerSpec, limits: { readonly usdPerAttempt: number }): number {
  return reviewer.usdPerReview ?? (reviewer.kind === "command" ? 0 : limits.usdPerAttempt);
}
