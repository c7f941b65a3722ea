import { clearHalt } from "../schedule/backoff.ts";
import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { withoutOpenProofs } from "./proof-fact.ts";
import { withBaseChecksDue } from "./reduce-base.ts";
import { withMeasuresDue } from "./reduce-base-measure.ts";
import { resetInterruptedKeep } from "./reduce-heal.ts";
import { withChecksDue } from "./reduce-live.ts";
import { withoutOutages } from "./reduce-outage.ts";
import type { RunState } from "./state.ts";

type Resumed = Extract<RunEvent, { type: "run-resumed" }>;

/** A new engine goes on with the run: what the last one left unfinished is due again. */
export function reduceResumed(state: RunState, event: Resumed): RunState {
  return withMeasuresDue(withBaseChecksDue(withChecksDue(goneOn(state, event), event.at)));
}

function goneOn(state: RunState, { by, checksOnly }: Resumed): RunState {
  const { checksTicket } = state;
  if (by === "engine") return continued(state);
  return { ...resumed(state), ...(checksOnly && { checksOnly, checksTicket }) };
}

/** A new engine took over the run. The unfinished actions of the last one are repeated; a stop or a pause is over. */
function resumed(state: RunState): RunState {
  // The command that goes on with a run has agents start, whatever began it.
  const {
    end: _,
    stopBy: __,
    checksOnly: ____,
    checksTicket: _____,
    unprepared: ______,
    ...rest
  } = withoutOutages(clearHalt(state));
  return takenOver({ ...rest, paused: false });
}

/** The engine resumed its own run. No person did anything, so a pause, a halt and the outages that ended something stay. */
function continued({ outages: _, ...state }: RunState): RunState {
  return takenOver(state);
}

function takenOver(state: RunState): RunState {
  const next: RunState = {
    ...state,
    resumes: state.resumes + 1,
    stage: "working",
    reverified: false,
    heldElsewhere: {},
    reverting: [],
    proofs: withoutOpenProofs(state.proofs),
    oracle: { ...state.oracle, asking: false, finalJudgements: 0 },
    tripwire: { status: "due", canaries: 0, ms: 0 },
    heals: resetInterruptedKeep(state.heals),
  };
  return next.gating.reduce((s, index) => {
    const ticket = vecAt(s.tickets, index);
    if (ticket.gate === undefined) return s;
    const { postponed: ___, ...gate } = ticket.gate;
    return withTicket(s, index, { ...ticket, gate: { ...gate, writing: false } });
  }, next);
}
