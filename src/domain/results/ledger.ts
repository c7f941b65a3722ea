import type { ReviewerParty } from "../batch/party.ts";
import type { RemedyAction } from "../batch/remedy-spec.ts";
import type { Complexity } from "../complexity/classes.ts";
import type { AttemptOutcome } from "../run/attempt-fact.ts";
import { findLanding } from "../run/carry-over.ts";
import { type GuardCounts, NO_GUARD_COUNTS } from "../run/guard-fact.ts";
import { partyCounts, type ReviewerCounts } from "../run/reviewer-counts.ts";
import type { RunState } from "../run/state.ts";
import { NO_SUITES } from "../run/suite-fact.ts";
import { engineMs } from "../run/suspension.ts";
import type { PastAttempt, TicketState } from "../run/ticket-state.ts";
import { moneyNow } from "../schedule/money.ts";
import { vecItems } from "../values/vec.ts";
import { countFixAndProceed, type FixAndProceed, totalFixes } from "./fix-and-proceed.ts";
import { distinctIncidents, type IncidentKind } from "./incident.ts";
import { interventionKind } from "./intervention.ts";
import { ticketsFrom } from "./linked-tickets.ts";

/** The numbers of a run, computed from its journal alone. Times in milliseconds, money in dollars. */
export interface Ledger {
  readonly tickets: { readonly total: number; readonly done: number; readonly gated: number; readonly open: number };
  readonly attempts: number;
  /**
   * Claims of "I stopped, done" (`made`). The finish line agreed (`upheld`), or the attempt that took the claim to it failed
   * (`gap`). The rest was not judged: it is under way, was cut off, or was left to a person.
   */
  readonly claims: { readonly made: number; readonly upheld: number; readonly gap: number };
  readonly reviewer: ReviewerNumbers;
  /** The numbers of the second reviewer, which are not in those of the other; null if the batch names none. */
  readonly secondReviewer: ReviewerNumbers | null;
  /** Blockers that workers claimed, those that were upheld, and those that do not exist. A claim without a ruling is neither. */
  readonly blockers: { readonly claimed: number; readonly upheld: number; readonly fake: number };
  /** Tickets that workers found: filed in the tracker, or refused. */
  readonly discoveries: { readonly filed: number; readonly refused: number };
  /** Steps that were retried after a transient, and those of them that then passed. */
  readonly transients: { readonly retried: number; readonly passed: number };
  /** Preparations of worktrees and checkouts: those for which commands ran, and those that were copies. */
  readonly preparations: { readonly made: number; readonly reused: number };
  /** What the guards of agents told: claims from within the sandbox. */
  readonly guard: GuardCounts;
  /** Tickets by their class at the end, the difficulty mix of the batch; null without routing by complexity. */
  readonly complexity: Readonly<Record<Complexity, number>> | null;
  /** Passed checks: compared with the base test by test, with no tests on the base to compare with, or by exit code only. */
  readonly checks: { readonly compared: number; readonly uncompared: number; readonly exitCodeOnly: number };
  readonly suites: SuiteNumbers;
  readonly interventions: {
    readonly total: number;
    readonly work: number;
    readonly harness: number;
    readonly byClass: Readonly<Record<string, number>>;
    /** Those that became tickets of the run (S5.32). */
    readonly becameTickets: number;
  };
  /** Failures that were fixed without a person, all causes together. */
  readonly fixAndProceed: number;
  readonly fixAndProceedByCause: FixAndProceed;
  /** What was done about failed gates of agents' behaviour, and what of it helped. */
  readonly remediations: Remediations;
  /** Heals that were started, and those that were accepted. */
  readonly heals: number;
  readonly healsAccepted: number;
  /** Incidents after a landing, all kinds together. */
  readonly incidents: number;
  readonly incidentsByKind: Readonly<Record<"liveChecks" | "brokenBases" | "reopened", number>>;
  readonly costUsd: number;
  /** The run's time, and that of all attempts together, those at work included; without times in which no engine ran. */
  readonly elapsedMs: number;
  readonly agentMs: number;
}

