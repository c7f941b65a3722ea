import { type BatchProblem, displayValue, type Locate, type Path, problemAt, sortProblems } from "./problem.ts";
import type { BatchFile } from "./schema.ts";
import { DEFAULT_FINISH, type StepSpec } from "./step-spec.ts";

/** Warnings about a batch that runs, but perhaps not as intended. It has passed `checkBatch`. Sorted by place. */
export function warnOfBatch(file: BatchFile, locate: Locate): readonly BatchProblem[] {
  const warnings: BatchProblem[] = [];
  const warn = (path: Path, message: string, hint?: string) => warnings.push(problemAt(locate, path, message, hint));
  if (file.sandbox === "off") warn(["sandbox"], "agents are not confined: they can read and change what you can");
  if (file.oracle?.reads === "elsewhere") warn(["oracle", "reads"], "no canary can test an oracle that reads no tracker");
  const inherits = file.tickets.some((ticket) => ticket.finish === undefined);
  if (inherits && !checks(file.finish ?? DEFAULT_FINISH)) warn(["finish"], ...UNCHECKED);
  file.tickets.forEach((ticket, i) => {
    if (ticket.finish !== undefined && !checks(ticket.finish)) warn(["tickets", i, "finish"], ...UNCHECKED);
    for (const field of ["dependsOn", "exclusive"] as const) {
      const names: readonly string[] = ticket[field];
      const twice = firstRepeated(names);
      if (twice !== -1) warn(["tickets", i, field, twice], `${displayValue(names[twice])} is listed twice`);
    }
  });
  return sortProblems(warnings);
}

const UNCHECKED = [
  "no check runs before merge: whatever the agent leaves will land",
  'add {"step": "check", "name": "tests", "command": ["npm", "test"]} before merge',
] as const;

/** True for the warning that nothing checks a change: the one that every start repeats, because it is shown nowhere else. */
export function isUnchecked({ message }: BatchProblem): boolean {
  return message === UNCHECKED[0];
}

function firstRepeated(names: readonly string[]): number {
  const seen = new Set<string>();
  return names.findIndex((name) => seen.size === seen.add(name).size);
}

function checks(finish: readonly StepSpec[]): boolean {
  return finish.some((step) => step.step === "check");
}
