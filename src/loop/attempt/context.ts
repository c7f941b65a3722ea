import type { Ticket } from "../../domain/batch/schema.ts";
import type { RunFact } from "../../domain/run/event.ts";
import type { Fence, RunId } from "../../domain/values/ids.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Oracle } from "../../ports/oracle.ts";
import type { Outbox } from "../../ports/outbox.ts";
import type { Tripwire } from "../../ports/tripwire.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { MergeQueue } from "../concurrency/merge-queue.ts";
import type { WorktreeGate } from "../concurrency/worktree-gate.ts";
import type { Scope, StepScope } from "../programs/scope.ts";
import type { StepContext } from "../steps/step.ts";

/** What every effect of the loop is given, made by the composition root: what steps work with, and more. */
export interface LoopContext extends StepContext {
  readonly run: RunId;
  readonly agent: Agent;
  readonly oracle: Oracle;
  readonly tripwire: Tripwire;
  readonly outbox: Outbox;
  /** By repository id; every repository of the batch is in it. */
  readonly repos: ReadonlyMap<string, Repo>;
  /** Landings, one at a time per repository. */
  readonly merges: MergeQueue;
  /** Worktrees that are being made. */
  readonly starts: WorktreeGate;
  /** Records what a finished ticket took, for later runs' order. */
  recordDuration(ticket: string, ms: number): void;
  /** Tells the owner of the state a fact. False: it was not admitted (late, or the run is over); stop working. */
  report(fact: RunFact): boolean;
}

/** The repository a ticket belongs to. The batch was checked: it is there. */
export function repoOf(ctx: Pick<LoopContext, "repos">, ticket: Ticket): Repo {
  const repo = ctx.repos.get(ticket.repo);
  if (repo === undefined) throw new Error(`no repository "${ticket.repo}" was opened`);
  return repo;
}

/** One attempt's identity and lifetime: one controller; its abort ends whatever runs. */
export interface AttemptScope extends Scope {
  readonly n: number;
  readonly fence: Fence;
}

/** One with its files made. */
export interface OpenAttempt extends AttemptScope, StepScope {}

/** How the steps of an attempt have facts recorded: under its fence. */
export function announcerOf({ report }: Pick<LoopContext, "report">, { ticket, fence }: AttemptScope): StepScope["announce"] {
  const attempt = { ticket: ticket.id, fence };
  return (fact) => {
    // Those are about the day, whoever learns them.
    if (fact.type === "day-spend-unknown" || fact.type === "others-spent-today") return report(fact);
    return report({ ...fact, ...attempt });
  };
}
