import { PREPARE_STEP } from "../batch/step-spec.ts";
import { type CiFact, reduceCi } from "../ci/ci-fact.ts";
import type { PullRequestFact } from "../forge/pull-request-fact.ts";
import { endTicketIncidents } from "../results/incident.ts";
import { afterAgent, markOutage } from "../schedule/backoff.ts";
import { countsAsFailure, signsAfter } from "../schedule/breaker.ts";
import { setAside } from "../schedule/money.ts";
import { dequeue, requeue, shiftDependents, withTicket } from "../schedule/queue.ts";
import { afterAttemptEnd, withProbe } from "../schedule/shared-fault.ts";
import { leftSlot } from "../schedule/slots.ts";
import type { AttemptRef } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { withFailingOnBase } from "./base-fact.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { keptBy } from "./kept-work.ts";
import { hasClaimed, lostUsd, toPastAttempt } from "./past-attempt.ts";
import { leftWork } from "./pending-work.ts";
import { withBase, withLanding, withMergedCommit } from "./reduce-base.ts";
import { branchesAfter } from "./reduce-branch.ts";
import { raisedComplexity } from "./reduce-complexity.ts";
import { closed } from "./reduce-drift.ts";
import { keptWall, withMovedTicket } from "./reduce-heal.ts";
import { endAsLanded } from "./reduce-live.ts";
import { withPeoplesWords } from "./reduce-people.ts";
import { withPullRequest } from "./reduce-pull-request.ts";
import { capturedChange, reflectionsAfter } from "./reduce-reflection.ts";
import { countCheck, countIdle, countRetry, endStep, startStep } from "./reduce-step.ts";
import { dueAfter, withWorktree } from "./reduce-ticket.ts";
import { findAttempt, type Reducers } from "./reducers.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { type Attempt, claimsDone, type TicketState, withEvidence } from "./ticket-state.ts";

type Change<E> = (attempt: Attempt, event: E, ticket: TicketState) => Partial<TicketState>;
type Follow<E> = (state: RunState, event: E, found: { readonly index: number; readonly attempt: Attempt }) => RunState;

/** An event of an attempt under way: what it changes of its ticket, and what follows. `attempt` in `follow` is the one before. */
function onAttempt<E extends RunEvent & AttemptRef>(change: Change<E>, follow?: Follow<E>) {
  return (state: RunState, event: E): RunState => {
    const { index, ticket, attempt } = findAttempt(state, event);
    const after = { ...change(attempt, event, ticket), ...branchesAfter(ticket, event) };
    const next = withTicket(state, index, { ...ticket, ...after });
    return follow === undefined ? next : follow(next, event, { index, attempt });
  };
}

const onPullRequest = <E extends RunEvent & PullRequestFact>(follow?: Follow<E>) =>
  onAttempt<E>((attempt, event, ticket) => withPullRequest(ticket, attempt, event), follow);

const onCi = <E extends RunEvent & CiFact>(follow?: Follow<E>) =>
  onAttempt<E>(({ n }, event, { ci }) => ({ ci: reduceCi(ci, n, event) }), follow);

/** An attempt that continues finished work has no agent that could end. */
const leave = <E extends RunEvent>(state: RunState, { at }: E, { index }: { readonly index: number }): RunState =>
  leaveSlot(state, index, at);

