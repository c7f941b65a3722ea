import { endIncident, endTicketIncidents } from "../results/incident.ts";
import { failedAgain } from "../schedule/breaker.ts";
import { requeue, withTicket } from "../schedule/queue.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import type { RevertState } from "./live-check.ts";
import { idleLive, isBeingReverted, type LiveState } from "./live-check.ts";
import { withBase } from "./reduce-base.ts";
import { withLanding } from "./reduce-landing.ts";
import { failedChecks } from "./reduce-live.ts";
import type { RevertFact } from "./revert-fact.ts";
import { indexOf, type RunState } from "./state.ts";
import { type TicketState, withEvidence } from "./ticket-state.ts";

/** Events of the engine's reverts. */
export type RevertEvent = Extract<RunEvent, { type: RevertFact["type"] }>;
type EventOf<T extends RevertEvent["type"]> = Extract<RevertEvent, { type: T }>;

/** Folds the events of reverts. */
export function reduceRevert(state: RunState, event: RevertEvent): RunState {
  const index = indexOf(state, event.ticket);
  const { live } = vecAt(state.tickets, index);
  if (live?.revert === undefined) return afterReopening(state, index, event);
  const { revert } = live;
  switch (event.type) {
    case "revert-started":
      return { ...state, reverting: [...state.reverting, index], reverified: false };
    case "revert-intended": {
      const { from, to } = event;
      return withRevert(state, index, { since: revert.since, from, to });
    }
    case "revert-landed":
      return withLanding(withRevert(state, index, { ...withoutWait(revert), hasLanded: true }), event);
    case "revert-waiting":
      return withRevert(state, index, { ...revert, waiting: event.reason });
    case "revert-stopped":
      return withRevert(over(state, index), index, withoutWait(revert));
    case "revert-failed":
      return fail(over(state, index), index, live, event);
    case "revert-ended":
      return end(over(state, index), index, live, event);
  }
}

/**
 * The end of a revert whose ticket a person has opened anew meanwhile: it counts for the base, and the ticket goes on without its
 * change.
 */
function afterReopening(state: RunState, index: number, event: RevertEvent): RunState {
  if (event.type === "revert-landed") return withLanding(state, event);
  if (event.type !== "revert-ended" && event.type !== "revert-failed" && event.type !== "revert-stopped") return state;
  const next = over(state, index);
  if (event.type !== "revert-ended") return next;
  const { mergedSha: _, mergedFrom: __, ...ticket } = vecAt(next.tickets, index);
  return withBase(withTicket(next, index, ticket), index, event.at);
}

function over(state: RunState, index: number): RunState {
  return { ...state, reverting: state.reverting.filter((other) => other !== index) };
}

function withoutWait({ waiting: _, ...revert }: RevertState): RevertState {
  return revert;
}

function withRevert(state: RunState, index: number, revert: RevertState): RunState {
  const ticket = vecAt(state.tickets, index);
  return ticket.live === undefined ? state : withTicket(state, index, { ...ticket, live: { ...ticket.live, revert } });
}

/** The base is frozen instead. The live check runs once more; if it fails, an agent starts. */
function fail(state: RunState, index: number, live: LiveState, { at, reason }: EventOf<"revert-failed">): RunState {
  const ticket = vecAt(state.tickets, index);
  const next: LiveState = { ...idleLive(live), revert: { since: live.revert?.since ?? at, failed: reason } };
  return withTicket(state, index, { ...ticket, live: ticket.phase === "landed" ? { ...next, nextAt: at } : next });
}

/**
 * The ticket is open again, on a base without its change, and an attempt is used up. The other landed tickets of that base begin
 * to count their checks anew: what was reverted may have failed them.
 */
function end(state: RunState, index: number, live: LiveState, event: EventOf<"revert-ended">): RunState {
  const { at, ok, summary } = event;
  const { live: _, mergedSha: __, mergedFrom: ___, ...ticket } = vecAt(state.tickets, index);
  const by = live.revert?.to ?? "";
  const { sha, from, history } = live;
  const reverted = { sha, from, by, at, checks: history, after: { ok, summary } };
  const evidence = failedChecks(live);
  const isOpen = ticket.phase === "landed";
  const open: TicketState = { ...ticket, reverted, phase: "waiting", failures: ticket.failures + 1 };
  const next = isOpen
    ? withEvidence({ ...open, signs: failedAgain(ticket.signs ?? {}, evidence) }, evidence)
    : { ...ticket, reverted };
  const incidents = endTicketIncidents(state.incidents, ticket.id, at);
  const taken = withTicket({ ...state, incidents, reverified: false }, index, next);
  const whole = endBroken(taken, index, { at, by });
  const recounted = isOpen ? withFreshCounts(whole, index, at) : whole;
  return requeue(withBase(recounted, index, at), index);
}

/** Ends the broken base by the revert, which its incident names. */
function endBroken(state: RunState, index: number, { at, by }: { readonly at: number; readonly by: string }): RunState {
  const repo = state.plan.tickets[index]?.repo;
  if (repo === undefined || state.brokenBases[repo]?.ticket !== state.plan.tickets[index]?.id) return state;
  const { [repo]: _, ...brokenBases } = state.brokenBases;
  const ending = { endedSeq: state.seq, by: `reverted by ${by.slice(0, 7)}` };
  const incidents = endIncident(state.incidents, { kind: "broken-base", repo }, at, ending);
  return { ...state, brokenBases, incidents };
}

function withFreshCounts(state: RunState, index: number, at: number): RunState {
  const repo = state.plan.tickets[index]?.repo;
  let next = state;
  let other = -1;
  for (const ticket of vecItems(state.tickets)) {
    other += 1;
    const { live, phase } = ticket;
    if (phase !== "landed" || live === undefined || state.plan.tickets[other]?.repo !== repo || isBeingReverted(live)) continue;
    const { givenUp: _, revert, ...rest } = live;
    const kept = revert?.failed === undefined ? {} : { revert };
    next = withTicket(next, other, {
      ...ticket,
      live: { ...rest, ...kept, failed: 0, asked: 0, unfinished: 0, ...again(live, at) },
    });
  }
  return next;
}

/** A check that runs is not started again. */
function again({ checking }: LiveState, at: number): Pick<LiveState, "nextAt"> {
  return checking ? {} : { nextAt: at };
}
