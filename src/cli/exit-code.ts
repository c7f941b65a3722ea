import type { RunState } from "../domain/run/state.ts";
import { EXIT } from "../domain/values/user-error.ts";

/** Law 1: 0 only where the run ended as done, which only the oracle's verdict does. */
export function exitCodeOf(state: RunState): number {
  return state.end?.exitCode ?? EXIT.notDone;
}
