import type { Fence } from "../values/ids.ts";

/** The files that a run works with and a heal may change. Nothing else is harness. */
export const HARNESS_FILES = ["worker.md", "hints.md", "transients.json"] as const;
export type HarnessFile = (typeof HARNESS_FILES)[number];

/**
 * The outcome of a heal: its changes are in use from here on; they were refused; its agent stopped early; it changed nothing; or
 * its engine was lost during it.
 */
export type HealOutcome = "accepted" | "rejected" | "failed" | "nothing" | "lost";

/** Facts about repairs of the harness. `n` counts them from 1. */
export type HealFact =
  /** A person requests a heal. Nothing new starts before it, and it begins once nothing is under way. */
  | { readonly type: "heal-asked" }
  /** The requested heal has become impossible, or a person has cancelled it. `why` is one line. */
  | { readonly type: "heal-dropped"; readonly why: string }
  /** A fresh agent is about to repair the harness, with its maximum cost set aside. */
  | {
      readonly type: "heal-started";
      readonly n: number;
      /** Its number in the one sequence of fence tokens, which identifies it in the day's money. */
      readonly token: Fence;
      /** The reason with which the run would have ended. */
      readonly reason: string;
      readonly reservedUsd: number;
    }
  | { readonly type: "heal-agent-started"; readonly n: number; readonly pid: number; readonly startTime: string }
  | {
      readonly type: "heal-ended";
      readonly n: number;
      readonly outcome: HealOutcome;
      /** One line for people. */
      readonly why: string;
      readonly changed: readonly HarnessFile[];
      readonly costUsd: number;
    };

/** A heal that is over. Times in milliseconds. */
export interface PastHeal
  extends Pick<Extract<HealFact, { type: "heal-ended" }>, "n" | "outcome" | "why" | "changed" | "costUsd"> {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The reason with which the run would have ended. */
  readonly reason: string;
}

/** The heals of a run. */
export interface HealsState {
  /** Past heals, in order. */
  readonly past: readonly PastHeal[];
  readonly started: number;
  readonly accepted: number;
  /** Their cost in dollars, which the run's spending includes. */
  readonly usd: number;
  /** The heal whose harness is in use; 0 for the run's first harness. */
  readonly version: number;
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
    readonly pid?: number;
    /** Kernel start time of the process. */
    readonly startTime?: string;
    /** A person requested it, so the run goes on whatever its outcome. */
    readonly asked?: true;
  };
}

export const NO_HEALS: HealsState = { past: [], started: 0, accepted: 0, usd: 0, version: 0 };
