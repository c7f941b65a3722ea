import type { Fence, RunId, TicketId } from "../values/ids.ts";
import { plainText, plural } from "../values/text.ts";

/** The work of an attempt that was cut off, as one commit on a branch that no later attempt takes. */
export interface KeptWork {
  readonly branch: string;
  readonly sha: string;
  /** The number of changed files. */
  readonly files: number;
  /** The base from which it started, if all checks of the finish line have passed it. */
  readonly checkedFrom?: string;
}

/** Work that an agent left outside its worktree's HEAD: on a branch of its own, in a stash, in an open rebase. It is kept on `branch`. */
export interface LeftElsewhere {
  /** The place, in words, with names that the agent chose. */
  readonly where: string;
  readonly branch: string;
  readonly sha: string;
  readonly files: number;
  /** It was the only work, and so it is the attempt's change. */
  readonly isTaken?: true;
}

/** The work of a cut-off attempt was kept, or could not be. An attempt that left nothing reports neither. */
export type KeptWorkFact =
  /** The commit exists; its branch is made right after this fact, and again on resume. */
  | ({ readonly type: "work-kept"; readonly ticket: TicketId; readonly fence: Fence } & KeptWork & Elsewhere)
  /** `why` is one line, safe for a terminal. */
  | { readonly type: "work-not-kept"; readonly ticket: TicketId; readonly fence: Fence; readonly why: string };

/** What an agent left elsewhere; absent: nothing. */
export interface Elsewhere {
  readonly elsewhere?: readonly LeftElsewhere[];
}

/** The part of an attempt that says whether its work was kept. Absent fields: it left none. */
export interface KeptWorkResult extends Elsewhere {
  readonly kept?: KeptWork;
  /** The reason why its work could not be kept. */
  readonly notKept?: string;
}

/** The work that a fact says was kept. */
export function keptBy({ branch, sha, files, checkedFrom }: KeptWork): KeptWork {
  return { branch, sha, files, checkedFrom };
}

/** The branch of the attempt that works on a ticket. The next attempt takes it over. */
export function ticketBranch(run: RunId, ticket: TicketId): string {
  return `loopdash/${run}/${ticket}`;
}

/** The branch with the work of the n-th attempt, if it was cut off. No ticket's branch can have this name: an id has no "@". */
export function keptBranch(run: RunId, ticket: TicketId, n: number): string {
  return `${ticketBranch(run, ticket)}@${n}`;
}

/** What an agent left elsewhere, in words: `work left in a stash, kept on loopdash/run/T-1@2.left-1 at 1a2b3c4 (3 files)`. */
export function describeElsewhere(elsewhere: readonly LeftElsewhere[]): string {
  return elsewhere
    .map(({ where, branch, sha, files, isTaken }) => {
      const taken = isTaken ? "; it is the change, because the worktree had none" : "";
      return `work left in ${plainText(where, 120)}, kept on ${branch} at ${sha.slice(0, 7)} (${plural(files, "file")})${taken}`;
    })
    .join("; ");
}

/** The result of keeping an attempt's work, in words: `work kept on loopdash/run/T-1@2 (3 files)`. Empty if it left none. */
export function describeKeptWork({ kept, notKept, elsewhere = [] }: KeptWorkResult): string {
  const own = kept === undefined ? [] : [`work kept on ${kept.branch} (${plural(kept.files, "file")})`];
  const lost = notKept === undefined ? [] : [`its work could not be kept: ${notKept}`];
  return [...own, ...lost, ...(elsewhere.length > 0 ? [describeElsewhere(elsewhere)] : [])].join("; ");
}
