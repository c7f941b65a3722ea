import type { RunState } from "../run/state.ts";

/** The moment after which a run works no more, in milliseconds since the epoch; undefined if its batch sets no end. */
export function endOfTime({ batch, startedAt }: Pick<RunState, "batch" | "startedAt">): number | undefined {
  const { minutesPerRun } = batch.limits;
  return minutesPerRun === undefined ? undefined : startedAt + minutesPerRun * 60_000;
}

/** True once the time of a run is over: nothing more starts, and what runs is ended. */
export function isOutOfTime(state: Pick<RunState, "batch" | "startedAt">, now: number): boolean {
  const end = endOfTime(state);
  return end !== undefined && now >= end;
}
