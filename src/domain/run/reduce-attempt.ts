import { PREPARE_STEP } from "../batch/step-spec.ts";
import { isAboutCi, reduceCi } from "../ci/ci-fact.ts";
import { isAboutPullRequest } from "../forge/pull-request-fact.ts";
import { endTicketIncidents } from "../results/incident.ts";
import { afterAgent, markOutage } from "../schedule/backoff.ts";
import { countsAsFailure, signsAfter } from "../schedule/breaker.ts";
import { setAside } from "../schedule/money.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { afterAttemptEnd, withProbe } from "../schedule/shared-fault.ts";
import { leftSlot } from "../schedule/slots.ts";
import { vecAt } from "../values/vec.ts";
import type { ApprovalFact } from "./approval-fact.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { withFailingOnBase } from "./base-fact.ts";
import { isActivity, type RunEvent } from "./event.ts";
import type { GuardFact } from "./guard-fact.ts";
import { keptBy } from "./kept-work.ts";
import { hasClaimed, lostUsd, toPastAttempt } from "./past-attempt.ts";
import { leftWork } from "./pending-work.ts";
import type { PlanFact } from "./plan-fact.ts";
import { withBase, withLanding, withMergedCommit } from "./reduce-base.ts";
import { branchesAfter } from "./reduce-branch.ts";
import type { ClaimEvent } from "./reduce-claim.ts";
import { raisedComplexity } from "./reduce-complexity.ts";
import { closed } from "./reduce-drift.ts";
import { keptWall, withMovedTicket } from "./reduce-heal.ts";
import { endAsLanded } from "./reduce-live.ts";
import { withPeoplesWords } from "./reduce-people.ts";
import { withPullRequest } from "./reduce-pull-request.ts";
import { capturedChange, reflectionsAfter } from "./reduce-reflection.ts";
import type { GrowthEvent } from "./reduce-start.ts";
import { countCheck, countIdle, countRetry, endStep, startStep } from "./reduce-step.ts";
import { dueAfter, type PreparingEvent, withWorktree } from "./reduce-ticket.ts";
import type { RemedyFact } from "./remedy-fact.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { type Attempt, claimsDone, type TicketState, withEvidence } from "./ticket-state.ts";

type AttemptEvent = Exclude<
  Extract<RunEvent, { fence: unknown }>,
  ApprovalFact | ClaimEvent | GrowthEvent | GuardFact | PlanFact | PreparingEvent | RemedyFact
>;
type EventOf<T extends AttemptEvent["type"]> = Extract<AttemptEvent, { type: T }>;

/** Folds the events of an attempt. Facts of another fence never arrive here: `admit` drops them before the journal. */
export function reduceAttempt(state: RunState, event: Exclude<AttemptEvent, { type: "report-dropped" }>): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  if (event.type === "attempt-claimed") return claim(state, index, ticket, event);
  if (event.type === "attempt-ended") return endAttempt(state, index, ticket, event);
  const attempt = ticket.attempt;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  if (event.type === "agent-ended") return agentEnded(state, index, ticket, attempt, event);
  const after = { ...progress(ticket, attempt, event), ...branchesAfter(ticket, event) };
  const next = withTicket(state, index, { ...ticket, ...after });
  if (event.type === "ci-pushed") return withLanding(next, event);
  if (event.type === "merge-landed") {
    const { proof } = attempt.merge?.to === event.to ? attempt.merge : {};
    return withMovedTicket(withMergedCommit(withLanding(next, { ...event, proof }), index, event), index);
  }
  if (event.type === "step-started") return countIdle(next, attempt, event.at);
  if (event.type === "step-ended") return countRetry(countCheck(next, attempt, event), attempt, event);
  if (event.type === "pull-request-words") return withPeoplesWords(next, event);
  if (event.type === "worktree-ready") return countRetry(next, attempt, { ok: true, step: PREPARE_STEP });
  // An attempt that continues finished work has no agent that could end.
  return event.type === "change-captured" || event.type === "merge-intended" ? leaveSlot(next, index, event.at) : next;
}

/** The finish line has the attempt from here on, and another agent may have its slot. */
export function leaveSlot(state: RunState, index: number, at: number): RunState {
  const ticket = vecAt(state.tickets, index);
  const { attempt } = ticket;
  if (attempt === undefined || attempt.slotLeftAt !== undefined) return state;
  // An attempt that continues finished work starts no agent, so its money is free for its questions.
  const unused = attempt.agent === undefined ? attempt.reservedUsd : 0;
  return {
    ...withTicket(state, index, {
      ...ticket,
      attempt: { ...attempt, reservedUsd: attempt.reservedUsd - unused, slotLeftAt: at },
    }),
    reservedUsd: state.reservedUsd - unused,
    slots: leftSlot(state, attempt.slot),
    finishing: [...state.finishing, index],
  };
}

