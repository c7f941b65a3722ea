import type { Contract, StepKind } from "../batch/step-spec.ts";
import type { Evidence } from "./attempt-fact.ts";

/** Steps that run once every criterion has passed. */
const LATER: readonly string[] = ["review", "adversary", "merge", "verify", "assert"] satisfies readonly StepKind[];

/**
 * The index of the phase that the next attempt is asked to begin with: the first whose checkpoint did not hold for the last change,
 * of which the evidence tells. It is the number of phases if all held, 0 if no change has come so far, and undefined without phases.
 * `evidence` is of failed attempts, the oldest first.
 */
export function askedPhase({ phases }: Pick<Contract, "phases">, evidence: readonly Evidence[]): number | undefined {
  if (phases === undefined) return undefined;
  for (const { step, name } of evidence.toReversed()) {
    if (LATER.includes(step)) return phases.length;
    const at = step === "check" ? phases.findIndex(({ criteria }) => criteria.includes(name)) : -1;
    if (at !== -1) return at;
  }
  return 0;
}