/** The runs of checks' commands. Times in milliseconds. */
export interface SuiteNumbers {
  /** All runs: for candidates, for bases, and for proofs. */
  readonly run: number;
  /** The same per ticket that this run has landed; null if it has landed none, and if nothing has run. */
  readonly perLanded: number | null;
  /** The time of runs for candidates and bases. */
  readonly checkMs: number;
  readonly proofMs: number;
  /** The time that finished work has waited for a command, its train, or its turn to land. */
  readonly waitingMs: number;
}

/** Questions to a reviewer, the valid answers, and their dollars, which `costUsd` includes. */
export interface ReviewerNumbers extends Omit<ReviewerCounts, "asked"> {
  readonly questions: number;
}

/** Computes the ledger. Pure: the same journal always gives the same numbers. */
export function computeLedger(state: RunState): Ledger {
  const { done, "human-gated": gated } = state.counts;
  const total = state.plan.tickets.length;
  const byClass: Record<string, number> = {};
  let work = 0;
  for (const { class: c } of state.interventions) {
    byClass[c] = (byClass[c] ?? 0) + 1;
    if (interventionKind(c) === "work") work += 1;
  }
  const until = state.end?.at ?? state.lastEventAt;
  let attempts = 0;
  let gap = 0;
  let agentMs = 0;
  for (const ticket of vecItems(state.tickets)) {
    const { attempt, history } = ticket;
    const all = attempt === undefined ? history : [...history, { ...attempt, endedAt: until }];
    attempts += all.length;
    agentMs += all.reduce((ms, { startedAt, endedAt }) => ms + engineMs(state, startedAt, endedAt), 0);
    gap += refutedClaims(ticket);
  }
  const fixAndProceedByCause = countFixAndProceed(state);
  return {
    tickets: { total, done, gated, open: total - done - gated },
    attempts,
    claims: { ...state.claims, gap },
    ...growingNumbers(state),
    complexity: classCounts(state),
    checks: {
      compared: state.checks.compared,
      uncompared: state.checks.uncompared,
      exitCodeOnly: state.checks["exit-code"],
    },
    suites: suiteNumbers(state),
    interventions: {
      total: state.interventions.length,
      work,
      harness: state.interventions.length - work,
      byClass,
      becameTickets: state.interventions.filter((each) => ticketsFrom(state, each).length > 0).length,
    },
    fixAndProceed: totalFixes(fixAndProceedByCause),
    fixAndProceedByCause,
    remediations: countRemediations(state),
    heals: state.heals.started,
    healsAccepted: state.heals.accepted,
    incidents: distinctIncidents(state.incidents).length,
    incidentsByKind: {
      liveChecks: countIncidents(state, "live-check"),
      brokenBases: countIncidents(state, "broken-base"),
      reopened: countIncidents(state, "reopened"),
    },
    costUsd: moneyNow(state).spentUsd,
    elapsedMs: engineMs(state, state.startedAt, until),
    agentMs,
  };
}

function suiteNumbers(state: RunState): SuiteNumbers {
  const { base, check, proof, waitingMs } = state.suites ?? NO_SUITES;
  const run = base.runs + check.runs + proof.runs;
  const landings = [...vecItems(state.tickets)].flatMap((ticket) => findLanding(ticket) ?? []);
  const landed = landings.filter(({ earlierRun }) => earlierRun === undefined);
  return {
    run,
    perLanded: run === 0 || landed.length === 0 ? null : run / landed.length,
    checkMs: base.ms + check.ms,
    proofMs: proof.ms,
    waitingMs,
  };
}

function classCounts({ batch, tickets }: RunState): Ledger["complexity"] {
  if (batch.complexity === undefined) return null;
  const counts = { trivial: 0, simple: 0, complex: 0, architectural: 0 };
  for (const { complexity } of vecItems(tickets)) if (complexity !== undefined) counts[complexity.class] += 1;
  return counts;
}

function countIncidents({ incidents }: RunState, kind: IncidentKind): number {
  return distinctIncidents(incidents).filter((incident) => incident.kind === kind).length;
}

