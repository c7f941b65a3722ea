import type { CheckStrength, Remark, TestsMoved } from "@loopdash/test-evidence";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { TextScans } from "../../ports/text-scans.ts";
import type { Tracker } from "../../ports/tracker.ts";
import type { Candidate } from "../../ports/vcs.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import type { StepFact } from "../programs/scope.ts";
import type { QuestionContext } from "../questions/ask.ts";
import type { BaseHealth } from "./base-health.ts";
import type { Manifests } from "./manifests.ts";
import type { Proofs } from "./proofs.ts";

/** The context of the steps of a finish line. */
export interface StepContext extends QuestionContext {
  readonly tracker: Tracker;
  /** Every search through a worker's text goes through here. */
  readonly scans: TextScans;
  /** Permits for commands of steps, one per worker. */
  readonly commandPermits: Semaphore;
  /** The results of checks on the bases of candidates. */
  readonly manifests: Manifests;
  /** The run's knowledge of how candidates are proven. */
  readonly proofs: Proofs;
  /** The checks that commits of the bases have passed and failed. */
  readonly baseHealth: BaseHealth;
}

/** The result of a step. Its caller records the facts. */
export type StepResult = StepPassed | StepFailed;

/** The results of the `check` steps of a merge train, in order, up to the first that failed. */
export interface TrainResult {
  readonly ok: boolean;
  readonly steps: readonly StepResult[];
  /** What failed. Absent if all have passed. */
  readonly evidence?: Evidence;
}

export interface StepPassed {
  readonly ok: true;
  readonly summary: string;
  /** The commit that it is about. */
  readonly commit?: string;
  /** The strength of a check's proof. */
  readonly strength?: CheckStrength;
  /** The tests of a check that compared them one by one. */
  readonly tests?: TestsMoved;
  /** It was passed over, because the class of the ticket does not need it. */
  readonly notNeeded?: true;
  /** It changes what judges, in a way that somebody has to approve: these files, whole. */
  readonly needsApproval?: NeededApproval;
  /** Files that judge, and that a review was shown whole and has approved. */
  readonly approves?: readonly string[];
  /** Its results were proven with the base's own tests and settings. Absent: they are proven with those of other changes. */
  readonly isProven?: true;
  readonly facts?: readonly StepFact[];
}

/** Files that judge and that a change alters, and what that means. */
export interface NeededApproval {
  readonly files: readonly string[];
  readonly finding: Remark;
}

export interface StepFailed {
  readonly ok: false;
  readonly evidence: Evidence;
  readonly facts?: readonly StepFact[];
}

/** Times that a moving base is followed before the attempt fails. */
export const CHASES = 5;

/** A candidate that could be built. */
export type Built = Extract<Candidate, { ok: true }>;

/** A step that has landed this commit on the base. */
export type Landed = StepPassed & { readonly commit: string };
