import type { Ticket } from "../batch/schema.ts";
import { plural } from "../values/text.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { describeKeptWork, type KeptWorkResult } from "./kept-work.ts";
import { type Attempt, claimsDone, type TicketState } from "./ticket-state.ts";

/**
 * The part of an attempt that is to be kept if it ends with this outcome: its captured change, or its worktree, which is to be
 * captured first. Undefined if there is nothing, if the next attempt continues it, or if the finish line judged it.
 * `keepsFailed`: a change that the finish line has refused is kept, too.
 */
export function workToKeep(
  attempt: Attempt,
  outcome: AttemptOutcome,
  { keepsFailed = false }: { readonly keepsFailed?: boolean } = {},
): "change" | "worktree" | undefined {
  const { agent, change, kept, merge, notKept } = attempt;
  if (outcome === "done" || outcome === "landed" || kept !== undefined || notKept !== undefined || merge !== undefined)
    return undefined;
  if (change !== undefined) {
    const isCutOff = outcome === "killed" || outcome === "gated" || outcome === "closed";
    // No other attempt continues work for a text that a person has rewritten, or that a remediation gave up.
    const isUnused = (attempt.isOutdated || attempt.isRemedied) && (outcome === "stopped" || outcome === "lost");
    const isKept = isCutOff || isUnused || (keepsFailed && outcome === "failed");
    return change.files > 0 && isKept ? "change" : undefined;
  }
  if (agent === undefined || (outcome === "failed" && claimsDone(agent))) return undefined;
  return "worktree";
}

/** True if the change of an attempt has passed the gates and every check of the finish line, and there is a check. */
export function hasPassedChecks({ passed, refused }: Attempt, { finish }: Pick<Ticket, "finish">): boolean {
  if (refused?.step === "check" || !finish.some(({ step }) => step === "check")) return false;
  const isPassed = (step: number) => passed.some(({ index }) => index === step);
  return finish.every(({ step }, index) => (step !== "gates" && step !== "check") || isPassed(index));
}

/** The kept work of a ticket's cut-off attempts, the newest first. Attempts that left nothing are left out. */
export function listKeptWork({ history, attempt }: TicketState): readonly (KeptWorkResult & { readonly n: number })[] {
  const all: readonly (KeptWorkResult & { readonly n: number })[] = attempt === undefined ? history : [...history, attempt];
  return all.filter((work) => describeKeptWork(work) !== "").toReversed();
}

/** Attempts of a ticket whose kept work is named; the rest is counted. */
const NAMED = 3;

/** The kept work of a ticket's cut-off attempts, a line each: `attempt 2: work kept on …`, the newest first; then people's commits. */
export function keptWorkLines(ticket: TicketState): readonly string[] {
  const left = listKeptWork(ticket);
  const lines = left.slice(0, NAMED).map((work) => `attempt ${work.n}: ${describeKeptWork(work)}`);
  const more = left.length > NAMED ? [`${plural(left.length - NAMED, "earlier attempt")} left work, too`] : [];
  const people = ticket.branches?.people ?? [];
  return [
    ...lines,
    ...more,
    ...people.map(({ branch, sha }) => `a person's commits, up to ${sha.slice(0, 7)}, stay on ${branch}`),
  ];
}
