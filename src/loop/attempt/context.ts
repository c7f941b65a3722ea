import type { Ticket } from "../../domain/batch/schema.ts";
import type { RunEvent, RunFact } from "../../domain/run/event.ts";
import type { Fence, RunId } from "../../domain/values/ids.ts";
import type { KeyedQueue } from "../../domain/values/serial-queue.ts";
import type { Agent } from "../../ports/agent.ts";
import type { AuditLog } from "../../ports/audit-log.ts";
import type { Oracle } from "../../ports/oracle.ts";
import type { Outbox } from "../../ports/outbox.ts";
import type { Tripwire } from "../../ports/tripwire.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { WatchedFiles } from "../../ports/watched-files.ts";
import type { MergeTrains } from "../concurrency/merge-train.ts";
import type { WorktreeGate } from "../concurrency/worktree-gate.ts";
import { persistentRepo } from "../programs/persistent-repo.ts";
import type { Scope, StepScope } from "../programs/scope.ts";
import type { BranchTarget } from "../steps/branch-checks.ts";
import type { PullRequestTarget } from "../steps/pull-request-scope.ts";
import type { StepContext, TrainResult } from "../steps/step.ts";

/** The input of every effect of the loop, made by the composition root. Steps get the part that is StepContext. */
export interface LoopContext extends StepContext {
  readonly run: RunId;
  readonly agent: Agent;
  readonly oracle: Oracle;
  readonly tripwire: Tripwire;
  readonly outbox: Outbox;
  /** The log of what agents did. */
  readonly audit: AuditLog;
  /** Every repository of the batch, by id. */
  readonly repos: ReadonlyMap<string, Repo>;
  /** The pull requests of the repositories whose changes land by those, by id. */
  readonly pullRequests: ReadonlyMap<string, PullRequestTarget>;
  /** The checks of the branches of repositories whose changes land there once those pass, by id. */
  readonly branchChecks: ReadonlyMap<string, BranchTarget>;
  /** The changes that are checked together and land in order, by repository. */
  readonly trains: MergeTrains<TrainResult>;
  /** What reads or moves a base, one at a time per repository. */
  readonly merges: KeyedQueue;
  /** Worktrees that are being made. */
  readonly starts: WorktreeGate;
  /** Records how long a finished ticket took, for the order of later runs. */
  recordDuration(ticket: string, ms: number): void;
  /** Files that people may edit outside loopdash; absent if nobody looks at them. */
  readonly watchedFiles?: WatchedFiles;
  /** Reports a fact to the owner of the state. False: it was not admitted (late, or the run is over); stop working. */
  report(fact: RunFact): boolean;
  /** Every event of the run so far, from its journal: much to read. */
  events(): Iterable<RunEvent>;
  /** True once the journal cannot be written: everything stays as it is for the engine that resumes the run. */
  isBroken(): boolean;
}

/** The repository of a ticket. The batch check ensures that it exists. */
export function ticketRepo(ctx: Pick<LoopContext, "repos">, ticket: Pick<Ticket, "repo">): Repo {
  const repo = ctx.repos.get(ticket.repo);
  if (repo === undefined) throw new Error(`no repository "${ticket.repo}" was opened`);
  return repo;
}

/** The same repository, for an attempt or a re-verification that waits out its outages until the signal is aborted. */
export function waitingRepo(ctx: Pick<LoopContext, "repos" | "outages">, ticket: Ticket, signal: AbortSignal): Repo {
  return persistentRepo(ticketRepo(ctx, ticket), ctx.outages, signal);
}

/** One attempt's identity and lifetime: one controller, whose abort ends all its processes. */
export interface AttemptScope extends Scope {
  readonly n: number;
  readonly fence: Fence;
}

/** An attempt whose files exist. */
export interface OpenAttempt extends AttemptScope, StepScope {}

/** Announces facts of an attempt's steps under its fence. */
export function createAnnouncer({ report }: Pick<LoopContext, "report">, { ticket, fence }: AttemptScope): StepScope["announce"] {
  const attempt = { ticket: ticket.id, fence };
  return (fact) => {
    // These facts are about the day, not about one attempt.
    if (fact.type === "day-spend-unknown" || fact.type === "others-spent-today") return report(fact);
    return report({ ...fact, ...attempt });
  };
}
