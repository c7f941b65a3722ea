import type { Ticket } from "../domain/batch/schema.ts";
import type { CheckStrength } from "../domain/evidence/results.ts";
import type { AgentEnding, AttemptOutcome, Evidence } from "../domain/run/event.ts";
import type { Fence } from "../domain/values/ids.ts";
import type { AttemptFiles } from "../ports/run-files.ts";

/** One attempt's identity and lifetime: one controller; its abort ends whatever runs. */
export interface AttemptScope {
  readonly ticket: Ticket;
  readonly n: number;
  readonly fence: Fence;
  /** Found in the environment of every process of the attempt. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Why it was aborted; meaningful once the signal is. */
  ending(): AgentEnding;
}

/** A scope with its files made. */
export interface OpenAttempt extends AttemptScope {
  readonly files: AttemptFiles;
  /** Steps that have used the one retry that a transient earns them; see PREPARE_STEP. */
  readonly retried: Set<number>;
  /** What it is at; absent where nothing that fails is tried again. */
  readonly turn?: Turn;
}

/** A step at work. */
export interface Turn {
  /** Its place in the finish line, or PREPARE_STEP. */
  readonly step: number;
  readonly name: string;
  readonly rest: Rest;
}

/** Lets others have the machine while `idle` waits. Throws the signal's reason where it is aborted before the machine is free again. */
export type Rest = (idle: () => Promise<void>) => Promise<void>;

/** How an attempt ends: its outcome and, where it failed, what the next one should know. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly evidence?: Evidence;
}

/** Result of one step of the finish line. `judged` is the commit that was judged, `strength` how much a check proved. */
export type StepResult =
  | { readonly ok: true; readonly summary: string; readonly judged?: string; readonly strength?: CheckStrength }
  | { readonly ok: false; readonly evidence: Evidence };

/** The outcome of an attempt that was ended from outside. */
export function abortedEnd(scope: AttemptScope): AttemptEnd {
  switch (scope.ending()) {
    case "killed-by-person":
      return {
        outcome: "killed",
        evidence: { step: "agent", name: "agent", summary: "a person killed this worker", detail: "" },
      };
    case "gated-by-person":
      return { outcome: "gated" };
    default:
      return { outcome: "stopped" };
  }
}

/** Ends an attempt early, from any depth. Caught in one place: `work`. */
export class AttemptOver extends Error {
  override readonly name = "AttemptOver";
  readonly end: AttemptEnd;
  constructor(end: AttemptEnd) {
    super(end.evidence?.summary ?? end.outcome);
    this.end = end;
  }
}
