import { endTicketIncidents, withIncident } from "../results/incident.ts";
import { countIntervention } from "../results/intervention.ts";
import { withDependencies } from "../schedule/plan.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { Evidence } from "./attempt-fact.ts";
import { classifyIntervention, isTakenLater, refusedAfter, seenBy, stateAfter, unavailableAfter } from "./drift-after.ts";
import {
  describeChange,
  firstSeen,
  TRACKER_UNREAD,
  type TrackedTicket,
  type TrackerChange,
  type TrackerState,
} from "./drift-fact.ts";
import type { RunEvent } from "./event.ts";
import { idleLive, type LiveState } from "./live-check.ts";
import { withBase } from "./reduce-base.ts";
import { renewed, settle } from "./reduce-ticket.ts";
import type { Reducers } from "./reducers.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { rewritten, type TicketState, withEvidence } from "./ticket-state.ts";

/** Events about the tracker. */
export type DriftEvent = Extract<
  RunEvent,
  {
    type: "tracker-read" | "tracker-writing" | "tracker-written" | "tracker-not-written" | "tracker-drifted" | "tracker-others";
  }
>;

type Drifted = Extract<DriftEvent, { type: "tracker-drifted" }>;

/** Reported ids of other tickets that are kept, so that each is reported once. */
const KEPT_OTHERS = 500;

/** The state that the engine has to expect in the tracker. */
export function expectedState({ tracked, phase, humanStep }: TicketState): TrackerState {
  if (tracked !== undefined) return tracked.state;
  if (phase === "done") return { as: "done" };
  return phase === "human-gated" ? { as: "human-gated", step: humanStep ?? "" } : { as: "open" };
}

/** Readings of the tracker, the engine's writes to it, and people's changes in it. */
export const DRIFT_REDUCERS = {
  "tracker-read": (state, { tickets }) =>
    tickets.reduce((s, { id, ...read }) => {
      const { state: known, ...kept } = trackedTicket(s, id);
      return withTracked(s, ticketIndex(s, id), { ...kept, ...firstSeen(known, read) });
    }, state),
  "tracker-writing": writing,
  "tracker-written": written,
  "tracker-not-written": (state, { ticket }) => {
    const { pendingWrite: _, ...kept } = trackedTicket(state, ticket);
    return withTracked(state, ticketIndex(state, ticket), kept);
  },
  "tracker-drifted": drifted,
  "tracker-others": (state, { ids }) => {
    const { others, ...status } = state.tracker ?? TRACKER_UNREAD;
    return { ...state, tracker: { ...status, others: [...others, ...ids].slice(-KEPT_OTHERS) } };
  },
} satisfies Partial<Reducers>;

function trackedTicket(state: RunState, id: TicketState["id"]): TrackedTicket {
  const ticket = vecAt(state.tickets, ticketIndex(state, id));
  return ticket.tracked ?? { state: expectedState(ticket) };
}

function withTracked(state: RunState, index: number, tracked: TrackedTicket): RunState {
  return withTicket(state, index, { ...vecAt(state.tickets, index), tracked });
}

function writing(state: RunState, { ticket, state: next, isRepeat }: Extract<DriftEvent, { type: "tracker-writing" }>): RunState {
  const { lastWrite, isSetByPerson: _, ...kept } = trackedTicket(state, ticket);
  const repeated = isRepeat && lastWrite !== undefined ? { lastWrite: { ...lastWrite, repeats: lastWrite.repeats + 1 } } : {};
  return withTracked(state, ticketIndex(state, ticket), { ...kept, pendingWrite: next, ...repeated });
}

/**
 * The engine's write is on record. If it did not replace the revision that was seen last, a person changed the ticket in between:
 * that revision stays, so that the next reading compares the words.
 */
