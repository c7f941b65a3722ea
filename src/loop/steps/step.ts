import type { CheckStrength } from "../../domain/evidence/results.ts";
import type { Evidence } from "../../domain/run/event.ts";
import type { TextScans } from "../../ports/text-scans.ts";
import type { Tracker } from "../../ports/tracker.ts";
import type { Semaphore } from "../concurrency/semaphore.ts";
import type { StepFact } from "../programs/scope.ts";
import type { QuestionContext } from "../questions/ask.ts";
import type { Manifests } from "./manifests.ts";
import type { TestCanaries } from "./test-canaries.ts";

/** What the steps of a finish line work with. */
export interface StepContext extends QuestionContext {
  readonly tracker: Tracker;
  /** Whatever looks through text that a worker wrote goes through here. */
  readonly scans: TextScans;
  /** Commands of steps, as many at a time as there are workers. */
  readonly commandPermits: Semaphore;
  /** What checks gave on the bases of candidates. */
  readonly manifests: Manifests;
  /** What is known of test canaries. */
  readonly testCanaries: TestCanaries;
}

/** What a step found out. Whoever runs it records the facts. */
export type StepResult = StepPassed | StepFailed;

export interface StepPassed {
  readonly ok: true;
  readonly summary: string;
  /** The commit that it is about. */
  readonly commit?: string;
  /** How much a check proved. */
  readonly strength?: CheckStrength;
  readonly facts?: readonly StepFact[];
}

export interface StepFailed {
  readonly ok: false;
  readonly evidence: Evidence;
  readonly facts?: readonly StepFact[];
}
