import type { TestsMoved } from "@loopdash/test-evidence";
import type { StepKind } from "../batch/step-spec.ts";

/** A step of the finish line that an attempt has passed. `notNeeded`: the ticket's class does not need it. */
export interface PassedStep {
  readonly index: number;
  readonly kind: StepKind;
  readonly name: string;
  readonly ms: number;
  readonly tests?: TestsMoved;
  readonly notNeeded?: true;
  /** A check of which only the exit code counted. */
  readonly byExitCode?: true;
}

/** The lines of a landed change, and the tests that it added and removed, where a check compared them one by one. */
export interface LandedSize {
  readonly additions?: number;
  readonly deletions?: number;
  readonly tests?: TestsMoved;
  /** It was checked, and no check compared its tests with those of the base. */
  readonly notCompared?: true;
}

/** The size of a captured change. Of several checks, the one that saw the most tests move counts. Undefined if nobody counted. */
export function landedSize({
  change,
  passed,
}: {
  readonly change?: { readonly additions: number; readonly deletions: number };
  readonly passed: readonly PassedStep[];
}): LandedSize | undefined {
  const [tests] = passed
    .flatMap((step) => (step.tests === undefined ? [] : [step.tests]))
    .toSorted((a, b) => b.added + b.removed - a.added - a.removed);
  if (change === undefined && tests === undefined) return undefined;
  const checks = passed.filter(({ kind, notNeeded }) => kind === "check" && notNeeded !== true);
  const notCompared = checks.length > 0 && checks.every(({ byExitCode }) => byExitCode === true);
  return { additions: change?.additions, deletions: change?.deletions, tests, notCompared: notCompared || undefined };
}
