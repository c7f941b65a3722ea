import type { Evidence } from "../run/attempt-fact.ts";
import type { RunEvent } from "../run/event.ts";
import { type RunState, ticketIndex } from "../run/state.ts";
import type { Attempt, TicketState } from "../run/ticket-state.ts";
import type { TicketId } from "../values/ids.ts";
import { firstFewLine, plural } from "../values/text.ts";
import { vecAt } from "../values/vec.ts";
import { halt } from "./backoff.ts";
import { lastingWords } from "./breaker.ts";
import type { HaltedAttempt, SharedFault } from "./halt.ts";
import { outageDeadline } from "./model-outage.ts";
import { requeue, withTicket } from "./queue.ts";

/** Agents in a row that fail by themselves and leave no change: nothing but their program tells them apart. */
const UNCHANGED_ALIKE = 3;
/** Their tickets, at least, before any agent of the run has come to its own end; after that, it takes as many as agents. */
const UNCHANGED_TICKETS = 2;
/** Attempts that fail alike, if they are the first ones of the run or since a shared fault; and those of the last ten. */
const FIRST_ALIKE = 5;
const MOST_ALIKE = 6;
const LAST = 10;
/** Their tickets, at least. */
const TICKETS = 2;

/** Waits before one attempt tries again, in milliseconds. After the last, no agent starts any more. */
const WAITS_MS = [30_000, 5 * 60_000];

/**
 * Records how an attempt ended. Tickets have different work, so a failure that several share is not their own: starts pause, one attempt
 * tries again, and the others start once one ends differently. The shared failures use up no ticket's attempts.
 */
export function afterAttemptEnd(
  state: RunState,
  { id, attempt }: TicketState,
  { outcome, ...event }: Extract<RunEvent, { type: "attempt-ended" }>,
): RunState {
  if (attempt === undefined || attempt.isPlanning === true || state.batch.limits.sharedFaults === 0) return state;
  const evidence = failureEvidence(attempt, { ...event, outcome });
  const isProbe = state.sharedFault?.probe === attempt.fence;
  if (evidence === undefined && outcome !== "done" && outcome !== "landed") return isProbe ? withoutProbe(state) : state;
  const end: HaltedAttempt = evidence === undefined ? { ticket: id } : failedEnd(id, attempt, evidence);
  const recentEnds = [...(state.recentEnds ?? []), end].slice(-LAST);
  const noted = { ...state, recentEnds };
  if (state.sharedFault !== undefined) return duringFault(noted, state.sharedFault, end, { isProbe, at: event.at });
  const alike = alikeAmong(noted, recentEnds);
  return evidence === undefined || alike.length === 0 ? noted : withFault(noted, alike, evidence, event.at);
}

/** The evidence of an attempt that failed. What a model's API turns away has waits and halts of its own. */
function failureEvidence(
  attempt: Attempt,
  { outcome, evidence }: Pick<Extract<RunEvent, { type: "attempt-ended" }>, "outcome" | "evidence">,
): Evidence | undefined {
  if ((attempt.agent?.stop ?? attempt.unanswered) !== undefined) return undefined;
  return outcome === "failed" || outcome === "silent" || outcome === "out-of-time" ? (evidence ?? attempt.refused) : undefined;
}

/** Pauses the starts because of a fault that these attempts share; the last of them left the evidence. */
function withFault(state: RunState, alike: readonly HaltedAttempt[], { step, summary }: Evidence, at: number): RunState {
  const { identity = "", isUnchanged } = alike.at(-1) ?? {};
  const tickets = [...new Set(alike.map(({ ticket }) => ticket))];
  const what = isUnchanged ? "failed alike and changed nothing" : "failed alike";
  const says = `${plural(alike.length, "attempt")}, of ${firstFewLine(tickets, UNCHANGED_ALIKE)}, ${what}: ${summary}`;
  const counted = { ...state, sharedFaults: (state.sharedFaults ?? 0) + 1 };
  const spared = alike.reduce<RunState>((next, { ticket }) => withoutFailure(next, ticket), counted);
  return waiting(spared, { identity, says, todo: TODO[step] ?? OTHERWISE, since: at, probes: 0 }, at);
}

/** An attempt that starts during a pause of the starts is the one that tries again. */
export function withProbe(state: RunState, { fence }: Extract<RunEvent, { type: "attempt-claimed" }>): RunState {
  return state.sharedFault === undefined ? state : { ...state, sharedFault: { ...state.sharedFault, probe: fence } };
}

/** The attempts that may start now: all of them, or the one that tries again. */
export function startsLeft({ sharedFault }: Pick<RunState, "sharedFault">): number {
  if (sharedFault === undefined) return Number.POSITIVE_INFINITY;
  return sharedFault.probe === undefined ? 1 : 0;
}

/** Ready tickets in the order in which they may try again: those that did not fail alike tell more, and a few tickets stop no run alone. */
export function byProbe({ sharedFault, recentEnds = [], tickets }: RunState, ready: readonly number[]): readonly number[] {
  if (sharedFault === undefined) return ready;
  const alike = new Set(recentEnds.flatMap(({ ticket, identity }) => (identity === sharedFault.identity ? [ticket] : [])));
  const hasFailed = (index: number) => alike.has(vecAt(tickets, index).id);
  return [...ready.filter((index) => !hasFailed(index)), ...ready.filter(hasFailed)];
}

