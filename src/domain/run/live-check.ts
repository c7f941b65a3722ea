import type { Batch } from "../batch/schema.ts";
import { nthDelay } from "../values/delays.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import type { Evidence } from "./attempt-fact.ts";

/** The engine's revert of a landed change that has broken its base (`onBroken: "revert"`). */
export interface RevertState {
  /** The time of its decision. Milliseconds since the epoch. */
  readonly since: number;
  /** Set once it is about to land: the base before it, and its commit. */
  readonly from?: string;
  readonly to?: string;
  readonly hasLanded?: true;
  /** The reason why it cannot land yet. */
  readonly waiting?: string;
  /** The reason why it is impossible: the base is frozen instead. */
  readonly failed?: string;
  /** Set if that is because its ticket has landed more than once. */
  readonly hasLandedTwice?: true;
  /** Set if a check fails on the base with the change, and its live checks do not decide. */
  readonly failedCheck?: Evidence;
  /** Set if a deep proof blames the change: nothing else has to be shown against it. */
  readonly byProof?: true;
  /** Set if a person asked for it; `failedCheck` then holds that reason, and no check has to fail. */
  readonly byPerson?: true;
}

/** One live check of a landed change. */
interface LiveCheck {
  /** Its end, in milliseconds since the epoch. */
  readonly at: number;
  readonly ok: boolean;
  /** One line for people. */
  readonly summary: string;
}

/**
 * A landed change that is not known to be live, and the checks of it: its `verify` steps failed or wait, or it is suspected of breaking a
 * check. Kept once the ticket is done, as a record.
 */
export interface LiveState {
  /** The landed commit, and the base before it. */
  readonly sha: string;
  readonly from: string;
  /** Everything that the ticket has landed, if that is more: repairs are landings of their own. Oldest first. */
  readonly landings?: readonly { readonly from: string; readonly sha: string }[];
  /** The end of the attempt that landed it, or of the re-verification that failed. Milliseconds since the epoch. */
  readonly landedAt: number;
  /** The attempt that landed it; 0 if that was in an earlier run. */
  readonly attempt: number;
  /** True if the agent of that attempt claimed to be done. */
  readonly claimed: boolean;
  /** The tip of the agent's work. A later run sees by it whether the base still holds all of it. */
  readonly tip?: string;
  /** The `verify` step that failed last. */
  readonly check: string;
  /** Failed checks in a row since it landed, or since an agent changed nothing. */
  readonly failed: number;
  /** Those of them that a person asked for while a repeat was planned: they count as none of the repeats. */
  readonly requested?: number;
  /** Checks in a row that could not be finished: neither passed nor failed. */
  readonly inconclusive: number;
  /** The last checks, oldest first, at most 20. */
  readonly history: readonly LiveCheck[];
  /** The output of the last failed check; bounded. */
  readonly detail: string;
  /** Set if a host refused a secret of the batch in it: that says nothing about the change. */
  readonly refusedSecret?: true;
  /** The next check, in milliseconds since the epoch; absent if none is planned. */
  readonly nextAt?: number;
  readonly checking?: true;
  /** Set while a check that a person asked for runs: the planned repeat, which it does not replace. */
  readonly resumeAt?: number;
  /** The reason why it is no longer repeated by itself. The last re-verification still checks it. */
  readonly givenUp?: string;
  /** Set if that is because its checks failed as often as there are repeats and attempts: one more failure is one more reason. */
  readonly isOutOfAttempts?: true;
  /** Times that the ticket was done and a re-verification then failed. */
  readonly reopened: number;
  /** Set if a person has rewritten the ticket since it landed: an agent is told. */
  readonly rewritten?: true;
  /** Set while a check waits for an earlier environment of the base, in words. Nothing of this change is known to fail. */
  readonly waitsFor?: string;
  /** Set while its checks pass, but the tracker cannot be told: the base is whole. */
  readonly untold?: true;
  /** Set once the change is to be reverted, or could not be. */
  readonly revert?: RevertState;
}

/** The cause of a live check: its time has come, a person asked, or the run is about to end. */
export type LiveCheckCause = "due" | "person" | "end";

