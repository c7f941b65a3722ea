import type { RunState } from "../run/state.ts";
import { runTimeAfter } from "../run/suspension.ts";

/** The moment after which a run works no more, in milliseconds since the epoch; undefined if its batch sets no end. */
export function endOfTime(state: Pick<RunState, "batch" | "startedAt" | "suspensions">): number | undefined {
  const { minutesPerRun } = state.batch.limits;
  return minutesPerRun === undefined ? undefined : runTimeAfter(state, state.startedAt, minutesPerRun * 60_000);
}

/** True once the time of a run is over: nothing more starts, and what runs is ended. */
export function isOutOfTime(state: Pick<RunState, "batch" | "startedAt" | "suspensions">, now: number): boolean {
  const end = endOfTime(state);
  return end !== undefined && now >= end;
}
