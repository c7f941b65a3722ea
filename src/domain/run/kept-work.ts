import type { Fence, RunId, TicketId } from "../values/ids.ts";
import { plural } from "../values/plural.ts";

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
export interface KeptWorkResult {
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

/** What became of an attempt's work, in words: `work kept on loopdash/run/T-1@2 (3 files)`. Empty if it left none. */
export function describeKeptWork({ kept, notKept }: KeptWorkResult): string {
  if (kept !== undefined) return `work kept on ${kept.branch} (${plural(kept.files, "file")})`;
  return notKept === undefined ? "" : `its work could not be kept: ${notKept}`;
}