/** The numbers that the reducer keeps. */
function growingNumbers(
  state: RunState,
): Pick<Ledger, "reviewer" | "secondReviewer" | "blockers" | "discoveries" | "transients" | "preparations" | "guard"> {
  const { claimed, upheld, rejected } = state.blockers;
  return {
    reviewer: reviewerNumbers(state, "reviewer"),
    secondReviewer: state.batch.secondReviewer === undefined ? null : reviewerNumbers(state, "secondReviewer"),
    blockers: { claimed, upheld, fake: rejected },
    discoveries: state.discoveries,
    transients: state.transients,
    preparations: state.preparations ?? { made: 0, reused: 0 },
    guard: state.guard ?? NO_GUARD_COUNTS,
  };
}

function reviewerNumbers(state: RunState, party: ReviewerParty): ReviewerNumbers {
  const { asked, ...answers } = partyCounts(state, party);
  return { questions: asked, ...answers };
}

/** True for the attempt that landed what is checked still, or what passed a later check: its claim is not refuted. */
function isUndecided({ live, phase }: TicketState, { n, outcome }: Pick<PastAttempt, "n" | "outcome">): boolean {
  if (outcome !== "landed" || live?.attempt !== n) return false;
  return phase === "done" || (phase === "landed" && live.givenUp === undefined);
}

/** Outcomes after which nobody judges the claim. */
const LEFT_TO_PEOPLE: ReadonlySet<AttemptOutcome> = new Set(["gated", "closed", "killed"]);

/** Counts the claims whose attempt failed, or whose continuing attempt failed after a cut-off. */
function refutedClaims(ticket: TicketState): number {
  let refuted = 0;
  let open = false;
  for (const past of ticket.history) {
    const { claimed, outcome } = past;
    open ||= claimed;
    if (outcome === "stopped" || outcome === "lost") continue;
    if (open && outcome !== "done" && !isUnjudged(ticket, past)) refuted += 1;
    open = false;
  }
  return refuted;
}

/** True for an attempt that ended without a verdict on its change. */
function isUnjudged(ticket: TicketState, { n, outcome, unplanned }: PastAttempt): boolean {
  return unplanned === true || LEFT_TO_PEOPLE.has(outcome) || isUndecided(ticket, { n, outcome });
}

/** Remediations (`made`), and those of them after which the ticket landed before any other (`helped`). */
interface RemedyCount {
  readonly made: number;
  readonly helped: number;
}

/** The remediations of a run, all together and by action. */
interface Remediations extends RemedyCount {
  /** Actions that were never taken are left out. */
  readonly byAction: Readonly<Partial<Record<RemedyAction, RemedyCount>>>;
}

/** Counts what was done about failed gates, and what of it helped (S3.35). */
export function countRemediations({ tickets }: Pick<RunState, "tickets">): Remediations {
  const byAction: Partial<Record<RemedyAction, RemedyCount>> = {};
  let all: RemedyCount = NONE;
  for (const ticket of vecItems(tickets))
    for (const [i, { action }] of (ticket.remedies ?? []).entries()) {
      const hasHelped = isFollowedByLanding(ticket, i);
      byAction[action] = plus(byAction[action] ?? NONE, hasHelped);
      all = plus(all, hasHelped);
    }
  return { ...all, byAction };
}

const NONE: RemedyCount = { made: 0, helped: 0 };

function plus({ made, helped }: RemedyCount, hasHelped: boolean): RemedyCount {
  return { made: made + 1, helped: helped + (hasHelped ? 1 : 0) };
}

/** True if the ticket landed in an attempt after its remediation at `i`, before the next one. */
function isFollowedByLanding({ history, remedies = [] }: TicketState, i: number): boolean {
  const from = remedies[i]?.n ?? 0;
  const until = remedies[i + 1]?.n ?? Number.POSITIVE_INFINITY;
  return history.some(({ n, outcome }) => n >= from && n < until && (outcome === "done" || outcome === "landed"));
}
