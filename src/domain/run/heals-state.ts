import type { Fence, RepoId, TicketId } from "../values/ids.ts";
import type { HealFact, HealKeep } from "./heal-fact.ts";
import type { TicketState } from "./ticket-state.ts";

/** A heal that is over. Times in milliseconds. */
export interface PastHeal
  extends Pick<Extract<HealFact, { type: "heal-ended" }>, "n" | "outcome" | "why" | "changed" | "costUsd" | "answer" | "wall"> {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The reason with which the run would have ended. */
  readonly reason: string;
  readonly repo?: RepoId;
  /** The version of the harness that it started from. */
  readonly base: number;
  /** The stalled tickets that it reopened, and those of them that landed with its harness in use. */
  readonly stalled: readonly TicketId[];
  readonly moved: readonly TicketId[];
  /** The proof of the oracle after it failed: it was undone, for this reason. */
  readonly reverted?: string;
  readonly asked?: true;
  /** Its agent met an outage of its model's API: it uses up none of the run's heals. */
  readonly turnedAway?: true;
  /** Absent before a ticket has moved. */
  readonly keep?: { readonly as: HealKeep | "keeping"; readonly why: string };
}

/** A ticket's state before a heal changed it, so that the heal can be undone. */
export interface HealUndo extends Pick<TicketState, "failures" | "signs" | "stalledReason" | "stalledBy" | "endedAt"> {
  readonly id: TicketId;
  readonly phase: "stalled" | "waiting";
}

/** The heals of a run. */
export interface HealsState {
  /** Past heals, in order. */
  readonly past: readonly PastHeal[];
  readonly started: number;
  readonly accepted: number;
  /** Their cost in dollars, which the run's spending includes. */
  readonly usd: number;
  /** The heal whose harness is in use, by repository; absent for the run's first harness. */
  readonly versions: Readonly<Record<string, number>>;
  /** The last heal waits for the proof of the oracle, and no attempt starts before. */
  readonly proving?: {
    readonly n: number;
    readonly before: Readonly<Record<string, number>>;
    readonly undo: readonly HealUndo[];
  };
  /**
   * Set once a heal that replaced the run's end was refused, failed or changed nothing. The real reason of the end is then shown,
   * and no further heal starts by itself.
   */
  readonly givenUp?: true;
  /** A person requested one, and it has not begun. */
  readonly asked?: true;
  readonly running?: {
    readonly n: number;
    readonly token: Fence;
    readonly startedAt: number;
    readonly reason: string;
    readonly reservedUsd: number;
    readonly base: number;
    readonly repo?: RepoId;
    readonly pid?: number;
    /** Kernel start time of the process. */
    readonly startTime?: string;
    /** A person requested it, so the run goes on whatever its outcome. */
    readonly asked?: true;
  };
}

/** The number of heals that count towards `limits.heals`, one under way included. */
export function usedHeals({ started, past }: Pick<HealsState, "started" | "past">): number {
  return started - past.filter(({ turnedAway }) => turnedAway === true).length;
}

/** The heals of a run that has just begun. */
export const NO_HEALS: HealsState = { past: [], started: 0, accepted: 0, usd: 0, versions: {} };