function withoutProbe(state: RunState): RunState {
  if (state.sharedFault === undefined) return state;
  const { probe: _, ...sharedFault } = state.sharedFault;
  return { ...state, sharedFault };
}

/** An agent that fails and leaves work behind may go on from it: that is a failure of its own. */
function failedEnd(ticket: TicketId, attempt: Attempt, evidence: Evidence): HaltedAttempt {
  const { agent } = attempt;
  const hasChange = (attempt.kept ?? attempt.notKept ?? attempt.change) !== undefined;
  if (evidence.step === "agent" && (hasChange || agent?.ending !== "exited" || agent.exitCode === 0)) return { ticket };
  const { step, name, summary, firstError, tests = [] } = evidence;
  // Without a first error, its tests or its last words tell it from others.
  const about = firstError ?? tests[0] ?? summary;
  const identity = [step, name, lastingWords(about)].join("\n");
  return { ticket, identity, isUnchanged: evidence.step === "agent" || undefined };
}

/** The ends that show a fault of all: alike, of several tickets; none if there is no such fault. */
function alikeAmong({ claims }: RunState, recent: readonly HaltedAttempt[]): readonly HaltedAttempt[] {
  const last = recent.at(-1);
  if (last?.identity === undefined) return [];
  const alike = recent.filter(({ identity }) => identity === last.identity);
  const tickets = new Set(alike.map(({ ticket }) => ticket)).size;
  const row = recent.slice(-UNCHANGED_ALIKE);
  const inRow = row.filter(({ identity, isUnchanged }) => identity === last.identity && isUnchanged);
  const needed = claims.made > 0 ? UNCHANGED_ALIKE : UNCHANGED_TICKETS;
  if (inRow.length === UNCHANGED_ALIKE && new Set(inRow.map(({ ticket }) => ticket)).size >= needed) return inRow;
  const isMost = (recent.length === FIRST_ALIKE && alike.length === FIRST_ALIKE) || alike.length >= MOST_ALIKE;
  return isMost && tickets >= TICKETS ? alike : [];
}

/** An attempt ends while starts are paused. The same failure costs its ticket nothing; any other end shows that the fault is over. */
function duringFault(
  state: RunState,
  fault: SharedFault,
  end: HaltedAttempt,
  { isProbe, at }: { readonly isProbe: boolean; readonly at: number },
): RunState {
  if (end.identity !== fault.identity) return withoutSharedFault(state);
  const spared = withoutFailure(state, end.ticket);
  if (!isProbe) return spared;
  const { probe: _, ...rest } = fault;
  const next = { ...rest, probes: fault.probes + 1 };
  const isOver = next.probes >= WAITS_MS.length || at >= outageDeadline(state, fault.since);
  if (!isOver) return waiting(spared, next, at);
  const { says, todo } = fault;
  const tried = `${says}; ${plural(next.probes, "more attempt")} failed in the same way`;
  return halt({ ...spared, sharedFault: next }, { kind: "shared-fault", says: tried, todo });
}

function waiting(state: RunState, fault: SharedFault, at: number): RunState {
  const until = Math.max(at, Math.min(at + (WAITS_MS[fault.probes] ?? 0), outageDeadline(state, fault.since)));
  const reason = `${fault.says}; one attempt tries again then, and the others wait for it; ${fault.todo}`;
  return { ...state, sharedFault: fault, backoffDue: { until, reason } };
}

/** The state once the fault is over, or a new engine shows whether it is. */
export function withoutSharedFault(state: RunState): RunState {
  const { sharedFault: _, recentEnds: __, ...rest } = state;
  return rest;
}

/** What to do about failures of a step that several tickets share. */
const TODO: Readonly<Partial<Record<Evidence["step"], string>>> = {
  agent: "mend the agent's program or its settings",
  check: "see whether what the check needs is there, or whether the base is at fault",
  gates: "see what the batch lets tickets change (allow, protect)",
  prepare: "run the prepare commands in a fresh clone to see why",
  worktree: "see what keeps git from making worktrees",
  blocker: "rule on it, or name a reviewer who does",
};
const OTHERWISE = "mend what they have in common";

/** The state without a failure of this ticket that was none of its work. If it was given up for its failures, it is ready again. */
function withoutFailure(state: RunState, id: TicketId): RunState {
  const index = ticketIndex(state, id);
  const { signs: { failure: _, ...signs } = {}, ...ticket } = vecAt(state.tickets, index);
  // A run has an end.
  if (ticket.failures === 0 || (state.sharedFaults ?? 0) > state.batch.limits.sharedFaults) return state;
  const spared = { ...ticket, signs, failures: ticket.failures - 1 };
  // Another attempt at it is under way, or it is over for another reason.
  if (ticket.phase !== "waiting" && ticket.stalledBy !== "attempts") return withTicket(state, index, spared);
  const { stalledReason: __, stalledBy: ___, endedAt: ____, ...open } = spared;
  const exhausted = state.exhausted.filter((other) => other !== index);
  return requeue(withTicket({ ...state, exhausted }, index, { ...open, phase: "waiting" }), index);
}
