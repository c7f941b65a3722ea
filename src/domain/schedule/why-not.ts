import { awaitsApproval, describeAwaited } from "../run/approval.ts";
import type { BrokenBase } from "../run/broken-base.ts";
import type { LiveState } from "../run/live-check.ts";
import type { Unprepared } from "../run/prepare-fact.ts";
import { unmeasuredFor } from "../run/reduce-base-measure.ts";
import { busySlots, freeSlots, type RunState } from "../run/state.ts";
import { isSettled, type TicketState } from "../run/ticket-state.ts";
import type { TicketId } from "../values/ids.ts";
import { firstFewLine, plural } from "../values/text.ts";
import { formatUtc } from "../values/time.ts";
import { vecAt } from "../values/vec.ts";
import { describeHalt, isBackingOff } from "./backoff.ts";
import { describeBroken, waitsForBase } from "./freeze.ts";
import { gatesBefore } from "./heal.ts";
import { attemptCap, type Cap } from "./money.ts";
import { precedes, soonReady } from "./slot-reservation.ts";
import { describeUnprepared, unpreparedFor } from "./unprepared.ts";

/** The reason why a ticket is not being worked on. `ready` means that the next decision may start it. */
export type Reason =
  | { readonly kind: "active" | "settled" | "ready" | "paused" | "stopping" | "gating" | "filing" | "healing" | "checks-only" }
  | {
      readonly kind: "depends";
      readonly on: readonly TicketId[];
      /** Gated tickets that it waits for, directly or behind others. */
      readonly gated: readonly TicketId[];
      readonly stalled: readonly TicketId[];
      readonly landed: readonly TicketId[];
    }
  /** The tracker lacks it, or has it in a form that cannot be read, so it cannot be judged; or it is on hold there. */
  | { readonly kind: "unavailable"; readonly why: string; readonly isOnHold?: true }
  | { readonly kind: "resource"; readonly resource: string; readonly by: TicketId }
  /** Another run of this machine holds it; `by` is its name, if it is known. */
  | { readonly kind: "elsewhere"; readonly resource: string; readonly by?: string }
  | { readonly kind: "slots"; readonly slots: number }
  | { readonly kind: "finishing"; readonly tickets: number }
  | { readonly kind: "reserved"; readonly by: TicketId }
  /** Its change of danger zones waits for a person's approval. */
  | { readonly kind: "approval"; readonly what: string }
  /** The base that it would land on is broken. */
  | { readonly kind: "base-broken"; readonly repo: string; readonly by: BrokenBase }
  /** The base that it would start from cannot be prepared. */
  | { readonly kind: "unprepared"; readonly repo: string; readonly by: Unprepared }
  /** The checks run on its base first. */
  | { readonly kind: "unmeasured"; readonly repo: string; readonly check?: string }
  /** Its change is in the base, and its live check does not pass yet. */
  | { readonly kind: "landed"; readonly live: LiveState }
  /** No agent starts until then, in milliseconds since the epoch. */
  | { readonly kind: "backoff"; readonly until: number; readonly isAway?: true; readonly fault?: string }
  /** No agent starts any more. */
  | { readonly kind: "halted"; readonly by: NonNullable<RunState["halted"]> }
  | { readonly kind: "money"; readonly cap: Cap; readonly limitUsd: number };

/** The first obstacle of a ticket, in the order in which it would meet them. */
export function whyNot(state: RunState, index: number): Reason {
  const ticket = vecAt(state.tickets, index);
  if (ticket.attempt !== undefined) return { kind: "active" };
  if (isSettled(ticket.phase)) return { kind: "settled" };
  const unavailable = unavailableReason(ticket);
  if (unavailable !== undefined) return unavailable;
  if (ticket.phase === "landed" && ticket.live !== undefined && ticket.gate === undefined)
    return { kind: "landed", live: ticket.live };
  const writing = beingWritten(ticket);
  if (writing !== undefined) return writing;
  if (state.stage === "stopping") return { kind: "stopping" };
  if (ticket.openDeps > 0) return dependencies(state, index);
  if (state.halted !== undefined) return { kind: "halted", by: state.halted };
  const base = baseObstacle(state, index);
  if (base !== undefined) return base;
  const cap = attemptCap(state, ticket);
  if (cap !== undefined) return { kind: "money", cap, limitUsd: state.batch.limits[cap] };
  return resourceObstacle(state, index) ?? globalObstacle(state) ?? roomFor(state, index);
}

