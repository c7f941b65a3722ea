import { displayValue } from "@loopdash/values";
import { type NoteProblem, type Path, pathText } from "./problem.ts";
import { type StepSpec, stepName } from "./step-spec.ts";

/** Reports everything that keeps a finish line from taking a ticket to done. `path` is its place in the file. */
export function checkFinishLine(steps: readonly StepSpec[], path: Path, report: NoteProblem): void {
  const merge = steps.findIndex((step) => step.step === "merge");
  if (merge === -1) report(path, "has no merge, so nothing would ever land", 'add {"step": "merge"}');
  steps.forEach((step, i) => {
    const trouble = misplaced(step, i, merge, steps.length);
    if (trouble !== undefined) report([...path, i], trouble);
  });
  checkNames(steps, path, report);
}

function misplaced(step: StepSpec, i: number, merge: number, length: number): string | undefined {
  switch (step.step) {
    case "gates":
    case "check":
    case "review":
    case "adversary":
      return merge !== -1 && i > merge ? `${step.step} must come before merge, for it decides what may land` : undefined;
    case "merge":
      return i === merge ? undefined : "merge must come only once";
    case "verify":
      return merge !== -1 && i < merge ? "verify must come after merge, for it looks at what has landed" : undefined;
    case "assert":
      return i === length - 1 ? undefined : "assert must come last and only once, for it sets the ticket to done";
  }
}

/**
 * Reports tests to be fixed if no check of the ticket could tell that they pass. Without a finish line, the default one counts.
 */
export function checkFixes(
  { fixes = [] }: { readonly fixes?: readonly string[] | undefined },
  finish: readonly StepSpec[] | undefined,
  path: Path,
  report: NoteProblem,
): void {
  if (fixes.length === 0 || (finish ?? []).some((step) => step.step === "check" && step.report !== undefined)) return;
  report(path, "no check of its finish line names a report, so nobody could tell whether these tests pass", FIXES_HINT);
}

const FIXES_HINT = 'add "report" to a check: {"format": "junit", "path": "{artifacts}/report.xml"}';

/** Evidence and history identify a step by its kind and name. */
function checkNames(steps: readonly StepSpec[], path: Path, report: NoteProblem): void {
  const first = new Map<string, number>();
  steps.forEach((step, i) => {
    if (!("name" in step)) return;
    const key = `${step.step} ${stepName(step)}`;
    const before = first.get(key);
    if (before === undefined) first.set(key, i);
    else
      report(
        [...path, i, "name"],
        `${pathText([...path, before])} is a ${step.step} named ${displayValue(stepName(step))} as well`,
        "give each a name of its own",
      );
  });
}