/** Facts of live checks: the `verify` steps of a landed ticket, repeated without an agent. */
export type LiveCheckFact =
  | {
      readonly type: "live-check-started";
      readonly ticket: TicketId;
      readonly why: LiveCheckCause;
      /** The name of the command that asked for it, if it has one. */
      readonly request?: string;
    }
  | {
      readonly type: "live-check-ended";
      readonly ticket: TicketId;
      readonly ok: boolean;
      /** One line for people. */
      readonly summary: string;
      /** The captured output; bounded. */
      readonly detail: string;
      /** The failed `verify` step. */
      readonly check?: string;
      /** As in its evidence. */
      readonly refusedSecret?: true;
      /**
       * `inconclusive`: it neither passed nor failed. `gone`: the base no longer holds the change. `waits`: a check of an earlier
       * environment fails on the same base. `untold`: it passed, but the tracker could not be told.
       */
      readonly problem?: "inconclusive" | "gone" | "waits" | "untold";
    };

type LiveSpec = NonNullable<Batch["live"]>;

const DEFAULT_LIVE: LiveSpec = { repeats: 5, everySeconds: 15 };

/** The longest wait between two live checks. Milliseconds. */
const MOST_MS = 5 * 60_000;

/** Checks in a row that may end without a result before they are no longer repeated. */
const MOST_INCONCLUSIVE = 10;

/** Checks that are kept. */
const KEPT_CHECKS = 20;

/** The batch's repetition of live checks, or the default. */
export function batchLiveSpec({ live }: Pick<Batch, "live">): LiveSpec {
  return live ?? DEFAULT_LIVE;
}

/** The wait before the next check after `failed` failures in a row: doubled each time, at most 5 minutes. Milliseconds. */
export function waitAfter(failed: number, { everySeconds }: LiveSpec): number {
  return nthDelay(failed, everySeconds * 1000, MOST_MS);
}

/**
 * True from the moment a revert of the change is about to land until it is over: a live check of what the base holds then says
 * nothing about the change, whichever engine goes on with the revert.
 */
export function isBeingReverted({ revert }: Pick<LiveState, "revert">): boolean {
  return revert?.to !== undefined && revert.failed === undefined;
}

/** Everything that the ticket has landed and that is not live, oldest first. */
export function ticketLandings({ landings, from, sha }: LiveState): NonNullable<LiveState["landings"]> {
  return landings ?? [{ from, sha }];
}

/** The state without a planned or running check. */
export function idleLive({ nextAt: _, checking: __, resumeAt: ___, ...live }: LiveState): LiveState {
  return live;
}

/** With one more check in its history. */
export function withCheck(live: LiveState, check: LiveCheck): LiveState {
  return { ...live, history: [...live.history, check].slice(-KEPT_CHECKS) };
}

/** After a check without a result: it is repeated, unless that has happened too often. */
export function afterInconclusive(live: LiveState, spec: LiveSpec, { at, summary }: { at: number; summary: string }): LiveState {
  const inconclusive = live.inconclusive + 1;
  const next = { ...idleLive(live), inconclusive };
  if (live.givenUp !== undefined) return next;
  if (inconclusive < MOST_INCONCLUSIVE) return { ...next, nextAt: at + waitAfter(inconclusive, spec) };
  return { ...next, givenUp: `${inconclusive} live checks in a row could not be finished; the last: ${summary}` };
}

/** True if the ticket's change has landed and its live checks have not passed yet, whether or not an agent works on it. */
export function isLandedNotLive({ live, phase }: { readonly live?: LiveState; readonly phase: string }): boolean {
  return live !== undefined && phase !== "done" && phase !== "human-gated";
}

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
  /** Set if a person asked for it. */
  readonly byPerson?: true;
}

interface RevertMove {
  readonly ticket: TicketId;
  readonly repo: RepoId;
  readonly from: string;
  readonly to: string;
}

/** Facts of the engine's reverts. A base has one revert at a time. */
export type RevertFact =
  /** A person has the ticket's landed change reverted. `request`: the name of the command, if it has one. */
  | { readonly type: "revert-asked"; readonly ticket: TicketId; readonly request?: string }
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
