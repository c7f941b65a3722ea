import type { RunState } from "../run/state.ts";
import type { PastAttempt, TicketState } from "../run/ticket-state.ts";
import { vecItems } from "../values/vec.ts";
import { interventionKind } from "./intervention.ts";

/** The numbers of a run, computed from its journal alone. Times in milliseconds, money in dollars. */
export interface Ledger {
  readonly tickets: { readonly total: number; readonly done: number; readonly gated: number; readonly open: number };
  readonly attempts: number;
  /**
   * Claims of "I stopped, done" (`made`). The finish line agreed (`upheld`), or the attempt that took the claim to it failed
   * (`gap`). The rest was not judged: it is under way, was cut off, or was left to a person.
   */
  readonly claims: { readonly made: number; readonly upheld: number; readonly gap: number };
  /** Questions to the reviewer, the valid answers, and their dollars, which `costUsd` includes. */
  readonly reviewer: {
    readonly questions: number;
    readonly valid: number;
    readonly usd: number;
    /** Planted defects that the reviewer saw or missed. */
    readonly canaries: { readonly seen: number; readonly missed: number };
  };
  /** Blockers that workers claimed, those that were upheld, and those that do not exist. A claim without a ruling is neither. */
  readonly blockers: { readonly claimed: number; readonly upheld: number; readonly fake: number };
  /** Tickets that workers found: filed in the tracker, or refused. */
  readonly discoveries: { readonly filed: number; readonly refused: number };
  /** Steps that were retried after a transient, and those of them that then passed. */
  readonly transients: { readonly retried: number; readonly passed: number };
  /** Passed checks: compared with the base test by test, with no tests on the base to compare with, or by exit code only. */
  readonly checks: { readonly compared: number; readonly uncompared: number; readonly exitCodeOnly: number };
  readonly interventions: {
    readonly total: number;
    readonly work: number;
    readonly harness: number;
    readonly byClass: Readonly<Record<string, number>>;
  };
  /**
   * Failures that were fixed without a person: failed attempts of tickets that a later attempt shipped, and transients whose
   * retry passed.
   */
  readonly fixAndProceed: number;
  /** Heals that were started, and those that were accepted. */
  readonly heals: number;
  readonly healsAccepted: number;
  /** Tickets that were done and later found not to be. */
  readonly incidents: number;
  readonly pullRequests: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  readonly agentMs: number;
}

/** Computes the ledger. Pure: the same journal always gives the same numbers. */
export function ledgerOf(state: RunState): Ledger {
  const { done, "human-gated": gated } = state.counts;
  const total = state.plan.tickets.length;
  const byClass: Record<string, number> = {};
  let work = 0;
  for (const { class: c } of state.interventions) {
    byClass[c] = (byClass[c] ?? 0) + 1;
    if (interventionKind(c) === "work") work += 1;
  }
  let attempts = 0;
  let fixAndProceed = state.transients.passed;
  let gap = 0;
  let agentMs = 0;
  for (const ticket of vecItems(state.tickets)) {
    attempts += ticket.history.length + (ticket.attempt === undefined ? 0 : 1);
    agentMs += ticket.history.reduce((ms, past) => ms + past.endedAt - past.startedAt, 0);
    gap += refutedClaims(ticket);
    // A failure before a person's retry was not fixed without a person.
    const alone = ticket.history.slice(ticket.retriedAfter ?? 0);
    if (ticket.phase === "done") fixAndProceed += alone.filter(isRecoveredFailure).length;
  }
  return {
    tickets: { total, done, gated, open: total - done - gated },
    attempts,
    claims: { ...state.claims, gap },
    ...growingNumbers(state),
    checks: {
      compared: state.checks.compared,
      uncompared: state.checks.uncompared,
      exitCodeOnly: state.checks["exit-code"],
    },
    interventions: { total: state.interventions.length, work, harness: state.interventions.length - work, byClass },
    fixAndProceed,
    heals: state.heals.started,
    healsAccepted: state.heals.accepted,
    incidents: state.incidents.length,
    pullRequests: 0,
    costUsd: state.spentUsd,
    elapsedMs: (state.end?.at ?? state.lastEventAt) - state.startedAt,
    agentMs,
  };
}

function isRecoveredFailure(past: PastAttempt): boolean {
  return past.outcome === "failed" || past.outcome === "silent" || past.outcome === "out-of-time";
}

/** The numbers that the reducer keeps. */
function growingNumbers(state: RunState): Pick<Ledger, "reviewer" | "blockers" | "discoveries" | "transients"> {
  const { asked, ...answers } = state.reviewer;
  const { claimed, upheld, rejected } = state.blockers;
  return {
    reviewer: { questions: asked, ...answers },
    blockers: { claimed, upheld, fake: rejected },
    discoveries: state.discoveries,
    transients: state.transients,
  };
}

/** True for the attempt that landed what is checked still, or what passed a later check: its claim is not refuted. */
function isUndecided({ live, phase }: TicketState, { n, outcome }: Pick<PastAttempt, "n" | "outcome">): boolean {
  if (outcome !== "landed" || live?.attempt !== n) return false;
  return phase === "done" || (phase === "landed" && live.givenUp === undefined);
}

/** Counts the claims whose attempt failed, or whose continuing attempt failed after a cut-off. */
function refutedClaims(ticket: TicketState): number {
  let refuted = 0;
  let open = false;
  for (const { claimed, n, outcome } of ticket.history) {
    open ||= claimed;
    if (outcome === "stopped" || outcome === "lost") continue;
    if (open && outcome !== "done" && outcome !== "gated" && !isUndecided(ticket, { n, outcome })) refuted += 1;
    open = false;
  }
  return refuted;
}
