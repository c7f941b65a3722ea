import { afterHealer } from "../schedule/backoff.ts";
import { TURNED_AWAY } from "../schedule/breaker.ts";
import { isHealable } from "../schedule/heal.ts";
import { isOutage } from "../schedule/model-outage.ts";
import { dequeue, requeue, withTicket } from "../schedule/queue.ts";
import type { TicketId } from "../values/ids.ts";
import { vecAt, vecItems } from "../values/vec.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import type { RunEvent } from "./event.ts";
import type { HealsState, HealUndo, PastHeal } from "./heals-state.ts";
import { renewed } from "./reduce-ticket.ts";
import type { Reducers } from "./reducers.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

export type HealEvent = Extract<
  RunEvent,
  {
    type: "heal-asked" | "heal-dropped" | "heal-started" | "heal-agent-started" | "heal-ended" | "heal-keeping" | "heal-kept";
  }
>;
type Running = NonNullable<HealsState["running"]>;
type EventOf<T extends HealEvent["type"]> = Extract<HealEvent, { type: T }>;

export const HEAL_REDUCERS = {
  "heal-asked": (state) => ({ ...state, heals: { ...state.heals, asked: true } }),
  "heal-dropped": (state) => ({ ...state, heals: { ...state.heals, asked: undefined } }),
  "heal-started": begin,
  "heal-agent-started": (state, { n, pid, startTime }) => ({
    ...state,
    heals: { ...state.heals, running: { ...running(state, n), pid, startTime } },
  }),
  "heal-ended": end,
  "heal-keeping": (state, { n }) => ({ ...state, heals: withPast(state.heals, n, { keep: { as: "keeping", why: "" } }) }),
  "heal-kept": (state, { n, as, why }) => ({ ...state, heals: withPast(state.heals, n, { keep: { as, why } }) }),
} satisfies Partial<Reducers>;

function begin(state: RunState, event: EventOf<"heal-started">): RunState {
  const { n, token, at, reason, reservedUsd, repo } = event;
  const { asked, ...before } = state.heals;
  const optional = { ...(asked && { asked }), ...(repo !== undefined && { repo }) };
  const running = { n, token, startedAt: at, reason, reservedUsd, base: provenVersion(state, repo), ...optional };
  const heals = { ...before, started: n, running };
  return { ...state, stage: "healing", heals, lastFence: token, reservedUsd: state.reservedUsd + reservedUsd };
}

/**
 * The version that a heal of this repository starts from: the last one that moved its stall. What a heal changed without moving
 * anything is dropped by the next one, so that nothing unproven is kept along with it.
 */
function provenVersion({ heals }: RunState, repo: PastHeal["repo"]): number {
  let version = repo === undefined ? 0 : (heals.versions[repo] ?? 0);
  while (version > 0) {
    const heal = heals.past.find(({ n }) => n === version);
    if (heal === undefined || heal.moved.length > 0) break;
    version = heal.base;
  }
  return version;
}

function end(state: RunState, event: EventOf<"heal-ended">): RunState {
  const { reservedUsd, asked = false, reason, startedAt, base, repo } = running(state, event.n);
  const { running: _, ...before } = state.heals;
  const { n, outcome, why, changed, costUsd, answer, wall, at: endedAt } = event;
  const isTried = outcome === "accepted" || outcome === "wall";
  const undo = isTried ? listHealUndos(state, repo, outcome === "wall" ? answer?.prediction : undefined) : [];
  const heal: PastHeal = {
    ...{ n, outcome, why, changed, costUsd, reason, startedAt, endedAt, base, moved: [] },
    stalled: undo.filter(({ phase }) => phase === "stalled").map(({ id }) => id),
    ...(repo !== undefined && { repo }),
    ...(answer !== undefined && { answer }),
    ...(wall !== undefined && { wall }),
    ...(asked && { asked }),
    ...(isTurnedAway(before, event) && { turnedAway: true as const }),
  };
  const again = asked && heal.turnedAway === true ? { asked: true as const } : {};
  const heals = { ...before, past: [...before.past, heal], usd: before.usd + costUsd, ...again };
  const ended: RunState = {
    ...state,
    stage: state.stage === "stopping" ? "stopping" : "working",
    heals,
    reservedUsd: state.reservedUsd - reservedUsd,
    spentUsd: state.spentUsd + event.costUsd,
  };
  const settled = afterHealer(ended, event);
  if (isTried) return retryTickets(settled, heal, undo);
  // A stop, an outage or the loss of its engine says nothing about the heal's outcome. A requested heal does not replace an end.
  const toldNothing = outcome === "lost" || heal.turnedAway === true || state.stage === "stopping" || asked;
  return toldNothing ? settled : { ...settled, heals: { ...heals, givenUp: true } };
}

/**
 * True if the model's API of a heal's agent was away. After some such heals, one whose agent had got answers counts: what it asks
 * may be what the API cannot take.
 */
function isTurnedAway({ past }: Pick<HealsState, "past">, { stop }: EventOf<"heal-ended">): boolean {
  if (stop === undefined || !isOutage(stop.kind)) return false;
  return !stop.answered || past.filter(({ turnedAway }) => turnedAway === true).length < TURNED_AWAY;
}

