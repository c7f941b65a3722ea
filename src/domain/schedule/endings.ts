import type { EndKind, VerdictWord } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { EXIT } from "../values/user-error.ts";

/** The end of a run. */
export interface EndRun {
  readonly do: "end";
  readonly kind: EndKind;
  readonly verdict: VerdictWord;
  readonly exitCode: number;
  readonly reason: string;
}

/** The end of a run without a verdict; the same command continues it. */
export function unjudged(reason: string): EndRun {
  return { do: "end", kind: "unjudged", verdict: "unjudged", exitCode: EXIT.unjudged, reason };
}

/** The end of a run in which nothing runs any more after a stop, by the tripwire or by a request. */
export function stopped(state: RunState): EndRun {
  if (state.tripwire.status === "fired") {
    const reason = `the tripwire fired: ${state.tripwire.problem ?? "no reason given"}`;
    return { do: "end", kind: "tripwire", verdict: "unjudged", exitCode: EXIT.unjudged, reason };
  }
  return interrupted(state);
}

function interrupted(state: RunState): EndRun {
  const who = state.stopBy === "signal" ? "a signal" : "a person";
  const reason = `stopped by ${who}; the same command continues from here`;
  return { do: "end", kind: "interrupted", verdict: "not-done", exitCode: EXIT.interrupted, reason };
}
