import type { HealDiagnosis } from "../outbox/healer-answer.ts";
import type { BlockerClaim } from "../outbox/schema.ts";
import type { Fence, RepoId } from "../values/ids.ts";
import type { SanitizedStop } from "./attempt-fact.ts";

/** The files that a run works with and a heal may change. */
export const HARNESS_FILES = ["worker.md", "hints.md", "transients.json"] as const;
export type HarnessFile = (typeof HARNESS_FILES)[number];
/** A script of the harness's folder `tools/`, which workers are offered. With the files above it is all of a harness. */
export type HarnessTool = `tools/${string}`;
/** The path of a file of the harness. */
export type HarnessPath = HarnessFile | HarnessTool;

/**
 * The outcome of a heal: its changes are in use from here on; they were refused; its agent stopped early or left no answer; it
 * changed nothing; it claims a wall, which is ruled on ticket by ticket; or its engine was lost during it.
 */
export type HealOutcome = "accepted" | "rejected" | "failed" | "nothing" | "wall" | "lost";

/**
 * What becomes of a heal that moved its stall: later runs on its repository begin with it, a person has to decide, or it could not
 * be recorded.
 */
export type HealKeep = "kept" | "waiting" | "failed";

/** True for a fact, or an event, about a repair of the harness. */
export function isAboutHeal<T extends { readonly type: string }>(
  fact: T,
): fact is Extract<T, { readonly type: HealFact["type"] }> {
  return fact.type.startsWith("heal-");
}

/** Facts about repairs of the harness, whose types begin with `heal-`. `n` counts them from 1. */
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
      /** The repository that it is about, whose workers alone get the result. */
      readonly repo?: RepoId;
    }
  | { readonly type: "heal-agent-started"; readonly n: number; readonly pid: number; readonly startTime: string }
  | {
      readonly type: "heal-ended";
      readonly n: number;
      readonly outcome: HealOutcome;
      /** One line for people. */
      readonly why: string;
      readonly changed: readonly HarnessPath[];
      readonly costUsd: number;
      /** Present if it left a valid answer. */
      readonly answer?: HealDiagnosis;
      /** Present if it claims a wall. */
      readonly wall?: BlockerClaim;
      /** Present if its agent met an outage of its model's API, with the account that it used; absent for the first. */
      readonly stop?: SanitizedStop;
      readonly account?: number;
    }
  /** A ticket that had stalled landed after this heal. Its change is about to be recorded for later runs. */
  | { readonly type: "heal-keeping"; readonly n: number; readonly keep: "auto" | "ask" }
  | { readonly type: "heal-kept"; readonly n: number; readonly as: HealKeep; readonly why: string };
