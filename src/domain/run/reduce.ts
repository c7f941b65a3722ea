import { countIntervention } from "../results/intervention.ts";
import { pastJudgement, withJudgement } from "../results/judgements.ts";
import { backOff, haltOnUnknownSpend } from "../schedule/backoff.ts";
import { withTicket } from "../schedule/queue.ts";
import { resized } from "../schedule/slots.ts";
import { vecAt } from "../values/vec.ts";
import type { AuditFact } from "./audit-fact.ts";
import type { BundleFact } from "./bundle-fact.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { reduceExclusive } from "./exclusive-fact.ts";
import { countGuard, type GuardFact, NO_GUARD_COUNTS, withGuard } from "./guard-fact.ts";
import { reduceProof } from "./proof-fact.ts";
import { reduceApproval } from "./reduce-approval.ts";
import { ATTEMPT_REDUCERS } from "./reduce-attempt.ts";
import { reduceBaseCheck } from "./reduce-base.ts";
import { reduceBaseMeasure } from "./reduce-base-measure.ts";
import { reduceBranch } from "./reduce-branch.ts";
import { reduceClaim } from "./reduce-claim.ts";
import { DRIFT_REDUCERS } from "./reduce-drift.ts";
import { reduceForgeRequest } from "./reduce-forge-request.ts";
import { afterProof, HEAL_REDUCERS } from "./reduce-heal.ts";
import { reduceLive } from "./reduce-live.ts";
import { reduceMergeObserved } from "./reduce-merge-observed.ts";
import { reduceOutage } from "./reduce-outage.ts";
import { reduceAct, withFingerprints } from "./reduce-people.ts";
import { reducePlan } from "./reduce-plan.ts";
import { reduceResumed } from "./reduce-resumed.ts";
import { blame, reduceRevert } from "./reduce-revert.ts";
import { initialState, reduceGrowth } from "./reduce-start.ts";
import { reducePreparing, reduceRemedy, TICKET_REDUCERS } from "./reduce-ticket.ts";
import { findAttempt, type Reducers } from "./reducers.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { countSuite } from "./suite-fact.ts";
import { withSuspension } from "./suspension.ts";
import type { PastAttempt } from "./ticket-state.ts";

/**
 * The one meaning of a journal: folds an event into the state. Pure. The loop, the dashboard's mirror, resume and replay all use
 * it. Throws if an event does not follow the state (a gap in `seq`, or no `run-started` first), because that is a broken journal
 * or a defect.
 */
export function reduce(state: RunState | undefined, event: RunEvent): RunState {
  if (state === undefined) {
    if (event.type !== "run-started" || event.seq !== 1) throw new RangeError(`a run begins with run-started, not ${event.type}`);
    return initialState(event);
  }
  if (event.seq !== state.seq + 1) throw new RangeError(`event ${event.seq} does not follow event ${state.seq}`);
  const idle = event.type === "run-resumed" ? withSuspension(state, { from: state.lastEventAt, to: event.at }) : {};
  const next = { ...state, seq: event.seq, lastEventAt: event.at, ...idle };
  if (!Object.hasOwn(REDUCERS, event.type)) throw new RangeError(`no event is called ${event.type}`);
  return (REDUCERS[event.type] as (state: RunState, event: RunEvent) => RunState)(next, event);
}

const keep = (state: RunState): RunState => state;

