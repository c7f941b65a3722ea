import { isAboutForgeRequest } from "../forge/forge-request.ts";
import { countIntervention } from "../results/intervention.ts";
import { pastJudgement, withJudgement } from "../results/judgements.ts";
import { backOff, haltOnUnknownSpend } from "../schedule/backoff.ts";
import { resized } from "../schedule/slots.ts";
import { isAboutApproval } from "./approval-fact.ts";
import type { AuditFact } from "./audit-fact.ts";
import { isAboutBaseCheck } from "./base-check.ts";
import { isAboutBaseMeasure } from "./base-measure.ts";
import type { RunEvent } from "./event.ts";
import { reduceExclusive } from "./exclusive-fact.ts";
import { isAboutGuard } from "./guard-fact.ts";
import { isAboutHeal } from "./heal-fact.ts";
import { isAboutRevert } from "./live-check.ts";
import { isAboutPlan } from "./plan-fact.ts";
import { isAboutProof, type ProofEvent, reduceProof } from "./proof-fact.ts";
import { reduceApproval } from "./reduce-approval.ts";
import { reduceAttempt } from "./reduce-attempt.ts";
import { reduceAudit } from "./reduce-audit.ts";
import { reduceBaseCheck } from "./reduce-base.ts";
import { reduceBaseMeasure } from "./reduce-base-measure.ts";
import { reduceBundle } from "./reduce-bundle.ts";
import { reduceClaim } from "./reduce-claim.ts";
import { type DriftEvent, reduceDrift } from "./reduce-drift.ts";
import { reduceForgeRequest } from "./reduce-forge-request.ts";
import { reduceGuard } from "./reduce-guard.ts";
import { afterProof, reduceHeal } from "./reduce-heal.ts";
import { reduceLive } from "./reduce-live.ts";
import { reduceMergeObserved } from "./reduce-merge-observed.ts";
import { isOutageEvent, type OutageEvent, reduceOutage } from "./reduce-outage.ts";
import { type PeopleEvent, reducePeople } from "./reduce-people.ts";
import { reducePlan } from "./reduce-plan.ts";
import { reduceResumed } from "./reduce-resumed.ts";
import { blame, reduceRevert } from "./reduce-revert.ts";
import { initialState, reduceGrowth } from "./reduce-start.ts";
import { reducePreparing, reduceRemedy, reduceTicket } from "./reduce-ticket.ts";
import type { RunState } from "./state.ts";
import { countSuite, type SuiteFact } from "./suite-fact.ts";
import { type LongWaitFact, type SuspensionFact, withSuspension } from "./suspension.ts";

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
  return isOutageEvent(event) ? reduceOutage(next, event) : reduceRun(next, event);
}

function reduceRun(state: RunState, event: Exclude<RunEvent, OutageEvent>): RunState {
  if (isAboutHeal(event)) return reduceHeal(state, event);
  if (isAboutBaseCheck(event)) return reduceBaseCheck(state, event);
  if (isAboutRevert(event)) return reduceRevert(state, event);
  if (isAboutForgeRequest(event)) return reduceForgeRequest(state, event);
  switch (event.type) {
    case "run-started":
      throw new RangeError("a run starts once");
    case "run-resumed":
      return reduceResumed(state, event);
    case "run-paused":
    case "run-unpaused":
      return { ...state, paused: event.type === "run-paused" };
    case "stop-requested":
      return { ...state, stage: "stopping", stopBy: state.stopBy ?? event.by };
    case "run-ended": {
      const { at, kind, verdict, exitCode, reason } = event;
      return { ...state, stage: "ended", end: { at, kind, verdict, exitCode, reason } };
    }
    case "intervention": {
      const { at, target, note, noted } = event;
      const next = { at, class: event.class, target, note, noted };
      return { ...state, interventions: countIntervention(state.interventions, next) };
    }
    case "workers-set":
      return { ...state, workers: event.workers, slots: resized(state.slots, event.workers) };
    case "command-refused":
    case "reverify-waits":
      return state;
    case "report-dropped":
      return { ...state, droppedReports: state.droppedReports + 1 };
    case "others-spent-today":
      return { ...state, spentTodayUsd: event.usd };
    case "day-spend-unknown":
      return haltOnUnknownSpend(state, event);
    case "reverify-started":
      return { ...state, stage: "verifying" };
    case "reverify-ended":
      return endReverify(state, event);
    case "tripwire-started":
      return { ...state, tripwire: { status: "running", canaries: 0, ms: 0 } };
    case "tripwire-ended":
      return endTripwire(state, event);
    case "oracle-asked":
      return { ...state, stage: event.final ? "judging" : state.stage, oracle: { ...state.oracle, asking: true } };
    case "oracle-judged":
      return judged(state, event);
    case "backoff-started":
      return backOff(state, event);
    case "account-switched":
      return { ...state, accounts: { ...state.accounts, [event.party]: event.to } };
    default:
      return reduceDelegated(state, event);
  }
}