export const ATTEMPT_REDUCERS = {
  "attempt-claimed": claim,
  "worktree-ready": onAttempt(
    (attempt, event) => ({ attempt: withWorktree(attempt, event) }),
    (state, _, { attempt }) => countRetry(state, attempt, { ok: true, step: PREPARE_STEP }),
  ),
  // What the prepare commands printed last is none of its words.
  "agent-launching": onAttempt(({ lastLine: _, ...silent }, { at }) => ({
    attempt: { ...silent, agent: { launchedAt: at }, lastOutputAt: at },
  })),
  "agent-started": onAttempt((attempt, { at, pid, startTime }) => ({
    attempt: { ...attempt, agent: { launchedAt: at, ...attempt.agent, pid, startTime } },
  })),
  activity: onAttempt((attempt, { at, text, lines }) => ({
    attempt: { ...attempt, lastLine: text, lastOutputAt: at, lines: attempt.lines + lines },
  })),
  "agent-spent": onAttempt((attempt, { usd }) => ({ attempt: { ...attempt, spentUsd: usd } })),
  "signals-changed": onAttempt((attempt, { signals }) => ({ attempt: { ...attempt, signals } })),
  "complexity-changed": onAttempt((_, event, ticket) => raisedComplexity(ticket, event)),
  "kill-requested": onAttempt((attempt, { ending }) => ({ attempt: { ...attempt, killing: attempt.killing ?? ending } })),
  "agent-ended": agentEnded,
  "change-captured": onAttempt(
    (attempt, event) => ({ phase: "finishing", attempt: { ...attempt, ...capturedChange(event), idleSince: event.at } }),
    leave,
  ),
  "step-started": onAttempt(
    (attempt, event) => ({ phase: "finishing", attempt: startStep(attempt, event) }),
    (state, { at }, { attempt }) => countIdle(state, attempt, at),
  ),
  "step-ended": onAttempt(
    (attempt, event) => ({ attempt: endStep(attempt, event) }),
    (state, event, { attempt }) => countRetry(countCheck(state, attempt, event), attempt, event),
  ),
  "steps-repeated": onAttempt((attempt, { why }) => ({ attempt: { ...attempt, repeated: why } })),
  "base-failing": onAttempt((_, event, ticket) => ({ failingOnBase: withFailingOnBase(ticket.failingOnBase, event) })),
  "work-kept": onAttempt((attempt, event) => ({
    attempt: { ...attempt, kept: keptBy(event), ...(event.elsewhere && { elsewhere: event.elsewhere }) },
  })),
  "work-not-kept": onAttempt(({ kept: _, ...attempt }, { why }) => ({ attempt: { ...attempt, notKept: why } })),
  "merge-waiting": onAttempt(({ merge: _, ...attempt }, { reason, until, at }) => {
    const since = attempt.waited?.reason === reason ? attempt.waited.since : at;
    return { attempt: { ...attempt, waiting: reason, waited: { reason, since, until: until || undefined } } };
  }),
  // Work that has not landed is kept for the person.
  "landing-gated": onAttempt(({ merge: _, waiting: __, ...attempt }, { step }) => ({
    attempt: { ...attempt, humanStep: step, gatedBy: "forge" },
  })),
  "merge-intended": onAttempt(
    ({ waiting: _, ...attempt }, { from, to, proof }) => ({ attempt: { ...attempt, merge: { from, to, landed: false, proof } } }),
    leave,
  ),
  "merge-landed": onAttempt(
    ({ waiting: _, ...attempt }, { from, to }) => ({ attempt: { ...attempt, merge: { from, to, landed: true } } }),
    (state, event, { index, attempt: { merge } }) => {
      const proof = merge?.to === event.to ? merge.proof : undefined;
      return withMovedTicket(withMergedCommit(withLanding(state, { ...event, proof }), index, event), index);
    },
  ),
  "pull-request-intended": onPullRequest(),
  "pull-request-opened": onPullRequest(),
  "pull-request-read": onPullRequest(),
  "pull-request-merging": onPullRequest(),
  "pull-request-words": onPullRequest(withPeoplesWords),
  "pull-request-rerun": onPullRequest(),
  "pull-request-gated": onPullRequest(),
  "ci-fixed": onCi(),
  "ci-pushed": onCi<EventOf<"ci-pushed">>(withLanding),
  "ci-triaged": onCi(),
  "attempt-ended": endAttempt,
} satisfies Partial<Reducers>;

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

function claim(state: RunState, event: EventOf<"attempt-claimed">): RunState {
  const index = ticketIndex(state, event.ticket);
  const { approval: _, ...ticket } = vecAt(state.tickets, index);
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

function agentEnded(state: RunState, event: EventOf<"agent-ended">): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
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

function endAttempt(state: RunState, event: EventOf<"attempt-ended">): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  const done = event.outcome === "done";
  const evidence = event.evidence ?? attempt.refused;
  const steps = state.plan.tickets[index]?.finish.length ?? 0;
  const reflected = reflectionsAfter(ticket, attempt, event, { evidence, steps });
  const after = { ...afterAttempt(ticket, attempt, event), ...branchesAfter(ticket, event), ...reflected };
  const freed = afterAttemptEnd(free(withTicket(state, index, after), index, ticket, attempt), ticket, event);
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
function free(state: RunState, index: number, ticket: TicketState, attempt: Attempt): RunState {
  return {
    ...state,
    slots: attempt.slotLeftAt === undefined ? leftSlot(state, attempt.slot) : state.slots,
    finishing: state.finishing.filter((other) => other !== index),
    held: Object.fromEntries(Object.entries(state.held).filter(([, by]) => by !== ticket.id)),
    spentUsd: state.spentUsd + lostUsd(attempt),
    reservedUsd: state.reservedUsd - setAside(attempt),
  };
}
