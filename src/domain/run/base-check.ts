import type { RepoId, TicketId } from "../values/ids.ts";

/** A check that fails on the tip of a base without any change, and that passed on an earlier commit of it in this run. */
export interface FailingCheck {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The tip on which it failed first, and the ticket that landed it; absent if the commit is nobody's of this run. */
  readonly sha: string;
  readonly suspect?: TicketId;
  /** The ticket whose finish line has the check, and the index of the check in it. */
  readonly foundBy: TicketId;
  readonly step: number;
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /**
   * The base as it was known when the check ran last; absent until this engine has run it. If the base moves on, the check runs
   * again.
   */
  readonly seen?: string;
  readonly isRunning?: true;
  /** The last commit that the run had landed through the check before; absent if it had landed none. */
  readonly passed?: string;
  /** True once it has run again on the same tip, before the run ends. */
  readonly isRepeated?: true;
  /** The reason why the suspected change was not reverted, in words. */
  readonly notReverted?: string;
}

/** Facts of checks that run on a base without a change. */
export type BaseCheckFact =
  /** The failed check of a base that has moved on runs again. */
  | { readonly type: "base-check-started"; readonly repo: RepoId }
  | {
      readonly type: "base-check-ended";
      readonly repo: RepoId;
      /** The commit that was checked. */
      readonly sha: string;
      /** The ticket whose finish line has the check, and the index of the check in it. */
      readonly foundBy: TicketId;
      readonly step: number;
      readonly ok: boolean;
      /** One line for people. */
      readonly summary: string;
    }
  /** It could not be finished: it neither passed nor failed. */
  | {
      readonly type: "base-check-stopped";
      readonly repo: RepoId;
      /** The reason, in words; absent if the run stops. */
      readonly reason?: string;
      /** The time of the next try; without it, the check waits for the base to move. Milliseconds since the epoch. */
      readonly nextAt?: number;
    };