/** The meaning of every event, by subject. */
const REDUCERS: Reducers = {
  "run-started": () => {
    throw new RangeError("a run starts once");
  },
  "run-resumed": reduceResumed,
  "run-paused": (state) => ({ ...state, paused: true }),
  "run-unpaused": (state) => ({ ...state, paused: false }),
  "stop-requested": (state, { by }) => ({ ...state, stage: "stopping", stopBy: state.stopBy ?? by }),
  "run-ended": (state, { at, kind, verdict, exitCode, reason }) => ({
    ...state,
    stage: "ended",
    end: { at, kind, verdict, exitCode, reason },
  }),
  intervention: (state, { at, class: of, target, note, noted }) => ({
    ...state,
    interventions: countIntervention(state.interventions, { at, class: of, target, note, noted }),
  }),
  "workers-set": (state, { workers }) => ({ ...state, workers, slots: resized(state.slots, workers) }),
  "command-refused": keep,
  "engine-suspended": (state, event) => ({ ...state, ...withSuspension(state, event) }),
  "engine-waits": keep,
  "audit-head": reduceAudit,
  "suite-ran": countSuite,

  "reverify-started": (state) => ({ ...state, stage: "verifying" }),
  "reverify-waits": keep,
  "reverify-ended": endReverify,
  "tripwire-started": (state) => ({ ...state, tripwire: { status: "running", canaries: 0, ms: 0 } }),
  "tripwire-ended": endTripwire,
  "oracle-asked": (state, { final }) => ({
    ...state,
    stage: final ? "judging" : state.stage,
    oracle: { ...state.oracle, asking: true },
  }),
  "oracle-judged": judged,

  "others-spent-today": (state, { usd }) => ({ ...state, spentTodayUsd: usd }),
  "day-spend-unknown": haltOnUnknownSpend,
  "backoff-started": backOff,
  "account-switched": (state, { party, to }) => ({ ...state, accounts: { ...state.accounts, [party]: to } }),
  "outage-started": reduceOutage,
  "outage-continues": reduceOutage,
  "outage-ended": reduceOutage,

  ...HEAL_REDUCERS,
  "base-check-started": reduceBaseCheck,
  "base-check-ended": reduceBaseCheck,
  "base-check-stopped": reduceBaseCheck,
  "base-measure-due": reduceBaseMeasure,
  "base-measure-started": reduceBaseMeasure,
  "base-measured": reduceBaseMeasure,
  "base-measure-stopped": reduceBaseMeasure,
  "proof-started": reduceProof,
  "proof-ended": (state, event) => withBlame(reduceProof(state, event), event),
  "proof-stopped": reduceProof,
  "revert-asked": reduceRevert,
  "revert-started": reduceRevert,
  "revert-intended": reduceRevert,
  "revert-landed": reduceRevert,
  "revert-waiting": reduceRevert,
  "revert-ended": reduceRevert,
  "revert-failed": reduceRevert,
  "revert-stopped": reduceRevert,
  "live-check-started": reduceLive,
  "live-check-ended": reduceLive,

  ...DRIFT_REDUCERS,
  "fingerprints-recorded": (state, { fingerprints }) => withFingerprints(state, fingerprints),
  "act-observed": reduceAct,
  "branch-commits-observed": reduceBranch,
  "merge-observed": reduceMergeObserved,
  "forge-request-started": reduceForgeRequest,
  "forge-request-ended": reduceForgeRequest,

  ...TICKET_REDUCERS,
  "exclusive-awaited": reduceExclusive,
  "exclusive-freed": reduceExclusive,
  "ticket-discovered": reduceGrowth,
  "ticket-added": reduceGrowth,
  "discovery-filed": reduceGrowth,
  "batch-changed": reduceGrowth,
  "approval-awaited": reduceApproval,
  "change-approved": reduceApproval,
  "attempt-bundled": reduceBundle,
  "attempt-not-bundled": reduceBundle,
  remediated: reduceRemedy,
  "report-dropped": (state) => ({ ...state, droppedReports: state.droppedReports + 1 }),

  "prepare-started": reducePreparing,
  "prepare-failed": reducePreparing,
  "step-part-started": reducePreparing,
  "connection-blocked": reducePreparing,
  "preparation-awaited": reduceClaim,
  prepared: reduceClaim,
  "reviewer-asked": reduceClaim,
  "reviewer-answered": reduceClaim,
  "step-retried": reduceClaim,
  "outbox-refused": reduceClaim,
  "blocker-claimed": reduceClaim,
  "blocker-ruled": reduceClaim,
  "discovery-refused": reduceClaim,
  "guard-blocked": reduceGuard,
  "guard-dead": reduceGuard,
  "stop-guard-told": reduceGuard,
  "plan-asked": reducePlan,
  "plan-written": reducePlan,
  "plan-judged": reducePlan,
  ...ATTEMPT_REDUCERS,
};

