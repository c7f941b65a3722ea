import type { Fence } from "./ids.ts";

/** The files that a run works with and a heal may change; nothing else is harness. */
export const HARNESS_FILES = ["worker.md", "hints.md", "transients.json"] as const;
export type HarnessFile = (typeof HARNESS_FILES)[number];

/**
 * How a heal ended: what it wrote is in use from here on; it was refused; its agent came to no end of its own; it changed nothing;
 * or its engine was lost in the middle of it.
 */
export type HealOutcome = "accepted" | "rejected" | "failed" | "nothing" | "lost";

/** Facts about repairs of the harness. `n` counts them from 1. */
export type HealFact =
  /** A fresh agent is to repair the harness: announced, with the money set aside that it may cost. */
  | {
      readonly type: "heal-started";
      readonly n: number;
      /** Its place in the one row of fence tokens, by which the day's money knows it. */
      readonly token: Fence;
      /** What the run would have ended with. */
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

/** What has become of a run's heals. */
export interface HealsState {
  readonly started: number;
  readonly accepted: number;
  /** What they have cost, which is in the run's spending as well. */
  readonly usd: number;
  /** The heal whose harness is in use; 0: what the run began with. */
  readonly version: number;
  /** Set once one was refused, failed or changed nothing: the real stop is shown, and none follows. */
  readonly givenUp?: true;
  readonly running?: {
    readonly n: number;
    readonly token: Fence;
    readonly startedAt: number;
    readonly reservedUsd: number;
    readonly pid?: number;
    /** Kernel start time of the process. */
    readonly startTime?: string;
  };
}

export const NO_HEALS: HealsState = { started: 0, accepted: 0, usd: 0, version: 0 };