/** A failed proof has the change reverted that it blames. */
function withBlame(state: RunState, event: ProofEvent): RunState {
  if (event.type !== "proof-ended" || event.blamed === undefined) return state;
  const { blamed, summary, check = "check", detail = "", at } = event;
  return blame(state, blamed, at, { step: "check", name: check, summary, detail });
}

type DelegatedEvent =
  | AuditFact
  | LongWaitFact
  | Parameters<typeof reduceBaseMeasure>[1]
  | DriftEvent
  | PeopleEvent
  | ProofEvent
  | SuiteFact
  | SuspensionFact
  | TicketFacts;

/** Folds the events whose reducer has a file of its own. */
function reduceDelegated(state: RunState, event: DelegatedEvent): RunState {
  if (isAboutBaseMeasure(event)) return reduceBaseMeasure(state, event);
  if (isAboutProof(event)) return withBlame(reduceProof(state, event), event);
  switch (event.type) {
    case "engine-suspended":
      return { ...state, ...withSuspension(state, event) };
    case "engine-waits":
      return state;
    case "audit-head":
      return reduceAudit(state, event);
    case "suite-ran":
      return countSuite(state, event);
    case "tracker-read":
    case "tracker-writing":
    case "tracker-written":
    case "tracker-not-written":
    case "tracker-drifted":
    case "tracker-others":
      return reduceDrift(state, event);
    case "fingerprints-recorded":
    case "act-observed":
    case "branch-commits-observed":
      return reducePeople(state, event);
    case "merge-observed":
      return reduceMergeObserved(state, event);
    default:
      return reduceOfTicket(state, event);
  }
}

/** Folds events of one ticket, and of its attempt if it has one. */
function reduceOfTicket(state: RunState, event: TicketFacts): RunState {
  if (isAboutApproval(event)) return reduceApproval(state, event);
  if (isAboutGuard(event)) return reduceGuard(state, event);
  if (isAboutPlan(event)) return reducePlan(state, event);
  switch (event.type) {
    case "remediated":
      return reduceRemedy(state, event);
    case "exclusive-awaited":
    case "exclusive-freed":
      return reduceExclusive(state, event);
    case "reviewer-asked":
    case "reviewer-answered":
    case "step-retried":
    case "preparation-awaited":
    case "prepared":
    case "outbox-refused":
    case "blocker-claimed":
    case "blocker-ruled":
    case "discovery-refused":
      return reduceClaim(state, event);
    case "ticket-discovered":
    case "ticket-added":
    case "discovery-filed":
    case "batch-changed":
      return reduceGrowth(state, event);
    case "prepare-started":
    case "prepare-failed":
    case "step-part-started":
    case "connection-blocked":
      return reducePreparing(state, event);
    case "attempt-bundled":
    case "attempt-not-bundled":
      return reduceBundle(state, event);
    case "live-check-started":
    case "live-check-ended":
      return reduceLive(state, event);
    case "gate-requested":
    case "gate-writing":
    case "gate-postponed":
    case "ticket-gated":
    case "ticket-stalled":
    case "ticket-retried":
    case "ticket-reopened":
      return reduceTicket(state, event);
    default:
      return reduceAttempt(state, event);
  }
}

type TicketFacts = Parameters<
  | typeof reduceApproval
  | typeof reduceGuard
  | typeof reduceExclusive
  | typeof reduceBundle
  | typeof reduceClaim
  | typeof reduceGrowth
  | typeof reduceLive
  | typeof reducePlan
  | typeof reducePreparing
  | typeof reduceRemedy
  | typeof reduceTicket
  | typeof reduceAttempt
>[1];

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