function claim(
  state: RunState,
  index: number,
  { approval: _, ...ticket }: TicketState,
  event: EventOf<"attempt-claimed">,
): RunState {
  const attempt: Attempt = {
    n: event.attempt,
    fence: event.fence,
    slot: event.slot,
    startedAt: event.at,
    reservedUsd: event.reservedUsd,
    lines: 0,
    passed: [],
    ...(ticket.wall === undefined ? {} : { wall: ticket.wall }),
  };
  const held = { ...state.held };
  for (const resource of state.plan.tickets[index]?.exclusive ?? []) held[resource] = ticket.id;
  const next = withProbe(dequeue(withTicket(state, index, { ...ticket, phase: "working", attempt }), index), event);
  return {
    ...next,
    // Another version may have given it up after fewer attempts.
    exhausted: next.exhausted.filter((other) => other !== index),
    held,
    slots: next.slots.with(event.slot, index),
    lastFence: event.fence,
    reservedUsd: state.reservedUsd + event.reservedUsd,
    reverified: false,
  };
}

function agentEnded(
  state: RunState,
  index: number,
  ticket: TicketState,
  attempt: Attempt,
  event: EventOf<"agent-ended">,
): RunState {
  const { ending, exitCode, costUsd, stop, at } = event;
  const stopped = stop === undefined ? {} : { stop: stop.kind };
  const agent = { launchedAt: at, ...attempt.agent, endedAt: at, ending, exitCode, costUsd, ...stopped };
  const now = { ...attempt, agent, ...markOutage(state, "agent", event) };
  const next = withTicket(state, index, { ...ticket, costUsd: ticket.costUsd + costUsd, attempt: now });
  // A plan is no claim to be done.
  const made = state.claims.made + (claimsDone(agent) && !attempt.isPlanning ? 1 : 0);
  return {
    ...afterAgent(leaveSlot(next, index, at), event),
    spentUsd: state.spentUsd + costUsd,
    reservedUsd: state.reservedUsd - attempt.reservedUsd,
    claims: { ...state.claims, made },
  };
}

type ProgressEvent = Exclude<AttemptEvent, { type: "report-dropped" | "attempt-claimed" | "attempt-ended" | "agent-ended" }>;

function progress(ticket: TicketState, attempt: Attempt, event: ProgressEvent): Partial<TicketState> {
  const phase = ticket.phase;
  if (isAboutPullRequest(event)) return { phase, ...withPullRequest(ticket, attempt, event) };
  if (isAboutCi(event)) return { phase, ci: reduceCi(ticket.ci, attempt.n, event) };
  if (isActivity(event)) return { phase, attempt: withActivity(attempt, event) };
  if (event.type === "complexity-changed") return { phase, ...raisedComplexity(ticket, event) };
  switch (event.type) {
    case "worktree-ready":
      return { phase, attempt: withWorktree(attempt, event) };
    case "agent-launching": {
      // What the prepare commands printed last is none of its words.
      const { lastLine: _, ...silent } = attempt;
      return { phase, attempt: { ...silent, agent: { launchedAt: event.at }, lastOutputAt: event.at } };
    }
    case "agent-started":
      return {
        phase,
        attempt: { ...attempt, agent: { launchedAt: event.at, ...attempt.agent, pid: event.pid, startTime: event.startTime } },
      };
    case "signals-changed":
      return { phase, attempt: { ...attempt, signals: event.signals } };
    case "kill-requested":
      return { phase, attempt: { ...attempt, killing: attempt.killing ?? event.ending } };
    case "change-captured":
      return { phase: "finishing", attempt: { ...attempt, ...capturedChange(event), idleSince: event.at } };
    case "step-started":
      return { phase: "finishing", attempt: startStep(attempt, event) };
    case "step-ended":
      return { phase, attempt: endStep(attempt, event) };
    case "steps-repeated":
      return { phase, attempt: { ...attempt, repeated: event.why } };
    case "base-failing":
      return { failingOnBase: withFailingOnBase(ticket.failingOnBase, event) };
    case "work-kept":
      return { phase, attempt: { ...attempt, kept: keptBy(event), ...(event.elsewhere && { elsewhere: event.elsewhere }) } };
    case "work-not-kept": {
      const { kept: _, ...rest } = attempt;
      return { phase, attempt: { ...rest, notKept: event.why } };
    }
    case "merge-waiting": {
      const { merge: _, ...rest } = attempt;
      const { reason, until, at } = event;
      const since = attempt.waited?.reason === reason ? attempt.waited.since : at;
      return { phase, attempt: { ...rest, waiting: reason, waited: { reason, since, until: until || undefined } } };
    }
    case "landing-gated": {
      // Work that has not landed is kept for the person.
      const { merge: _, waiting: __, ...rest } = attempt;
      return { phase, attempt: { ...rest, humanStep: event.step, gatedBy: "forge" } };
    }
    case "merge-intended":
    case "merge-landed": {
      const { waiting: _, ...rest } = attempt;
      return { phase, attempt: { ...rest, merge: attemptMerge(event) } };
    }
  }
}

function attemptMerge({ from, to, ...event }: EventOf<"merge-intended" | "merge-landed">): NonNullable<Attempt["merge"]> {
  if (event.type === "merge-landed") return { from, to, landed: true };
  return { from, to, landed: false, proof: event.proof };
}

