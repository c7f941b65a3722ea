import type { Ticket } from "../../domain/batch/schema.ts";
import type { AgentEnding, AttemptOutcome, Evidence, RunFact } from "../../domain/run/event.ts";
import type { AttemptFiles } from "../../ports/run-files.ts";
import type { Rest } from "../concurrency/semaphore.ts";

/** For whom programs run: one attempt at a ticket, or the last look at a landed one. An abort of the signal ends whatever runs. */
export interface Scope {
  readonly ticket: Ticket;
  /** Found in the environment of each of its processes. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Why it was aborted; meaningful once the signal is. */
  ending(): AgentEnding;
}

/** A scope with its files made, and what its steps need of whoever runs them. */
export interface StepScope extends Scope {
  readonly files: AttemptFiles;
  /** Records what must be on record before the step goes on (law 5). False: it was not admitted; stop. */
  readonly announce: (fact: StepFact) => boolean;
  /** Steps that have had the one retry that a transient earns them; see PREPARE_STEP. */
  readonly retried: Set<number>;
  /** Absent if nothing that fails is retried. */
  readonly turn?: Turn;
}

/** A step at work. */
export interface Turn {
  /** Its place in the finish line, or PREPARE_STEP. */
  readonly step: number;
  readonly name: string;
  readonly rest: Rest;
}

type StepFactType =
  | "activity"
  | "base-failing"
  | "day-spend-unknown"
  | "merge-intended"
  | "merge-landed"
  | "merge-waiting"
  | "others-spent-today"
  | "reviewer-answered"
  | "reviewer-asked"
  | "step-retried";

type WithoutAttempt<T> = T extends RunFact ? Omit<T, "ticket" | "fence"> : never;

/** A fact that a step learns. Whoever runs the step knows the attempt, and adds it. */
export type StepFact = WithoutAttempt<Extract<RunFact, { type: StepFactType }>>;

/** How an attempt ends: its outcome and, if it failed, what the next one should know. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly evidence?: Evidence;
}

/** The outcome of an attempt that was ended from outside. */
export function abortedEnd(scope: Pick<Scope, "ending">): AttemptEnd {
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

/** Who is called off while waiting for a turn ends as one who is called off at work. */
export function overIfAborted(scope: Pick<Scope, "ending" | "signal">): (error: unknown) => never {
  return (error) => {
    throw error === scope.signal.reason ? new AttemptOver(abortedEnd(scope)) : error;
  };
}

/** The scope of a measurement that others wait for: it keeps its turn, because they hold a machine and it might never get one back. */
export function withoutRest({ turn, ...scope }: StepScope): StepScope {
  return turn === undefined ? scope : { ...scope, turn: { ...turn, rest: (idle) => idle() } };
}
