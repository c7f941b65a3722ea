import type { ReadContract } from "./read-contract.ts";
import { isCriterion, type StepSpec } from "./step-spec.ts";

/**
 * A finish line with the criteria of a contract before whatever reviews or lands. A contract only adds: with rules on the change, it
 * also adds the gates that hold them, if the line has none.
 */
export function withCriteria(finish: readonly StepSpec[], { contract, checks }: ReadContract): readonly StepSpec[] {
  const at = finish.findIndex(({ step }) => step === "review" || step === "adversary" || step === "merge");
  const line = finish.toSpliced(at, 0, ...checks);
  return contract.safety === undefined || hasGates(finish) ? line : [{ step: "gates" }, ...line];
}

/** The steps of a finish line that no contract has added to `line`, which is what the ticket would have without one. */
export function withoutCriteria(finish: readonly StepSpec[], line: readonly StepSpec[]): readonly StepSpec[] {
  const own = finish.filter((step) => !isCriterion(step));
  const isGated = own.length < finish.length && own[0]?.step === "gates" && !hasGates(line);
  return isGated ? own.slice(1) : own;
}

function hasGates(finish: readonly StepSpec[]): boolean {
  return finish.some(({ step }) => step === "gates");
}
