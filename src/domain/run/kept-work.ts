import type { Fence, RunId, TicketId } from "../values/ids.ts";
import { plural } from "../values/plural.ts";
import type { AttemptOutcome } from "./attempt-fact.ts";
import { type Attempt, claimsDone, type TicketState } from "./ticket-state.ts";

/** The work of an attempt that was cut off, as one commit on a branch that no later attempt takes. */
export interface KeptWork {
  readonly branch: string;
  readonly sha: string;
  /** The number of changed files. */
  readonly files: number;
}

/** What became of the work that a cut-off attempt left behind. An attempt that left nothing reports neither. */
export type KeptWorkFact =
  /** The commit exists; its branch is made right after this fact, and again on resume. */
  | ({ readonly type: "work-kept"; readonly ticket: TicketId; readonly fence: Fence } & KeptWork)
  /** `why` is one line, safe for a terminal. */
  | { readonly type: "work-not-kept"; readonly ticket: TicketId; readonly fence: Fence; readonly why: string };

/** The part of an attempt that holds what became of its work. */
export interface LeftWork {
  readonly kept?: KeptWork;
  /** The reason why its work could not be kept. */
  readonly notKept?: string;
}

/** The branch of the attempt that works on a ticket. The next attempt takes it over. */
export function ticketBranch(run: RunId, ticket: TicketId): string {
  return `loopdash/${run}/${ticket}`;
}

/** The branch of what the n-th attempt left behind. No ticket's branch can have this name: an id has no "@". */
export function keptBranch(run: RunId, ticket: TicketId, n: number): string {
  return `${ticketBranch(run, ticket)}@${n}`;
}

/**
 * What is to be kept of an attempt that ends with this outcome: its captured change, or its worktree, which is to be captured
 * first. Undefined if there is nothing, if the next attempt continues it, or if the finish line judged it.
 */
export function workToKeep(attempt: Attempt, outcome: AttemptOutcome): "change" | "worktree" | undefined {
  const { agent, change, kept, merge, notKept } = attempt;
  if (outcome === "done" || kept !== undefined || notKept !== undefined || merge !== undefined) return undefined;
  if (change !== undefined) return change.files > 0 && (outcome === "killed" || outcome === "gated") ? "change" : undefined;
  if (agent === undefined || (outcome === "failed" && claimsDone(agent))) return undefined;
  return "worktree";
}

/** What became of a ticket's cut-off attempts, the newest first. Attempts that left nothing are left out. */
export function leftWorkOf({ history, attempt }: TicketState): readonly (LeftWork & { readonly n: number })[] {
  const all: readonly (LeftWork & { readonly n: number })[] = attempt === undefined ? history : [...history, attempt];
  return all.filter(({ kept, notKept }) => kept !== undefined || notKept !== undefined).toReversed();
}

/** What became of an attempt's work, in words: `work kept on loopdash/run/T-1@2 (3 files)`. Empty if it left none. */
export function describeLeftWork({ kept, notKept }: LeftWork): string {
  if (kept !== undefined) return `work kept on ${kept.branch} (${plural(kept.files, "file")})`;
  return notKept === undefined ? "" : `its work could not be kept: ${notKept}`;
}

/** Attempts of a ticket whose left work is named; the rest is counted. */
const NAMED = 3;

/** What became of a ticket's cut-off attempts, a line each: `attempt 2: work kept on …`. The newest first. */
export function leftWorkLines(ticket: TicketState): readonly string[] {
  const left = leftWorkOf(ticket);
  const lines = left.slice(0, NAMED).map((work) => `attempt ${work.n}: ${describeLeftWork(work)}`);
  return left.length > NAMED ? [...lines, `${plural(left.length - NAMED, "earlier attempt")} left work, too`] : lines;
}