function written(state: RunState, event: Extract<DriftEvent, { type: "tracker-written" }>): RunState {
  const { ticket, state: next, revision, before } = event;
  const { pendingWrite: _, closedByCommit: __, lastWrite, ...kept } = trackedTicket(state, ticket);
  const isOurs = before === undefined || kept.revision === undefined || kept.revision === before;
  const replaced = before === undefined || before === revision ? {} : { lastWrite: { before, repeats: lastWrite?.repeats ?? 0 } };
  const seen = isOurs ? { revision } : {};
  return withTracked(state, ticketIndex(state, ticket), { ...kept, state: next, ...seen, ...replaced });
}

/** Counts the decision, notes what was seen, and lets the change take effect. */
function drifted(state: RunState, { ticket: id, change, now, at }: Drifted): RunState {
  const text = describeChange(change);
  const index = ticketIndex(state, id);
  const known = trackedTicket(state, id);
  const { unavailable: _, unreadable: __, onHold: ___, closedByCommit: ____, refused, pendingWrite, ...before } = known;
  const after = stateAfter(change, before.state);
  const isByCommit = change.kind === "closed-by-commit";
  const isSettling = after !== before.state && !isByCommit;
  const { lastWrite, ...kept } = before;
  const tracked: TrackedTicket = {
    ...(now === undefined ? kept : { ...kept, ...firstSeen(after, seenBy(change, now, before)) }),
    ...(isSettling
      ? { isSetByPerson: true as const }
      : { ...(lastWrite && { lastWrite }), ...(pendingWrite && change.kind !== "vanished" && { pendingWrite }) }),
    ...((isByCommit || (known.closedByCommit && !isSettling)) && { closedByCommit: true as const }),
    ...unavailableAfter(change, known),
    ...refusedAfter(change, refused),
    lastAct: { at, text },
  };
  const act = isTakenLater(change, refused) ? undefined : classifyIntervention(change, before);
  const interventions =
    act === undefined ? state.interventions : countIntervention(state.interventions, { ...act, at, target: id, observed: true });
  const counted = { ...state, interventions, reverified: false };
  return withBase(takeEffect(withTracked(counted, index, tracked), index, { change, at }), index, at);
}

function takeEffect(state: RunState, index: number, { change, at }: { change: TrackerChange; at: number }): RunState {
  const ticket = vecAt(state.tickets, index);
  switch (change.kind) {
    case "closed":
      return closed(state, index, at);
    case "reopened":
      return reopened(state, index, { before: ticket, at });
    case "gated":
      return gated(state, index, { step: change.step, at });
    case "rewritten": {
      const { title, body } = change;
      const spec = state.plan.tickets[index];
      if (spec === undefined) return state;
      const next = { ...state, plan: { ...state.plan, tickets: state.plan.tickets.with(index, { ...spec, title, body }) } };
      // What waited for an approval answers another text: an agent gets the new one.
      return requeue(withTicket(next, index, rewritten(state.run, ticket)), index);
    }
    case "dependencies":
      return change.refused === undefined ? changeDependencies(state, index, change.dependsOn) : state;
    case "vanished":
    case "held":
      return dequeue(state, index);
    case "returned":
    case "released":
      return returned(state, index, at);
    case "closed-by-commit":
    case "closed-by-integration":
    case "taken-back":
      return state;
  }
}

/** The ticket goes on: it waits again, and what could not be written while it was missing is due. */
function returned(state: RunState, index: number, at: number): RunState {
  const { gate, live, ...ticket } = vecAt(state.tickets, index);
  const { postponed: _, ...due } = gate ?? { step: "", writing: false };
  const isLanded = live !== undefined && ticket.phase === "landed" && live.checking === undefined;
  const next: TicketState = {
    ...ticket,
    ...(gate && { gate: due }),
    ...(live && { live: isLanded ? checkedSoon(live, at) : live }),
  };
  return requeue(withTicket(state, index, next), index);
}

/** A landed change whose check is due, unless it was given up for another reason than checks that could not be finished. */
function checkedSoon(live: LiveState, at: number): LiveState {
  const { givenUp, isOutOfAttempts: _, ...rest } = live;
  return givenUp === undefined || live.inconclusive > 0 ? { ...rest, inconclusive: 0, nextAt: at } : live;
}

