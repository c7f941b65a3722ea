import { z } from "zod";
import type { StepSpec } from "./step-spec.ts";

/** When a change is proven: each alone before it lands, or all that landed together, before the run ends. */
export const ProofSpec = z
  .enum(["each", "batch"])
  .describe(
    "each: each change is proven before it lands; batch: all together, before the run ends; default: batch, at a forge each",
  );
export type ProofSpec = z.infer<typeof ProofSpec>;

/** Who approves files that make tests of the base come out differently. */
export const JudgeSpec = z
  .enum(["reviewer", "person", "refuse"])
  .describe("Who approves changed files that judge and that tests of the base depend on; default: the reviewer, else a person");
export type JudgeSpec = z.infer<typeof JudgeSpec>;

/** When the changes of a repository are proven. */
export function proofMode(
  {
    proof,
    repos,
  }: { readonly proof?: ProofSpec | undefined; readonly repos: Readonly<Record<string, { readonly forge?: unknown }>> },
  repo: string,
): ProofSpec {
  return proof ?? (repos[repo]?.forge === undefined ? "batch" : "each");
}

/** Who approves, by the batch and a ticket's finish line. */
export function approverOfJudge({ judge }: { readonly judge?: JudgeSpec | undefined }, finish: readonly StepSpec[]): JudgeSpec {
  return judge ?? (finish.some(({ step }) => step === "review") ? "reviewer" : "person");
}
