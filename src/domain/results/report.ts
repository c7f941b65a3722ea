import type { Ticket } from "../batch/schema.ts";
import { isCriterion, stepName } from "../batch/step-spec.ts";
import { isBranchRun } from "../ci/ci-run.ts";
import { type CiStopReason, ciStopReason } from "../ci/stop-reason.ts";
import type { ComplexityRuling } from "../complexity/classes.ts";
import type { FailingOnBase } from "../run/base-fact.ts";
import { findLanding } from "../run/carry-over.ts";
import type { KeptWork } from "../run/kept-work.ts";
import { isLandedNotLive } from "../run/live-check.ts";
import type { EvidenceChange } from "../run/oracle-evidence.ts";
import type { TicketPlan } from "../run/plan-fact.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { listKeptWork } from "../run/work-to-keep.ts";
import { ticketUsd } from "../schedule/money.ts";
import { plannedTicket } from "../schedule/plan.ts";
import { vecItems } from "../values/vec.ts";
import { findBuiltWork } from "./built.ts";
import { type HealResult, listHealResults } from "./heal-results.ts";
import { distinctIncidents, type Incident } from "./incident.ts";
import { type Intervention, interventionKind } from "./intervention.ts";
import type { JudgementRecord } from "./judgements.ts";
import { computeLedger, type Ledger } from "./ledger.ts";
import { ticketsFrom } from "./linked-tickets.ts";
import { outcomes } from "./outcomes.ts";
import { type PullRequestReport, pullRequestReports } from "./pull-request-report.ts";
import { computeTrend, type EarlierRun, type TrendPoint } from "./trend.ts";

/** The output of `loopdash report --json`: a stable contract. */
export interface RunReport {
  readonly run: string;
  readonly batch: string;
  readonly verdict: "done" | "not-done" | "unjudged";
  readonly reason: string;
  /** null while the run goes on. */
  readonly exitCode: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly sandboxed: boolean;
  readonly tickets: readonly ReportTicket[];
  readonly interventions: Ledger["interventions"];
  /** The interventions, in order. */
  readonly interventionList: readonly ReportIntervention[];
  readonly fixAndProceed: number;
  readonly fixAndProceedByCause: Ledger["fixAndProceedByCause"];
  readonly remediations: Ledger["remediations"];
  readonly heals: number;
  readonly healsAccepted: number;
  /** The result of each heal, oldest first. */
  readonly healResults: readonly HealResult[];
  readonly incidents: number;
  readonly incidentsByKind: Ledger["incidentsByKind"];
  /** Times in which no engine ran (ISO 8601, UTC); then the incidents. Both in order. */
  readonly suspensions: readonly { readonly from: string; readonly to: string }[];
  readonly incidentList: readonly ReportIncident[];
  /** The pull requests of its tickets. */
  readonly pullRequests: readonly PullRequestReport[];
  /** Why its loop over the checks of a branch stopped; null for any other run, and while it goes on. */
  readonly ci: { readonly stopReason: CiStopReason } | null;
  readonly costUsd: number;
  readonly claims: Ledger["claims"];
  readonly checks: Ledger["checks"];
  readonly reviewer: Ledger["reviewer"];
  /** The numbers of the second reviewer; null if the batch names none. */
  readonly secondReviewer: Ledger["secondReviewer"];
  readonly blockers: Ledger["blockers"];
  readonly discoveries: Ledger["discoveries"];
  /** Tickets by class; null without routing by complexity. */
  readonly complexity: Ledger["complexity"];
  readonly transients: Ledger["transients"];
  readonly preparations: Ledger["preparations"];
  /** What the guards of agents told: claims from within the sandbox. */
  readonly guard: Ledger["guard"];
  readonly attempts: number;
  /** Every judgement of the oracle, oldest first. */
  readonly judgements: readonly ReportJudgement[];
  /** The last runs of the batch file, oldest first. The last one is this run. */
  readonly trend: readonly TrendPoint[];
}

/** An intervention. Times in ISO 8601, UTC. */
interface ReportIntervention {
  readonly at: string;
  readonly class: Intervention["class"];
  readonly kind: "work" | "harness";
  readonly target: string;
  readonly note: string;
  /** True if a person noted it afterwards. */
  readonly noted: boolean;
  /** True if loopdash saw the act outside itself: in the tracker, in git or in files. */
  readonly observed: boolean;
  /** The tickets that it became. */
  readonly tickets: readonly string[];
}

