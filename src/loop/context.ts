import type { Batch, Ticket } from "../domain/batch/schema.ts";
import type { Question, RunFact } from "../domain/run/event.ts";
import type { RunState } from "../domain/run/state.ts";
import type { Fence, RunId } from "../domain/values/ids.ts";
import type { Agent } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { Harness } from "../ports/harness.ts";
import type { Oracle } from "../ports/oracle.ts";
import type { Outbox } from "../ports/outbox.ts";
import type { Reviewer } from "../ports/reviewer.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { TestReports } from "../ports/test-report.ts";
import type { TextScans } from "../ports/text-scans.ts";
import type { Tracker } from "../ports/tracker.ts";
import type { Tripwire } from "../ports/tripwire.ts";
import type { Repo } from "../ports/vcs.ts";
import type { MergeQueue } from "./merge-queue.ts";
import type { Semaphore } from "./semaphore.ts";
import type { Manifests } from "./steps/manifests.ts";
import type { TestCanaries } from "./steps/test-canaries.ts";
import type { WorktreeGate } from "./worktree-gate.ts";

/** What the loop works with: ports only, made by the composition root. */
export interface LoopPorts {
  readonly agent: Agent;
  readonly executor: Executor;
  readonly tracker: Tracker;
  readonly oracle: Oracle;
  readonly tripwire: Tripwire;
  readonly clock: Clock;
  readonly files: RunFiles;
  readonly reports: TestReports;
  /** Whatever looks through text that a worker wrote goes through here. */
  readonly scans: TextScans;
  /** By repository id; every repository of the batch is in it. */
  readonly repos: ReadonlyMap<string, Repo>;
  /** Whether agents, prepare commands and judged commands run in the sandbox. */
  readonly confined: boolean;
  /** Whether the sandbox can lay a writable layer over a checkout; see Sandbox. */
  readonly layers: boolean;
  /** Files that the agent's command names: a confined agent may read them wherever they lie. */
  readonly agentFiles: readonly string[];
  /** The environment of prepare, check and verify commands, from the allow-list. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The instructions for workers and the named transients. A heal may change them. */
  readonly harness: Harness;
  /** Texts of prompts/, by name: what judges and healers are told, which no heal may change. */
  readonly templates: Readonly<Record<"reviewer" | "adversary" | "adjudicator" | "healer", string>>;
  /** Absent where the batch names no reviewer. */
  readonly reviewer?: Reviewer;
  readonly outbox: Outbox;
  /** Files that the reviewer's program needs to read; see agentFiles. */
  readonly reviewerFiles: readonly string[];
  /** Records what a finished ticket took, for later runs' order. */
  recordDuration(ticket: string, ms: number): void;
  /** The money of the day, which all runs on this machine have together. */
  readonly dayBudget: DayBudget;
}

/** Keeps `limits.usdPerDay` across runs that work at the same time. */
export interface DayBudget {
  /**
   * Looks at what is spent beside loopdash's own runs, so that `take` counts it too; absent where that does not count. Why it is not
   * known, where it is not: one line, safe for a terminal.
   */
  look?(): Promise<string | undefined>;
  /**
   * Sets dollars aside for an attempt's agent, or for a question of it to the reviewer; where they are no longer there, gives
   * what other runs have spent and set aside today.
   */
  take(
    fence: Fence,
    usd: number,
    question?: Question,
  ): { readonly ok: true } | { readonly ok: false; readonly othersUsd: number };
  /** What it did cost. */
  settle(fence: Fence, usd: number, question?: Question): void;
}

/** What every effect of the loop is given. */
export interface LoopContext extends LoopPorts {
  readonly run: RunId;
  readonly batch: Batch;
  /** Landings, one at a time per repository. */
  readonly merges: MergeQueue;
  /** Worktrees that are being made. */
  readonly starts: WorktreeGate;
  /** Judged commands, as many at a time as there are workers. */
  readonly judges: Semaphore;
  /** What checks gave on the bases of candidates. */
  readonly manifests: Manifests;
  /** What is known of test canaries. */
  readonly testCanaries: TestCanaries;
  state(): RunState;
  /** Tells the owner of the state a fact. False: it was not admitted (late, or the run is over); stop working. */
  report(fact: RunFact): boolean;
}

/** The repository a ticket belongs to. The batch was checked: it is there. */
export function repoOf(ctx: LoopContext, ticket: Ticket): Repo {
  const repo = ctx.repos.get(ticket.repo);
  if (repo === undefined) throw new Error(`no repository "${ticket.repo}" was opened`);
  return repo;
}

/** Waits `ms` milliseconds, or until the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      off();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const off = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
}
