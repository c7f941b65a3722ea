import type { AttemptOutcome } from "../run/attempt-fact.ts";
import type { ReflectedChange } from "./reflected-change.ts";
import type { GateLevel, GateName } from "./signals.ts";

/** Alerts that the engine computes from the reflective log, never an agent (S3.17). */
export type AlertKind = "drift" | "hot-files" | "slowing" | "stuck" | "loop";

/** What happened in an attempt, and where it led. */
export interface ReflectedAttempt {
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  /** The step that failed, by kind and name; absent if none did. */
  readonly failedAt?: string;
  readonly gates?: Readonly<Record<GateName, GateLevel>>;
  /** It repeated an action with the same result until MOMENTUM failed. */
  readonly isLoop?: true;
  readonly change?: ReflectedChange;
  /** The number of changed files: `change` may name fewer. */
  readonly files: number;
  readonly passedSteps: number;
  readonly steps: number;
}

/** The pattern of an entry and the ones before it (S3.18). */
export interface ReflectedPattern {
  readonly failuresInARow: number;
  /** Failures in a row at the same step, this one included. */
  readonly sameStepInARow: number;
  /** Share of the last five attempts that did not fail. */
  readonly passRate: number;
  readonly hotFiles: readonly string[];
  /** How the share of passed steps changes between the halves of the log; absent while there are too few attempts. */
  readonly speed?: "faster" | "steady" | "slower";
  readonly alerts: readonly AlertKind[];
}

/** An entry of a ticket's reflective log: what, why, pattern (S3.16). The engine computes all of it; no agent writes any (law 2). */
export interface Reflection {
  readonly at: number;
  readonly what: ReflectedAttempt;
  readonly why: { readonly summary: string; readonly cause?: string };
  readonly pattern: ReflectedPattern;
}

/** Outcomes that are failures of the work. What a person or a lost engine ended says nothing about it. */
const FAILURES: ReadonlySet<AttemptOutcome> = new Set(["failed", "silent", "out-of-time"]);

export function isFailure({ outcome }: Pick<ReflectedAttempt, "outcome">): boolean {
  return FAILURES.has(outcome);
}