/** The tickets that a heal reopens, or whose wall is to be ruled on, as they are now. */
function listHealUndos(state: RunState, repo: PastHeal["repo"], named: readonly TicketId[] | undefined): readonly HealUndo[] {
  return [...vecItems(state.tickets)].flatMap((ticket, index): HealUndo[] => {
    if (repo !== undefined && state.plan.tickets[index]?.repo !== repo) return [];
    const { id, phase, failures, signs, stalledReason, stalledBy, endedAt } = ticket;
    if (named === undefined ? !isHealable(ticket) : !named.includes(id)) return [];
    if (phase !== "stalled" && phase !== "waiting") return [];
    const kept = { signs, stalledReason, stalledBy, endedAt };
    const there = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
    return [{ id, phase, failures, ...there }];
  });
}

/**
 * Starts the proof of the oracle, and reopens the tickets of a heal. Those that ran out of attempts start again as if they were
 * new; those before a wall wait for the ruling, with what they have used up.
 */
function retryTickets(state: RunState, heal: PastHeal, undo: readonly HealUndo[]): RunState {
  const { heals } = state;
  const isGap = heal.outcome === "accepted";
  const repos = heal.repo === undefined ? Object.keys(state.batch.repos) : [heal.repo];
  const versions = isGap ? { ...heals.versions, ...Object.fromEntries(repos.map((repo) => [repo, heal.n])) } : heals.versions;
  let next: RunState = {
    ...state,
    heals: {
      ...heals,
      accepted: heals.accepted + (isGap ? 1 : 0),
      versions,
      proving: { n: heal.n, before: heals.versions, undo },
    },
    tripwire: { status: "due", canaries: 0, ms: 0 },
    reverified: false,
  };
  for (const { id } of undo) {
    const index = ticketIndex(next, id);
    const ticket = vecAt(next.tickets, index);
    next = requeue(withTicket(next, index, isGap ? renewed(ticket) : awaitingRuling(ticket, heal.n)), index);
  }
  return next;
}

function awaitingRuling({ stalledReason: _, stalledBy: __, endedAt: ___, ...ticket }: TicketState, wall: number): TicketState {
  return { ...ticket, phase: "waiting", wall };
}

/** The state after the proof of the oracle; `problem` if it failed. A heal that it was about is undone then, and proven without. */
export function afterProof(state: RunState, problem: string | undefined): RunState {
  const { proving, ...heals } = state.heals;
  if (proving === undefined) return state;
  if (problem === undefined) return { ...state, heals };
  const past = heals.past.find(({ n }) => n === proving.n);
  const isGap = past?.outcome === "accepted";
  let next: RunState = {
    ...state,
    heals: {
      ...withPast(heals, proving.n, { reverted: problem }),
      accepted: heals.accepted - (isGap ? 1 : 0),
      versions: proving.before,
      ...(past?.asked === true ? {} : { givenUp: true as const }),
    },
    tripwire: { status: "due", canaries: 0, ms: 0 },
  };
  for (const undo of proving.undo) next = undone(next, undo);
  return next;
}

/** No attempt has started since, but a person may have acted: then the ticket stays as they left it. */
function undone(state: RunState, { id, ...before }: HealUndo): RunState {
  const index = ticketIndex(state, id);
  const { wall: _, ...ticket } = vecAt(state.tickets, index);
  if (ticket.phase !== "waiting" || ticket.gate !== undefined || ticket.attempt !== undefined) return state;
  const next = dequeue(withTicket(state, index, { ...ticket, ...before }), index);
  const exhausted = next.exhausted.filter((other) => other !== index);
  return before.phase === "waiting" ? requeue({ ...next, exhausted }, index) : { ...next, exhausted };
}

/** Notes that a stalled ticket landed with its repository's healed harness in use: the heal moved its stall. */
export function withMovedTicket(state: RunState, index: number): RunState {
  const { id, attempt } = vecAt(state.tickets, index);
  const repo = state.plan.tickets[index]?.repo;
  const n = repo === undefined ? undefined : state.heals.versions[repo];
  const heal = state.heals.past.find((past) => past.n === n);
  // Without an agent an attempt only completes earlier work.
  if (heal === undefined || attempt?.agent === undefined || !heal.stalled.includes(id) || heal.moved.includes(id)) return state;
  return { ...state, heals: withPast(state.heals, heal.n, { moved: [...heal.moved, id] }) };
}

/** Keeps the wall of an attempt that was cut off, so that it is ruled on again. */
export function keptWall(wall: number | undefined, outcome: AttemptOutcome): Pick<TicketState, "wall"> {
  return wall !== undefined && (outcome === "stopped" || outcome === "lost") ? { wall } : {};
}

/** Drops a wall that was rejected. A heal that replaced the run's end has then achieved nothing. */
export function withoutRejectedWall(state: RunState, index: number): RunState {
  const { wall, ...ticket } = vecAt(state.tickets, index);
  if (wall === undefined) return state;
  const isAsked = state.heals.past.find(({ n }) => n === wall)?.asked === true;
  const next = withTicket(state, index, ticket);
  return isAsked ? next : { ...next, heals: { ...next.heals, givenUp: true } };
}

/** Resets records that the last engine may not have finished, so that they are written again. */
export function resetInterruptedKeep(heals: HealsState): HealsState {
  const past = heals.past.map((heal): PastHeal => {
    if (heal.keep?.as !== "keeping") return heal;
    const { keep: _, ...rest } = heal;
    return rest;
  });
  return { ...heals, past };
}

function withPast<T extends Pick<HealsState, "past">>(heals: T, n: number, change: Partial<PastHeal>): T {
  return { ...heals, past: heals.past.map((heal) => (heal.n === n ? { ...heal, ...change } : heal)) };
}

function running({ heals }: RunState, n: number): Running {
  if (heals.running?.n !== n) throw new RangeError(`heal ${n} does not run`);
  return heals.running;
}
