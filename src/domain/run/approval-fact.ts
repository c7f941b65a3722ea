import type { Complexity } from "../complexity/classes.ts";
import type { Fence, TicketId } from "../values/ids.ts";

/** A checked change of danger zones, or of a class that needs a person. It does not land before a person has approved exactly this change. */
export interface AwaitedApproval {
  /** The merge candidate, and the base below it. A person approves by this commit. */
  readonly commit: string;
  readonly base: string;
  /** The digest of what the candidate changes (see `changeDigest`). It stays the same if only other files of the base move on. */
  readonly change: string;
  /** The paths of the zones that it changes, as the rules name them; empty if its class alone needs a person. */
  readonly zones: readonly string[];
  /** How many files of the zones change; without zones, how many files change. */
  readonly files: number;
  /** The class that needs a person; absent if zones alone do. */
  readonly complexity?: Complexity;
  /** Each rule by which it needs a person, in words. */
  readonly why?: readonly string[];
}

/** Facts of approvals. */
export type ApprovalFact =
  | ({ readonly type: "approval-awaited"; readonly ticket: TicketId; readonly fence: Fence } & AwaitedApproval)
  /** A person has approved the change. */
  | { readonly type: "change-approved"; readonly ticket: TicketId; readonly commit: string; readonly change: string };
