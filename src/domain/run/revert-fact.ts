import type { RepoId, TicketId } from "../values/ids.ts";
import type { Evidence } from "./attempt-fact.ts";
import type { LiveCheck } from "./live-check.ts";

/** A change of a ticket that had landed and was reverted, as a record for people and for the next agent. */
export interface RevertedChange {
  /** The commit that had landed, and the base before it. */
  readonly sha: string;
  readonly from: string;
  /** The commit that reverted it. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The live checks of the change, oldest first. */
  readonly checks: readonly LiveCheck[];
  /** The live check on the base without the change. */
  readonly after: { readonly ok: boolean; readonly summary: string };
  /** The check that failed on the base with the change; absent if its live checks did. */
  readonly failedCheck?: Evidence;
}

interface RevertMove {
  readonly ticket: TicketId;
  readonly repo: RepoId;
  readonly from: string;
  readonly to: string;
}

/** Facts of the engine's reverts. A base has one revert at a time. */
export type RevertFact =
  /** Announces the revert of the ticket's landed change: a candidate is built and checked. */
  | { readonly type: "revert-started"; readonly ticket: TicketId }
  /** The base is moved from `from` to `to` next. */
  | ({ readonly type: "revert-intended" } & RevertMove)
  | ({ readonly type: "revert-landed" } & RevertMove)
  | { readonly type: "revert-waiting"; readonly ticket: TicketId; readonly reason: string }
  /** The live check on the base without the change has ended. The ticket is open again. */
  | { readonly type: "revert-ended"; readonly ticket: TicketId; readonly ok: boolean; readonly summary: string }
  /** It is impossible: its change conflicts with later ones, or a check fails without it. */
  | { readonly type: "revert-failed"; readonly ticket: TicketId; readonly reason: string; readonly detail: string }
  /** The engine stopped before it was over. The next one continues. */
  | { readonly type: "revert-stopped"; readonly ticket: TicketId };

/** True for a fact of a revert, whose type begins with `revert-`. */
export function isAboutRevert<T extends { readonly type: string }>(
  fact: T,
): fact is Extract<T, { readonly type: RevertFact["type"] }> {
  return fact.type.startsWith("revert-");
}