/** A failed proof has the change reverted that it blames. */
function withBlame(state: RunState, event: EventOf<"proof-ended">): RunState {
  const { blamed, summary, check = "check", detail = "", at } = event;
  return blamed === undefined ? state : blame(state, blamed, at, { step: "check", name: check, summary, detail });
}

function endReverify(state: RunState, event: Extract<RunEvent, { type: "reverify-ended" }>): RunState {
  const { reverifyProblem, lookedAt, ...rest } = state;
  const isRepeat = state.reverified && reverifyProblem === undefined && lookedAt !== undefined;
  const { tips } = event;
  const next: RunState = {
    ...rest,
    lookedAt: tips && { tips, repeats: isRepeat ? lookedAt.repeats + 1 : 0 },
    stage: state.stage === "stopping" ? "stopping" : "working",
    reverified: event.reopened === 0 && event.outdated !== true,
    oracle: { ...state.oracle, finalJudgements: 0 },
    transients: {
      retried: state.transients.retried + (event.transients?.retried ?? 0),
      passed: state.transients.passed + (event.transients?.passed ?? 0),
    },
  };
  return event.problem === undefined ? next : { ...next, reverifyProblem: event.problem };
}

/**
 * A tripwire that fires ends the run: workers are stopped, and no verdict of the oracle counts. An unproven one is due again. If it
 * fires after a heal, the heal is undone and the oracle is proven again: only if that fails too, something else is wrong.
 */
function endTripwire(state: RunState, event: Extract<RunEvent, { type: "tripwire-ended" }>): RunState {
  const { ok, problem = "no reason given", canaries, ms } = event;
  if (ok) return afterProof({ ...state, tripwire: { status: "passed", canaries, ms } }, undefined);
  if (event.unproven) return { ...state, tripwire: { status: "due", problem, canaries, ms } };
  if (state.heals.proving !== undefined) return afterProof(state, problem);
  return { ...state, stage: "stopping", tripwire: { status: "fired", problem, canaries, ms } };
}

function judged(state: RunState, event: Extract<RunEvent, { type: "oracle-judged" }>): RunState {
  const { judgement, final, at } = event;
  return {
    ...state,
    stage: state.stage === "judging" ? "working" : state.stage,
    oracle: {
      asking: false,
      judged: state.oracle.judged + 1,
      finalJudgements: state.oracle.finalJudgements + (final ? 1 : 0),
      last: { ...judgement, at, final },
      recent: withJudgement(state.oracle.recent, pastJudgement(event, state.oracleSha)),
    },
  };
}

/** Records what the guard of an attempt told, and counts it. Nothing is decided by it. */
function reduceGuard(state: RunState, event: Extract<RunEvent, GuardFact>): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  return {
    ...withTicket(state, index, { ...ticket, attempt: { ...attempt, ...withGuard(attempt, event) } }),
    guard: countGuard(state.guard ?? NO_GUARD_COUNTS, event),
  };
}

/** Records the end of the audit log, and the commands of an attempt that has not ended. */
function reduceAudit(state: RunState, { segment, n, hash, of }: AuditFact): RunState {
  const next: RunState = { ...state, audit: { segment, n, hash } };
  if (of === undefined) return next;
  const index = ticketIndex(next, of.ticket);
  const ticket = vecAt(next.tickets, index);
  const { attempt } = ticket;
  if (attempt?.n !== of.attempt) return next;
  const unread = of.unread === undefined ? {} : { auditUnread: of.unread };
  return withTicket(next, index, { ...ticket, attempt: { ...attempt, audited: of.rows, ...unread } });
}

/** Records whether the files of a past attempt are listed. */
function reduceBundle(state: RunState, fact: BundleFact): RunState {
  const index = ticketIndex(state, fact.ticket);
  const ticket = vecAt(state.tickets, index);
  const history = ticket.history.map((past) => (past.n === fact.attempt ? withBundle(past, fact) : past));
  return withTicket(state, index, { ...ticket, history });
}

function withBundle({ bundleSha: _, notBundled: __, ...past }: PastAttempt, fact: BundleFact): PastAttempt {
  return fact.type === "attempt-bundled" ? { ...past, bundleSha: fact.sha256 } : { ...past, notBundled: fact.why };
}
