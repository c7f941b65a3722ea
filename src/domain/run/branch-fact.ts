import type { RunId, TicketId } from "../values/ids.ts";
import type { Evidence } from "./attempt-fact.ts";
import { ticketBranch } from "./kept-work.ts";

/** Commits of a person on a branch of a ticket. They never land by themselves. */
export interface PeoplesCommits {
  /** The branch on which they stay. */
  readonly branch: string;
  readonly sha: string;
}

/** The branches of a ticket, as far as people's commits on them are concerned. */
export interface TicketBranches {
  /** The commit at which the engine left each branch, or which it reported as a person's, by name. */
  readonly tips: Readonly<Record<string, string>>;
  /** People's commits, the newest last, at most `KEPT`. */
  readonly people?: readonly PeoplesCommits[];
}

/**
 * Somebody committed on a branch of a ticket: an intervention (I4). Right after this fact, and again on resume, the commits are put
 * on the branch `kept`, which no attempt takes. Texts are safe for a terminal.
 */
export interface BranchFact {
  readonly type: "branch-commits-observed";
  readonly ticket: TicketId;
  /** The branch on which they were found. */
  readonly branch: string;
  readonly sha: string;
  readonly kept: string;
  /** The commits, their authors and times, as they say themselves: nobody has checked it. */
  readonly note: string;
}

/** People's commits that a ticket remembers. */
const KEPT = 5;

/** The branch for a person's commits on the branch of a ticket. An id of a ticket has no "@". */
export function peoplesBranch(run: RunId, ticket: TicketId, sha: string): string {
  return `${ticketBranch(run, ticket)}@person-${sha.slice(0, 8)}`;
}

/** The branches after the engine has moved some of them. */
export function withTips(branches: TicketBranches | undefined, tips: Readonly<Record<string, string>>): TicketBranches {
  return { ...branches, tips: { ...branches?.tips, ...tips } };
}

/** The branches without what is known of one. It is recorded as it is the next time. */
export function withoutTip(branches: TicketBranches | undefined, name: string): TicketBranches {
  const { [name]: _, ...tips } = branches?.tips ?? {};
  return { ...branches, tips };
}

/** The branches after a person's commits were observed. */
export function withPeoplesCommits(
  branches: TicketBranches | undefined,
  { branch, sha, kept }: Pick<BranchFact, "branch" | "sha" | "kept">,
): TicketBranches {
  const next = withTips(branches, { [branch]: sha, [kept]: sha });
  return { ...next, people: [...(next.people ?? []), { branch: kept, sha }].slice(-KEPT) };
}

/** The evidence for the next agent. */
export function evidenceOfCommits({ sha, kept, note }: Pick<BranchFact, "sha" | "kept" | "note">): Evidence {
  const summary = `a person committed on the ticket's branch, and nothing of it has landed. Read it with "git show ${sha}", and take up what is right. It stays on ${kept}: ${note}`;
  return { step: "person", name: "person", summary, detail: "" };
}
