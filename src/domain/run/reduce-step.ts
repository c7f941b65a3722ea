import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";
import { countWait } from "./suite-fact.ts";
import type { Attempt } from "./ticket-state.ts";

type StepEnded = Extract<RunEvent, { type: "step-ended" }>;

/** Counts a passed check by its strength. Without one it proved its exit code and no more. */
export function countCheck(state: RunState, { step }: Attempt, { ok, strength = "exit-code" }: StepEnded): RunState {
  if (!ok || step?.kind !== "check") return state;
  return { ...state, checks: { ...state.checks, [strength]: state.checks[strength] + 1 } };
}

/** Counts a step that passed after its transient: fixed without a person. */
export function countRetry(state: RunState, { retried }: Attempt, { ok, step }: Pick<StepEnded, "ok" | "step">): RunState {
  if (!ok || retried?.step !== step) return state;
  return { ...state, transients: { ...state.transients, passed: state.transients.passed + 1 } };
}

/** Counts the time that finished work has waited for the step that begins. */
export function countIdle(state: RunState, { idleSince, step }: Attempt, at: number): RunState {
  return idleSince === undefined || step !== undefined ? state : countWait(state, at - idleSince);
}

/** The attempt in a step of its finish line. */
export function startStep({ idleSince: _, ...attempt }: Attempt, event: Extract<RunEvent, { type: "step-started" }>): Attempt {
  const outer = attempt.step === undefined ? {} : { outer: attempt.step };
  const step = { index: event.step, kind: event.kind, name: event.name, startedAt: event.at, ...outer };
  return { ...attempt, step };
}

/** The attempt after a step of its finish line has ended. */
export function endStep(attempt: Attempt, event: StepEnded): Attempt {
  const { step, waiting: _, retried: __, ...after } = attempt;
  const rest = step?.outer === undefined ? { ...after, idleSince: event.at } : { ...after, step: step.outer };
  if (!event.ok && (step?.kind === "check" || step?.kind === "review" || step?.kind === "adversary"))
    return { ...rest, refused: { step: step.kind, name: step.name, summary: event.summary, detail: "" } };
  if (!event.ok || step === undefined) return rest;
  const done = {
    ...{ index: step.index, kind: step.kind, name: step.name, ms: event.at - step.startedAt },
    tests: event.tests,
    notNeeded: event.notNeeded,
    byExitCode: (step.kind === "check" && (event.strength ?? "exit-code") === "exit-code") || undefined,
  };
  return { ...rest, passed: [...rest.passed.filter((p) => p.index !== step.index), done] };
}
