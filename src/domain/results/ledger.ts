import type { PastAttempt, RunState } from "../run/state.ts";
import { vecItems } from "../values/vec.ts";
import { interventionKind } from "./intervention.ts";

/** The numbers of a run, from its journal alone. Times in milliseconds, money in dollars. */
export interface Ledger {
  readonly tickets: { readonly total: number; readonly done: number; readonly gated: number; readonly open: number };
  readonly attempts: number;
  /**
   * A worker said "I stopped, done" (`made`), and the finish line agreed (`upheld`), or the try that took the claim to it failed
   * (`gap`). The rest was not judged: it is under way, was cut off, or was left to a person.
   */
  readonly claims: { readonly made: number; readonly upheld: number; readonly gap: number };
  /** Questions to the second model, those that got an answer that counts, and their dollars, which are in `costUsd` as well. */
  readonly reviewer: {
    readonly questions: number;
    readonly valid: number;
    readonly usd: number;
    /** Planted defects that it was shown, and whether it saw them. */
    readonly canaries: { readonly seen: number; readonly missed: number };
  };
  /** Walls that workers claimed, those that were upheld, and those that were none. A claim that nobody ruled on is neither. */
  readonly blockers: { readonly claimed: number; readonly upheld: number; readonly fake: number };
  /** Tickets that workers found: filed in the tracker, or refused. */
  readonly discoveries: { readonly filed: number; readonly refused: number };
  /** Steps that were tried once more after a hiccup, and those of them that passed then. */
  readonly transients: { readonly retried: number; readonly passed: number };
  /** Passed checks: with results per test held against the base's, with none on the base, with an exit code and no more. */
  readonly checks: { readonly compared: number; readonly uncompared: number; readonly exitCodeOnly: number };
  readonly interventions: {
    readonly total: number;
    readonly work: number;
    readonly harness: number;
    readonly byClass: Readonly<Record<string, number>>;
  };
  /** What went wrong and was mended without a person: attempts whose ticket a later one shipped, hiccups that passed the second time. */
  readonly fixAndProceed: number;
  /** Repairs of the harness that were begun, and those of them that are in use or were. */
  readonly heals: number;
  readonly healsAccepted: number;
  /** Tickets that were done and found not to be, afterwards. */
  readonly incidents: number;
  readonly pullRequests: number;
  readonly costUsd: number;
  readonly elapsedMs: number;
  readonly agentMs: number;
}

/** Computes the ledger. Pure; the same journal gives the same numbers for ever. */
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
    gap += refutedClaims(ticket.history);
    // What failed before a person had it tried anew was not mended without one.
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
    incidents: state.reopened,
    pullRequests: 0,
    costUsd: state.spentUsd,
    elapsedMs: (state.end?.at ?? state.lastEventAt) - state.startedAt,
    agentMs,
  };
}

function isRecoveredFailure(past: PastAttempt): boolean {
  return past.outcome === "failed" || past.outcome === "silent" || past.outcome === "out-of-time";
}

/** Numbers that the reducer keeps. */
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

/** Claims whose try failed, or the one that went on from it after it was cut off. */
function refutedClaims(history: readonly PastAttempt[]): number {
  let refuted = 0;
  let open = false;
  for (const { claimed, outcome } of history) {
    open ||= claimed;
    if (outcome === "stopped" || outcome === "lost") continue;
    if (open && outcome !== "done" && outcome !== "gated") refuted += 1;
    open = false;
  }
  return refuted;
}