/** What keeps agents from a ticket's base: it is broken, cannot be prepared or checked, or is not measured yet. */
function baseObstacle(state: RunState, index: number): Reason | undefined {
  const repo = state.plan.tickets[index]?.repo ?? "";
  const broken = waitsForBase(state, index);
  if (broken !== undefined) return { kind: "base-broken", repo, by: broken };
  const unprepared = unpreparedFor(state, index);
  if (unprepared !== undefined) return { kind: "unprepared", repo, by: unprepared };
  const measure = unmeasuredFor(state, index);
  if (measure === undefined) return undefined;
  return { kind: "unmeasured", repo, check: measure.as === "running" && measure.check ? measure.check : undefined };
}

function unavailableReason({ tracked }: TicketState): Reason | undefined {
  if (tracked?.unavailable === undefined) return undefined;
  return { kind: "unavailable", why: tracked.unavailable, isOnHold: tracked.onHold };
}

/** The obstacle of all tickets that could run. */
function globalObstacle(state: RunState): Reason | undefined {
  if (state.checksOnly) return { kind: "checks-only" };
  if (state.paused) return { kind: "paused" };
  const { asked, running, proving } = state.heals;
  const isHealing = asked || running !== undefined || proving !== undefined;
  return backoffObstacle(state) ?? (isHealing ? { kind: "healing" } : undefined);
}

function resourceObstacle(state: RunState, index: number): Reason | undefined {
  for (const resource of state.plan.tickets[index]?.exclusive ?? []) {
    const by = Object.hasOwn(state.held, resource) ? state.held[resource] : undefined;
    if (by !== undefined) return { kind: "resource", resource, by };
    const elsewhere = Object.hasOwn(state.heldElsewhere, resource) ? state.heldElsewhere[resource] : undefined;
    if (elsewhere !== undefined) return { kind: "elsewhere", resource, ...(elsewhere.by && { by: elsewhere.by }) };
  }
  return undefined;
}

function backoffObstacle(state: RunState): Reason | undefined {
  const backoff = state.backoffDue ?? state.backoff;
  return backoff !== undefined && isBackingOff({ backoff }, state.lastEventAt)
    ? { kind: "backoff", until: backoff.until, isAway: state.outages?.model && true, fault: state.sharedFault?.says }
    : undefined;
}

function roomFor(state: RunState, index: number): Reason {
  if (freeSlots(state).length > 0) return reservedFor(state, index);
  if (busySlots(state) < state.workers) return { kind: "finishing", tickets: state.finishing.length };
  return { kind: "slots", slots: state.workers };
}

/** The reason of a ticket whose gate or filing is being written to the tracker, or whose change a person has to approve. */
function beingWritten(ticket: TicketState): Reason | undefined {
  const { approval, gate, unfiled } = ticket;
  if (gate !== undefined) return { kind: "gating" };
  if (approval !== undefined && awaitsApproval(ticket)) return { kind: "approval", what: describeAwaited(approval) };
  return unfiled === true ? { kind: "filing" } : undefined;
}

/** A slot is free: it is reserved for another ticket, or the next decision gives it to this one. */
function reservedFor(state: RunState, index: number): Reason {
  const reserved = soonReady(state, state.lastEventAt).filter((soon) => precedes(state, soon, index));
  const first = reserved.toSorted((a, b) => (state.plan.rank[b] ?? 0) - (state.plan.rank[a] ?? 0))[0];
  if (first === undefined || reserved.length < freeSlots(state).length) return { kind: "ready" };
  return { kind: "reserved", by: vecAt(state.tickets, first).id };
}

function dependencies(state: RunState, index: number): Reason {
  const open = (state.plan.tickets[index]?.dependsOn ?? []).flatMap((id) => {
    const dep = vecAt(state.tickets, state.plan.index[id] as number);
    return dep.phase === "done" ? [] : [dep];
  });
  const ids = (phase: string) => open.filter((dep) => dep.phase === phase).map((dep) => dep.id);
  return {
    kind: "depends",
    on: open.map((dep) => dep.id),
    gated: gatesBefore(state, index),
    stalled: ids("stalled"),
    landed: ids("landed"),
  };
}

