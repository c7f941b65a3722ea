import { plural } from "../values/plural.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { describeLeftWork, type LeftWork } from "./kept-work.ts";
import { type Attempt, claimsDone, type TicketState } from "./ticket-state.ts";

/**
 * What is to be kept of an attempt that ends with this outcome: its captured change, or its worktree, which is to be captured
 * first. Undefined if there is nothing, if the next attempt continues it, or if the finish line judged it.
 */
export function workToKeep(attempt: Attempt, outcome: AttemptOutcome): "change" | "worktree" | undefined {
  const { agent, change, kept, merge, notKept } = attempt;
  if (outcome === "done" || outcome === "landed" || kept !== undefined || notKept !== undefined || merge !== undefined)
    return undefined;
  if (change !== undefined)
    return change.files > 0 && (outcome === "killed" || outcome === "gated" || outcome === "closed") ? "change" : undefined;
  if (agent === undefined || (outcome === "failed" && claimsDone(agent))) return undefined;
  return "worktree";
}

/** What became of a ticket's cut-off attempts, the newest first. Attempts that left nothing are left out. */
export function leftWorkOf({ history, attempt }: TicketState): readonly (LeftWork & { readonly n: number })[] {
  const all: readonly (LeftWork & { readonly n: number })[] = attempt === undefined ? history : [...history, attempt];
  return all.filter(({ kept, notKept }) => kept !== undefined || notKept !== undefined).toReversed();
}

/** Attempts of a ticket whose left work is named; the rest is counted. */
const NAMED = 3;

/** What became of a ticket's cut-off attempts, a line each: `attempt 2: work kept on …`. The newest first. */
export function leftWorkLines(ticket: TicketState): readonly string[] {
  const left = leftWorkOf(ticket);
  const lines = left.slice(0, NAMED).map((work) => `attempt ${work.n}: ${describeLeftWork(work)}`);
  return left.length > NAMED ? [...lines, `${plural(left.length - NAMED, "earlier attempt")} left work, too`] : lines;
}
