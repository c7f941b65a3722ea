import { z } from "zod";
import type { StepSpec } from "./step-spec.ts";

/** When a change is proven: each alone before it lands, or all that landed together, before the run ends. */
export const ProofSpec = z
  .enum(["each", "batch"])
  .describe(
    "When changes are proven: each before it lands, or landed ones together (batch); default: batch, at a forge each (docs/inside/decisions/test-evidence.md#alone-or-together)",
  );
export type ProofSpec = z.infer<typeof ProofSpec>;

/** Who approves files that make tests of the base come out differently. */
export const JudgeSpec = z
  .enum(["reviewer", "person", "refuse"])
  .describe(
    "Who approves changed tests, helpers, settings and scripts that checks depend on; refuse fails the attempt; default: the reviewer, else a person",
  );
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