/** An incident. Times in ISO 8601, UTC. */
interface ReportIncident {
  readonly kind: Incident["kind"];
  readonly startedAt: string;
  /** null while it lasts. */
  readonly endedAt: string | null;
  /** Milliseconds; null while it lasts. */
  readonly durationMs: number | null;
  readonly ticket: string | null;
  readonly repo: string | null;
  readonly summary: string;
}

/** A judgement of the oracle. Times in ISO 8601, UTC. */
interface ReportJudgement {
  readonly at: string;
  /** True if it was asked to end the run. */
  readonly final: boolean;
  readonly verdict: "done" | "not-done" | "unjudged";
  /** sha256 of the oracle's bytes that judged. */
  readonly oracleSha: string;
  readonly counts: JudgementRecord["counts"];
  readonly problem: string | null;
  readonly durationMs: number;
  /** The oracle's evidence that differs from the judgement before; null if it gave none. */
  readonly evidence: EvidenceChange | null;
}

/** The plan of a ticket. */
interface ReportPlan extends Pick<TicketPlan, "state" | "attempt" | "refusals"> {
  readonly digest: string | null;
}

export interface ReportTicket {
  readonly id: string;
  readonly title: string;
  readonly state: "done" | "human-gated" | "open";
  readonly attempts: number;
  readonly costUsd: number;
  /** The commit that landed it, also if an earlier run did; null if nothing has landed. */
  readonly mergedSha: string | null;
  /** The run that landed `mergedSha`: this one, or an earlier one of the batch file. */
  readonly landedInRun: string | null;
  /** Present for an open ticket whose change is in the base and whose live check does not pass; else null. */
  readonly landed: ReportLanded | null;
  /** True if a person closed it in the tracker: nothing of loopdash settled it. */
  readonly closedByPerson: boolean;
  readonly humanStep: string | null;
  /** What is built of a human-gated ticket; null if nothing is, and for any other. `passed`: its checks, null without any. */
  readonly built: { readonly sha: string; readonly where: string; readonly passed: boolean | null } | null;
  /** The reason why an open ticket is open, as the summary gives it; null for any other. */
  readonly whyOpen: string | null;
  /** The reason why an open ticket was given up, if it was. */
  readonly stalledReason: string | null;
  /** What people call it in the tracker, if that is not its id (`ENG-31` for `ENG-7-d1`); else null. */
  readonly serviceId: string | null;
  /** Its page in the tracker; null if none is known. */
  readonly url: string | null;
  /** The ticket whose worker found this one; null if the batch named it. */
  readonly foundBy: string | null;
  /** Ids of the tests that this ticket must turn green. */
  readonly fixes: readonly string[];
  /** Its class so far, and what put it there; null without routing by complexity. */
  readonly complexity: ComplexityRuling | null;
  /** The state of its plan, the attempt that wrote it, its digest, and how many were refused; null without one. */
  readonly plan: ReportPlan | null;
  /** Its contract, as the run froze it: the file and the sha256 of its text; null if it has none. */
  readonly contract: { readonly path: string; readonly sha: string; readonly criteria: readonly string[] } | null;
  /** Tests that fail on the ticket's base and do not count for it, by check: their number, and the first of them. */
  readonly failingOnBase: readonly FailingOnBase[];
  /** The work of attempts that were cut off, each on a branch of its own; the newest first. */
  readonly keptWork: readonly (KeptWork & { readonly attempt: number })[];
  /** Attempts that were cut off and whose work could not be kept, and why; the newest first. */
  readonly lostWork: readonly { readonly attempt: number; readonly why: string }[];
}

/** A landed change that is not live. */
export interface ReportLanded {
  readonly sha: string;
  /** Failed live checks in a row. */
  readonly failedChecks: number;
  readonly lastCheck: { readonly at: string; readonly ok: boolean; readonly summary: string; readonly output: string } | null;
  /** The reason why it is no longer checked by itself, if it is not. */
  readonly givenUp: string | null;
}

/**
 * Computes the report of a running or ended run. A run without an end is `unjudged`. `earlier`: earlier runs of its batch file,
 * newest first. `judgements`: those of its journal.
 */
