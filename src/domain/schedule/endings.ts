import { openTickets } from "../results/what-is-left.ts";
import type { EndKind, VerdictWord } from "../run/event.ts";
import type { RunState } from "../run/state.ts";
import { EXIT } from "../values/user-error.ts";
import { describeMoved } from "./last-look.ts";
import { describeUnproven } from "./proofs.ts";

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

/**
 * The end of a run whose oracle says done. If a ticket is open here all the same, nobody can tell: the next engine reads anew. An
 * oracle that reads no tracker decides by what the user made it read.
 */
export function endAsDone(state: RunState, done: number, gated: number): EndRun {
  const unproven = describeUnproven(state);
  if (unproven !== undefined)
    return { do: "end", kind: "not-done", verdict: "not-done", exitCode: EXIT.notDone, reason: unproven };
  const open = state.batch.oracle?.reads === "elsewhere" ? undefined : openTickets(state);
  if (open !== undefined) return unjudged(`the tracker says that every ticket is done, but this run has not finished ${open}`);
  const reason = `${done} done${gated === 0 ? "" : `, ${gated} left to a person`}${describeMoved(state)}`;
  return { do: "end", kind: "oracle-done", verdict: "done", exitCode: EXIT.done, reason };
}