function withActivity(attempt: Attempt, event: EventOf<"activity" | "agent-spent">): Attempt {
  if (event.type === "agent-spent") return { ...attempt, spentUsd: event.usd };
  return { ...attempt, lastLine: event.text, lastOutputAt: event.at, lines: attempt.lines + event.lines };
}

function endAttempt(state: RunState, index: number, ticket: TicketState, event: EventOf<"attempt-ended">): RunState {
  const { attempt } = ticket;
  if (attempt === undefined || attempt.fence !== event.fence) throw new RangeError(`no attempt with fence ${event.fence}`);
  const done = event.outcome === "done";
  const evidence = event.evidence ?? attempt.refused;
  const steps = state.plan.tickets[index]?.finish.length ?? 0;
  const reflected = reflectionsAfter(ticket, attempt, event, { evidence, steps });
  const after = { ...afterAttempt(ticket, attempt, event), ...branchesAfter(ticket, event), ...reflected };
  const freed = afterAttemptEnd(leave(withTicket(state, index, after), index, ticket, attempt), ticket, event);
  const hasClaim = hasClaimed(attempt) || ticket.pendingWork?.claimed === true;
  const upheld = state.claims.upheld + (done && hasClaim ? 1 : 0);
  const next: RunState = { ...freed, claims: { ...freed.claims, upheld }, reverified: false };
  if (done) {
    const incidents = endTicketIncidents(next.incidents, ticket.id, event.at);
    return shiftDependents(withBase({ ...next, incidents }, index, event.at), index, -1);
  }
  if (after.closedByPerson === "closing") return withBase(closed(next, index, event.at), index, event.at);
  const gates = after.gate !== undefined && !next.gating.includes(index);
  if (event.outcome === "landed" && !gates)
    return endAsLanded(next, index, { attempt, claimed: hasClaim, event, before: ticket.pendingWork });
  return gates ? { ...next, gating: [...next.gating, index] } : requeue(next, index);
}

/** The ticket after one of its attempts has ended. */
function afterAttempt(ticket: TicketState, attempt: Attempt, event: EventOf<"attempt-ended">): TicketState {
  const { attempt: _, due: ___, pendingWork: before, endedAt: __, wall, ...open } = ticket;
  const done = event.outcome === "done";
  const rest = done ? withoutClosing(open) : open;
  const counted = !isFree(event) && countsAsFailure(ticket, attempt, event.outcome);
  const evidence = event.evidence ?? attempt.refused;
  const signs = signsAfter(ticket, attempt, { outcome: event.outcome, counted, evidence });
  const upheld = event.outcome === "gated" ? (attempt.humanStep ?? before?.humanStep) : undefined;
  // An agent's claim does not change a step that a person has named.
  const gate =
    rest.gate ??
    (upheld === undefined ? undefined : { step: upheld, writing: false, by: attempt.gatedBy ?? ("blocker" as const) });
  const spared = !isFree(event) && isUncountable(event.outcome) && !counted;
  return {
    // The next agent can do nothing about a model's API that turned this one away.
    ...withEvidence(rest, spared ? undefined : evidence),
    phase: done ? "done" : "waiting",
    failures: ticket.failures + (counted ? 1 : 0),
    signs,
    costUsd: ticket.costUsd + lostUsd(attempt),
    history: [...ticket.history, toPastAttempt(ticket, attempt, event)],
    ...(counted ? {} : keptWall(wall, event.outcome)),
    ...(done ? { endedAt: event.at } : {}),
    ...dueAfter(ticket, attempt, event.outcome),
    ...leftWork(attempt, event, before),
    ...(gate === undefined ? {} : { gate }),
  };
}

/** True for an attempt that uses up none of its ticket's attempts, whatever came of it. */
function isFree({ readOnly, unplanned }: EventOf<"attempt-ended">): boolean {
  return readOnly === true || unplanned === true;
}

/** True for an end that may say nothing about the work. */
function isUncountable(outcome: AttemptOutcome): boolean {
  return outcome === "failed" || outcome === "stopped" || outcome === "landed";
}

/** A ticket whose attempt reached its end before a person's act could stop it. */
function withoutClosing<T extends Pick<TicketState, "closedByPerson">>({
  closedByPerson: _,
  ...ticket
}: T): Omit<T, "closedByPerson"> {
  return ticket;
}

/** Returns the attempt's slot, resources and unspent money to the run. */
function leave(state: RunState, index: number, ticket: TicketState, attempt: Attempt): RunState {
  return {
    ...state,
    slots: attempt.slotLeftAt === undefined ? leftSlot(state, attempt.slot) : state.slots,
    finishing: state.finishing.filter((other) => other !== index),
    held: Object.fromEntries(Object.entries(state.held).filter(([, by]) => by !== ticket.id)),
    spentUsd: state.spentUsd + lostUsd(attempt),
    reservedUsd: state.reservedUsd - setAside(attempt),
  };
}
