import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";
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