export function computeReport(
  state: RunState,
  earlier: readonly EarlierRun[] = [],
  judgements: readonly JudgementRecord[] = [],
): RunReport {
  const { tickets: _, agentMs: __, elapsedMs: ___, ...numbers } = computeLedger(state);
  const whyOpen = new Map(outcomes(state).open.map(({ ticket, why }) => [ticket.id, why]));
  return {
    run: state.run,
    batch: state.batch.name,
    verdict: state.end?.verdict ?? "unjudged",
    reason: state.end?.reason ?? "the run has not ended",
    exitCode: state.end?.exitCode ?? null,
    startedAt: iso(state.startedAt),
    endedAt: state.end === undefined ? null : iso(state.end.at),
    sandboxed: state.sandboxed,
    tickets: [...vecItems(state.tickets)].map((ticket) => reportTicket(state, ticket, whyOpen.get(ticket.id) ?? null)),
    ...numbers,
    healResults: listHealResults(state),
    interventionList: state.interventions.map((each) => ({
      at: iso(each.at),
      class: each.class,
      kind: interventionKind(each.class),
      target: each.target,
      note: each.note,
      noted: each.noted === true,
      observed: each.observed === true,
      tickets: ticketsFrom(state, each),
    })),
    incidentList: distinctIncidents(state.incidents).map(({ kind, at, endedAt, ticket, repo, summary }) => ({
      kind,
      startedAt: iso(at),
      endedAt: endedAt === undefined ? null : iso(endedAt),
      durationMs: endedAt === undefined ? null : endedAt - at,
      ticket: ticket ?? null,
      repo: repo ?? null,
      summary,
    })),
    suspensions: (state.suspensions ?? []).map(({ from, to }) => ({ from: iso(from), to: iso(to) })),
    pullRequests: pullRequestReports(state),
    ci: state.end !== undefined && isBranchRun(state) ? { stopReason: ciStopReason(state) } : null,
    judgements: judgements.map(({ at, final, verdict, oracleSha, counts, problem, durationMs, evidence }) => ({
      at: iso(at),
      final,
      verdict,
      oracleSha,
      counts,
      problem: problem ?? null,
      durationMs,
      evidence: evidence ?? null,
    })),
    trend: computeTrend(state, earlier),
  };
}

function reportBuilt(ticket: TicketState, spec: Ticket): ReportTicket["built"] {
  const built = ticket.phase === "human-gated" ? findBuiltWork(ticket, spec) : undefined;
  return built === undefined ? null : { ...built, passed: built.passed ?? null };
}

function reportTicket(state: RunState, ticket: TicketState, whyOpen: string | null): ReportTicket {
  const spec = plannedTicket(state.plan, ticket.id);
  const left = listKeptWork(ticket);
  const landing = findLanding(ticket);
  const settled = ticket.phase === "done" || ticket.phase === "human-gated" ? ticket.phase : "open";
  return {
    id: ticket.id,
    title: spec.title,
    state: settled,
    attempts: ticket.history.length + (ticket.attempt === undefined ? 0 : 1),
    costUsd: ticketUsd(ticket),
    mergedSha: landing?.sha ?? null,
    landedInRun: landing === undefined ? null : (landing.earlierRun ?? state.run),
    landed: reportLanded(ticket),
    closedByPerson: ticket.closedByPerson === "closed",
    humanStep: settled === "human-gated" ? (ticket.humanStep ?? null) : null,
    built: reportBuilt(ticket, spec),
    whyOpen,
    stalledReason: ticket.stalledReason ?? null,
    serviceId: ticket.tracked?.serviceId ?? null,
    url: ticket.tracked?.url ?? null,
    foundBy: ticket.foundBy ?? null,
    fixes: spec?.fixes ?? [],
    complexity: ticket.complexity ?? null,
    plan: reportPlan(ticket),
    contract: reportContract(spec),
    failingOnBase: ticket.failingOnBase ?? [],
    keptWork: left.flatMap(({ n, kept }) => (kept === undefined ? [] : [{ attempt: n, ...kept }])),
    lostWork: left.flatMap(({ n, notKept }) => (notKept === undefined ? [] : [{ attempt: n, why: notKept }])),
  };
}

/** Without its words, which are an agent's. */
function reportPlan({ plan }: TicketState): ReportPlan | null {
  if (plan === undefined) return null;
  const { state, attempt, refusals, digest = null } = plan;
  return { state, attempt, refusals, digest };
}

function reportContract({ contract, finish }: Ticket): ReportTicket["contract"] {
  if (contract === undefined) return null;
  return { path: contract.path, sha: contract.sha, criteria: finish.filter(isCriterion).map(stepName) };
}

function reportLanded(ticket: TicketState): ReportLanded | null {
  const { live } = ticket;
  if (live === undefined || !isLandedNotLive(ticket)) return null;
  const last = live.history.at(-1);
  return {
    sha: live.sha,
    failedChecks: live.failed,
    lastCheck: last === undefined ? null : { at: iso(last.at), ok: last.ok, summary: last.summary, output: live.detail },
    givenUp: live.givenUp ?? null,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
