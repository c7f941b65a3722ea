import { plural } from "../values/plural.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { describeKeptWork, type KeptWorkResult } from "./kept-work.ts";
import { type Attempt, claimsDone, type TicketState } from "./ticket-state.ts";

/**
 * The part of an attempt that is to be kept if it ends with this outcome: its captured change, or its worktree, which is to be
 * captured first. Undefined if there is nothing, if the next attempt continues it, or if the finish line judged it.
 */
export function workToKeep(attempt: Attempt, outcome: AttemptOutcome): "change" | "worktree" | undefined {
  const { agent, change, kept, merge, notKept } = attempt;
  if (outcome === "done" || outcome === "landed" || kept !== undefined || notKept !== undefined || merge !== undefined)
    return undefined;
  if (change !== undefined) {
    const isCutOff = outcome === "killed" || outcome === "gated" || outcome === "closed";
    // No other attempt continues work for a text that a person has rewritten.
    const isUnused = attempt.isOutdated === true && (outcome === "stopped" || outcome === "lost");
    return change.files > 0 && (isCutOff || isUnused) ? "change" : undefined;
  }
  if (agent === undefined || (outcome === "failed" && claimsDone(agent))) return undefined;
  return "worktree";
}

/** The kept work of a ticket's cut-off attempts, the newest first. Attempts that left nothing are left out. */
export function keptWorkOf({ history, attempt }: TicketState): readonly (KeptWorkResult & { readonly n: number })[] {
  const all: readonly (KeptWorkResult & { readonly n: number })[] = attempt === undefined ? history : [...history, attempt];
  return all.filter(({ kept, notKept }) => kept !== undefined || notKept !== undefined).toReversed();
}

/** Attempts of a ticket whose kept work is named; the rest is counted. */
const NAMED = 3;

/** The kept work of a ticket's cut-off attempts, a line each: `attempt 2: work kept on …`, the newest first; then people's commits. */
export function keptWorkLines(ticket: TicketState): readonly string[] {
  const left = keptWorkOf(ticket);
  const lines = left.slice(0, NAMED).map((work) => `attempt ${work.n}: ${describeKeptWork(work)}`);
  const more = left.length > NAMED ? [`${plural(left.length - NAMED, "earlier attempt")} left work, too`] : [];
  const people = ticket.branches?.people ?? [];
  return [
    ...lines,
    ...more,
    ...people.map(({ branch, sha }) => `a person's commits, up to ${sha.slice(0, 7)}, stay on ${branch}`),
  ];
}
