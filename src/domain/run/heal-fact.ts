import type { Fence } from "../values/ids.ts";

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
  /** A person wants one: nothing new starts before it, and it begins once nothing is under way. */
  | { readonly type: "heal-asked" }
  /** The one that was asked for cannot be any more, or a person has called it off. `why` is one line. */
  | { readonly type: "heal-dropped"; readonly why: string }
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

/** A heal that is over. Times in milliseconds. */
export interface PastHeal
  extends Pick<Extract<HealFact, { type: "heal-ended" }>, "n" | "outcome" | "why" | "changed" | "costUsd"> {
  readonly startedAt: number;
  readonly endedAt: number;
  /** What the run would have ended with. */
  readonly reason: string;
}

/** What has become of a run's heals. */
export interface HealsState {
  /** Those that are over, in their order. */
  readonly past: readonly PastHeal[];
  readonly started: number;
  readonly accepted: number;
  /** What they have cost, which is in the run's spending as well. */
  readonly usd: number;
  /** The heal whose harness is in use; 0: what the run began with. */
  readonly version: number;
  /** Set once one in the place of the end was refused, failed or changed nothing: the real stop is shown, and none follows by itself. */
  readonly givenUp?: true;
  /** A person wants one, and it has not begun. */
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
    /** A person wanted it: the run goes on whatever comes of it. */
    readonly asked?: true;
  };
}

export const NO_HEALS: HealsState = { past: [], started: 0, accepted: 0, usd: 0, version: 0 };
