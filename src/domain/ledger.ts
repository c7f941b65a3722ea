import { interventionKind } from "./intervention.ts";
import type { PastAttempt, RunState } from "./state.ts";
import { vecItems } from "./vec.ts";

/** The numbers of a run, from its journal alone. Times in milliseconds, money in dollars. */
export interface Ledger {
  readonly tickets: { readonly total: number; readonly done: number; readonly gated: number; readonly open: number };
  readonly attempts: number;
  /** A worker said "I stopped, done" (`made`), and the finish line agreed (`upheld`). */
  readonly claims: { readonly made: number; readonly upheld: number };
  /** Passed checks: with results per test held against the base's, with none on the base, with an exit code and no more. */
  readonly checks: { readonly compared: number; readonly uncompared: number; readonly exitCodeOnly: number };
  readonly interventions: {
    readonly total: number;
    readonly work: number;
    readonly harness: number;
    readonly byClass: Readonly<Record<string, number>>;
  };
  /** Attempts that failed and whose ticket was shipped by a later one, without a person. */
  readonly fixAndProceed: number;
  readonly heals: number;
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
  let fixAndProceed = 0;
  let agentMs = 0;
  for (const ticket of vecItems(state.tickets)) {
    attempts += ticket.history.length + (ticket.attempt === undefined ? 0 : 1);
    agentMs += ticket.history.reduce((ms, past) => ms + past.endedAt - past.startedAt, 0);
    if (ticket.phase === "done") fixAndProceed += ticket.history.filter(isMendedFailure).length;
  }
  return {
    tickets: { total, done, gated, open: total - done - gated },
    attempts,
    claims: state.claims,
    checks: {
      compared: state.checks.compared,
      uncompared: state.checks.uncompared,
      exitCodeOnly: state.checks["exit-code"],
    },
    interventions: { total: state.interventions.length, work, harness: state.interventions.length - work, byClass },
    fixAndProceed,
    heals: 0,
    incidents: state.reopened,
    pullRequests: 0,
    costUsd: state.spentUsd,
    elapsedMs: (state.end?.at ?? state.lastEventAt) - state.startedAt,
    agentMs,
  };
}

function isMendedFailure(past: PastAttempt): boolean {
  return past.outcome === "failed" || past.outcome === "silent" || past.outcome === "out-of-time";
}
