import type { StepSpec } from "../batch/step-spec.ts";
import type { Bound } from "./bound.ts";

/**
 * A finish line with the laws of a repository: each command as a check before what reviews or lands, and as a verification right after
 * the merge. Laws that the line has already are not added again. A step of a person that bears the name of a law takes nothing from it.
 */
export function lineWithLaws(finish: readonly StepSpec[], bound: Bound | undefined): readonly StepSpec[] {
  let line = finish;
  for (const { name, command } of bound?.ironLaws ?? []) {
    if (command === undefined || hasLaw(finish, command)) continue;
    const law = { name: freeName(line, name), command };
    const before = line.findIndex(({ step }) => step === "review" || step === "adversary" || step === "merge");
    line = line.toSpliced(before, 0, { step: "check", ...law });
    line = line.toSpliced(firstAfterMerge(line), 0, { step: "verify", ...law });
  }
  return line;
}

/** True if a finish line checks a law, and verifies it. */
export function hasLaw(finish: readonly StepSpec[], command: readonly string[]): boolean {
  return (["check", "verify"] as const).every((kind) => finish.some((step) => isLawStep(step, kind, command)));
}

/** A step with nothing but a command: options could make it pass that should not. */
function isLawStep(step: StepSpec, kind: "check" | "verify", command: readonly string[]): boolean {
  const { name } = step as { readonly name?: string };
  return JSON.stringify(step) === JSON.stringify({ step: kind, name, command });
}

/** Where the next law is verified: after the merge and the laws before it, ahead of the batch's own verifications. */
function firstAfterMerge(line: readonly StepSpec[]): number {
  const merge = line.findIndex(({ step }) => step === "merge");
  const isLaw = (step: StepSpec): boolean =>
    step.step === "verify" && line.slice(0, merge).some((one) => one.step === "check" && isLawStep(step, "verify", one.command));
  const next = line.findIndex((step, i) => i > merge && !isLaw(step));
  return next === -1 ? line.length : next;
}

function freeName(line: readonly StepSpec[], name: string): string {
  const taken = new Set(line.flatMap((step) => ("name" in step ? [step.name] : [])));
  let free = name;
  while (taken.has(free)) free = `${free}-law`;
  return free;
}
