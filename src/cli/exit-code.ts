import type { RunState } from "../domain/run/state.ts";
import { EXIT } from "../domain/values/user-error.ts";

/** Law 1: 0 only if the run ended as done, which requires the oracle's verdict. */
export function exitCodeOf(state: RunState): number {
  return state.end?.exitCode ?? EXIT.notDone;
}