/** Settles a ticket that a person closed, at once or when its attempt has ended. No commit of ours is claimed. */
export function closed(state: RunState, index: number, at: number): RunState {
  const { gate: _, stalledReason: __, stalledBy: ___, humanStep: ____, ...ticket } = vecAt(state.tickets, index);
  if (ticket.attempt !== undefined) return ungated(withTicket(state, index, { ...ticket, closedByPerson: "closing" }), index);
  const { live, ...rest } = ticket;
  const checked = live === undefined ? {} : { live: idleLive(live) };
  const settled = settle(state, index, { ...rest, ...checked, phase: "done", closedByPerson: "closed", endedAt: at });
  const next = { ...settled, incidents: endTicketIncidents(settled.incidents, ticket.id, at, "closed by a person") };
  return ticket.phase === "done" ? next : shiftDependents(next, index, -1);
}

/** The ticket is open again, with as many attempts as a fresh one. A running attempt goes on. */
function reopened(state: RunState, index: number, { before, at }: { before: TicketState; at: number }): RunState {
  const { gate: _, humanStep: __, closedByPerson: ___, ...ticket } = before;
  if (ticket.attempt !== undefined) return ungated(withTicket(state, index, ticket), index);
  const { live: ____, ...rest } = ticket;
  const summary = whyReopened(before);
  const evidence: Evidence = { step: "tracker", name: "tracker", summary, detail: "" };
  const open = { ...withEvidence(renewed(rest), evidence), retriedAfter: ticket.history.length };
  const next = ungated(withTicket(state, index, open), index);
  if (before.phase !== "done") return requeue(next, index);
  const incident = { kind: "reopened" as const, at, ticket: before.id, summary };
  // One that this run did not land is opened by a person, and nothing of the run has gone wrong.
  const incidents = before.mergedSha === undefined ? next.incidents : withIncident(next.incidents, incident);
  return requeue({ ...shiftDependents(next, index, 1), incidents }, index);
}

function whyReopened({ phase, mergedSha }: TicketState): string {
  const was = phase === "human-gated" ? "it had been left to a person" : "it had been done";
  const built = mergedSha === undefined ? "" : `; the base holds the change that landed as ${mergedSha.slice(0, 12)}`;
  return `a person reopened it in the tracker after ${was}${built}`;
}

function gated(state: RunState, index: number, { step, at }: { step: string; at: number }): RunState {
  const { closedByPerson: _, gate: __, ...ticket } = vecAt(state.tickets, index);
  if (ticket.attempt !== undefined) {
    const gate = { step, writing: false };
    const next = withTicket(state, index, { ...ticket, gate });
    return { ...next, gating: next.gating.includes(index) ? next.gating : [...next.gating, index] };
  }
  const { stalledReason: ___, stalledBy: ____, ...rest } = ticket;
  const next = settle({ ...state, incidents: endTicketIncidents(state.incidents, ticket.id, at, "left to a person") }, index, {
    ...rest,
    phase: "human-gated",
    humanStep: step,
    endedAt: at,
  });
  return ticket.phase === "done" ? shiftDependents(next, index, 1) : next;
}

function ungated(state: RunState, index: number): RunState {
  return { ...state, gating: state.gating.filter((other) => other !== index) };
}

/** Changes the dependencies in the plan. A running attempt goes on. */
function changeDependencies(state: RunState, index: number, dependsOn: readonly TicketState["id"][]): RunState {
  const plan = withDependencies(state.plan, index, dependsOn);
  const openDeps = (plan.tickets[index]?.dependsOn ?? []).filter(
    (id) => vecAt(state.tickets, plan.index[id] as number).phase !== "done",
  ).length;
  const next = withTicket({ ...state, plan }, index, { ...vecAt(state.tickets, index), openDeps });
  return requeue(dequeue(next, index), index);
}