/** The reason in words, for people. */
export function describeReason(reason: Reason): string {
  switch (reason.kind) {
    case "active":
      return "at work";
    case "settled":
      return "settled";
    case "ready":
      return "ready";
    case "checks-only":
      return "not started: this run starts no agent";
    case "paused":
      return "ready; the run is paused";
    case "stopping":
      return "the run is stopping";
    case "gating":
      return "the human gate is being recorded";
    case "healing":
      return "ready; the harness is healed first";
    case "unavailable":
      return reason.isOnHold ? `on hold: ${reason.why}` : `${reason.why}; it cannot be judged`;
    case "filing":
      return "it is being filed in the tracker";
    case "slots":
      return reason.slots === 1 ? "ready; the only slot is busy" : `ready; all ${reason.slots} slots are busy`;
    case "finishing":
      return `ready; ${plural(reason.tickets, "ticket is", "tickets are")} being finished first`;
    case "reserved":
      return `ready; the free slot is reserved for ${reason.by}`;
    case "resource":
      return `${reason.resource} is held by ${reason.by}`;
    case "elsewhere":
      return `${reason.resource} is held by ${reason.by === undefined ? "another run" : `the run ${reason.by}`}`;
    case "approval":
      return `waits for your approval of ${reason.what}`;
    case "money":
      return `one more attempt could exceed limits.${reason.cap} ($${reason.limitUsd})`;
    case "backoff":
      return describeBackoff(reason);
    case "base-broken":
      return describeBroken(reason.by, reason.repo);
    case "unprepared":
      return describeUnprepared(reason.by, reason.repo);
    case "unmeasured":
      return `ready; the base of ${reason.repo} is measured first${reason.check === undefined ? "" : `: check ${reason.check}`}`;
    case "landed":
      return describeLive(reason.live);
    case "halted":
      return describeHalt(reason.by);
    case "depends":
      return describeDependencies(reason);
  }
}

function describeBackoff({ until, isAway, fault }: Extract<Reason, { kind: "backoff" }>): string {
  if (fault !== undefined) return `ready; one attempt tries again at ${formatUtc(until)}, because ${fault}`;
  return `ready; the model's API is ${isAway ? "away, the next retry is at" : "rate limited until"} ${formatUtc(until)}`;
}

/** The state of a landed change that is not live, in words. */
export function describeLive({ sha, failed, givenUp, checking, nextAt, history, waitsFor, untold, revert }: LiveState): string {
  const landed = `landed as ${sha.slice(0, 7)}, not live`;
  if (revert !== undefined && revert.failed === undefined)
    return `${landed}; being reverted${revert.waiting === undefined ? "" : `, which waits: ${revert.waiting}`}`;
  if (waitsFor !== undefined) return `${landed}; ${waitsFor}`;
  const last = history.at(-1);
  if (untold && last !== undefined)
    return `landed as ${sha.slice(0, 7)}, and its live check passes; the tracker cannot be told: ${last.summary}`;
  if (givenUp !== undefined) return `${landed}: ${givenUp}`;
  const checks = `${plural(failed, "live check")} failed${last === undefined ? "" : `, the last: ${last.summary}`}`;
  if (checking) return `${landed}; the check runs; ${checks}`;
  return `${landed}; ${nextAt === undefined ? "" : `checked again at ${formatUtc(nextAt)}; `}${checks}`;
}

function describeDependencies(reason: Extract<Reason, { kind: "depends" }>): string {
  const behind = reason.on.some((id) => reason.gated.includes(id)) ? "" : `${list(reason.on)}, behind `;
  if (reason.gated.length > 0) return `waits for ${behind}${list(reason.gated)}, which a person must finish`;
  if (reason.landed.length > 0) return `waits for ${list(reason.landed)}, which has landed and is not live`;
  if (reason.stalled.length > 0) return `waits for ${list(reason.stalled)}, which is stalled`;
  return `waits for ${list(reason.on)}`;
}

function list(ids: readonly TicketId[]): string {
  return firstFewLine(ids, 4);
}
