import type { Batch, Ticket } from "../../../src/domain/batch/schema.ts";
import type { RunEvent } from "../../../src/domain/run/event.ts";
import { reduce } from "../../../src/domain/run/reduce.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import { MergeQueue } from "../../../src/loop/concurrency/merge-queue.ts";
import { Outages } from "../../../src/loop/concurrency/outages.ts";
import { Semaphore } from "../../../src/loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../../src/loop/concurrency/worktree-gate.ts";
import { Orchestrator } from "../../../src/loop/run/orchestrator.ts";
import { Performer } from "../../../src/loop/run/perform.ts";
import { BaseHealth } from "../../../src/loop/steps/base-health.ts";
import { Manifests } from "../../../src/loop/steps/manifests.ts";
import { TestCanaries } from "../../../src/loop/steps/test-canaries.ts";
import type { AgentResult } from "../../../src/ports/agent.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { ExecResult } from "../../../src/ports/executor.ts";
import type { Journal } from "../../../src/ports/journal.ts";
import type { RunFiles } from "../../../src/ports/run-files.ts";
import { FakeClock } from "../fake-clock.ts";
import { fixedHarness } from "../fixed-harness.ts";
import { judgeBy } from "../honest-oracle.ts";
import { FakeRepo } from "./fake-repo.ts";
import { FakeTracker } from "./fake-tracker.ts";

export const RUN = RunId.parse("world");

/** Time that an agent and a live check take. Milliseconds. */
const AGENT_MS = 20_000;
const VERIFY_MS = 500;

export interface WorldOptions {
  readonly batch: Batch;
  /** What agents and live checks do in turn: true is success. Those after the last succeed. */
  readonly agents: readonly boolean[];
  readonly verifies: readonly boolean[];
  /** The files that agents leave, in turn; those after the last leave `good`. Without it, each change is a file of its own. */
  readonly work?: readonly string[];
  /** The exit of a command by its words and the files of its checkout, in place of `verifies`. */
  readonly command?: (ran: Ran) => boolean;
}

/** A command of a finish line, as it begins. */
export interface Ran {
  readonly argv: readonly string[];
  /** Ends with `/reverify`, `/live`, `/revert`, or names the attempt. */
  readonly marker: string;
  readonly files: ReadonlyMap<string, string>;
}

/** A run of the real loop, whose ports lead into memory: nothing but its clock makes time pass. */
export class World {
  readonly clock = new FakeClock();
  readonly repo: FakeRepo;
  readonly tracker: FakeTracker;
  readonly events: RunEvent[] = [];
  readonly performer: Performer;
  readonly #orchestrator: Orchestrator;
  readonly #listeners: ((event: RunEvent) => void)[] = [];
  #failure: unknown;

  constructor({ batch, agents, verifies, work, command }: WorldOptions) {
    this.repo = new FakeRepo(() => this.clock.now());
    this.tracker = new FakeTracker(batch.tickets);
    const first: RunEvent = { ...started(batch), seq: 1, at: this.clock.now() };
    this.events.push(first);
    const publish = (event: RunEvent): void => {
      this.events.push(event);
      for (const to of this.#listeners) to(event);
    };
    const state = reduce(undefined, first);
    const orchestrator = new Orchestrator({ state, journal: journalOf(this.clock), clock: this.clock, publish });
    this.#orchestrator = orchestrator;
    orchestrator.ended.catch((error: unknown) => {
      this.#failure = error;
    });
    const context = contextOf(this, orchestrator, batch, {
      agents: [...agents],
      verifies: [...verifies],
      ...(work && { work: [...work] }),
      ...(command && { command }),
    });
    this.performer = new Performer(context, (error) => orchestrator.fail(error));
  }

  get state(): RunState {
    return this.#orchestrator.state;
  }

  /** Calls `to` with every event from now on, after it is in the state. */
  listen(to: (event: RunEvent) => void): void {
    this.#listeners.push(to);
  }

  /** Starts the run. */
  async start(): Promise<void> {
    await this.performer.watchTracker({ isResumed: false });
    this.#orchestrator.start(this.performer);
    await this.settle();
  }

  /** Waits until nothing but time makes anything happen. Throws what ended the engine. */
  async settle(): Promise<void> {
    for (let seen = -1; seen !== this.events.length; ) {
      seen = this.events.length;
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets time pass, timer by timer. Ends early with the run. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    while (this.state.stage !== "ended") {
      const next = this.clock.next;
      if (next === undefined || next > until) break;
      this.clock.advance(next - this.clock.now());
      await this.settle();
    }
    this.clock.advance(Math.max(0, until - this.clock.now()));
  }
}

function started(batch: Batch) {
  return {
    type: "run-started",
    run: RUN,
    batch,
    batchPath: "/batch.json",
    oracleSha: "o",
    batchSha: "b",
    sandboxed: true,
    settled: [],
    durations: {},
    spentTodayUsd: 0,
    version: "test",
  } as const;
}

function journalOf(clock: Clock): Journal {
  let seq = 1;
  return {
    append: (fact) => {
      seq += 1;
      return { ...fact, seq, at: clock.now() };
    },
    flush: () => undefined,
    read: () => [],
    close: () => undefined,
  };
}

/** Takes a while of the clock, unless it is cut short. False if it was. */
function take(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true));
    signal.addEventListener("abort", () => {
      cancel();
      resolve(false);
    });
  });
}

interface Turns extends Pick<WorldOptions, "command"> {
  readonly agents: boolean[];
  readonly verifies: boolean[];
  readonly work?: string[];
}

function contextOf({ clock, repo, tracker }: World, orchestrator: Orchestrator, batch: Batch, turns: Turns): LoopContext {
  const files = filesOf();
  const report: LoopContext["report"] = (fact) => orchestrator.report(fact);
  const port = tracker.port();
  const cutOff = { ending: "aborted", exitCode: null, signal: "SIGKILL" } as const;
  const result = (isOk: boolean) => ({ ending: "exited", exitCode: isOk ? 0 : 1, signal: null }) as const;
  return {
    run: RUN,
    batch,
    confined: true,
    layers: false,
    agentFiles: [],
    commandFiles: () => [],
    toolchainPaths: new Map(),
    reviewerFiles: [],
    repos: new Map([["app", repo.port()]]),
    commandEnv: {},
    agent: {
      reserveUsd: 0,
      run: async ({ signal, ticket, attempt, worktree }): Promise<AgentResult> => {
        const isOk = turns.agents.shift() ?? true;
        if (turns.work !== undefined)
          repo.worktrees.set(worktree, { [`${ticket}.txt`]: `${attempt} ${turns.work.shift() ?? "good"}` });
        const how = (await take(clock, AGENT_MS, signal)) ? result(isOk) : cutOff;
        return { ...how, costUsd: 0, tail: "" };
      },
      heal: () => Promise.reject(new Error("nothing is healed here")),
    },
    executor: {
      run: async ({ signal, argv, cwd, marker }): Promise<ExecResult> => {
        const files = repo.filesOf(repo.checkouts.get(cwd));
        const isOk = turns.command?.({ argv, marker, files }) ?? turns.verifies.shift() ?? true;
        const how = (await take(clock, VERIFY_MS, signal)) ? result(isOk) : cutOff;
        return { ...how, tail: isOk ? "" : "it is not live", durationMs: VERIFY_MS };
      },
      killStrays: () => Promise.resolve(0),
    },
    tracker: port,
    oracle: { sha: "o", judge: () => judgeBy(port) },
    tripwire: { check: () => Promise.resolve({ ok: true, canaries: 0, ms: 0 }) },
    clock,
    files,
    testReports: { await: () => Promise.reject(new Error("there are no reports")) } as unknown as LoopContext["testReports"],
    scans: {} as LoopContext["scans"],
    manifests: new Manifests(files),
    testCanaries: new TestCanaries(),
    baseHealth: new BaseHealth(),
    harness: fixedHarness(),
    templates: { reviewer: "", adversary: "", adjudicator: "", healer: "" },
    outbox: { read: () => Promise.resolve({ discoveries: [], refused: [] }) },
    merges: new MergeQueue(),
    starts: new WorktreeGate(),
    commandPermits: new Semaphore(batch.limits.workers),
    state: () => orchestrator.state,
    report,
    recordDuration: () => undefined,
    dayBudget: { take: () => ({ ok: true }), settle: () => undefined },
    outages: new Outages({ clock, minutes: batch.limits.outageMinutes, report }),
  };
}

/** Files that nobody writes: no effect of these runs reads one. */
function filesOf(): RunFiles {
  const done = () => Promise.resolve();
  const attempt = (ticket: Ticket["id"], n: number) => {
    const folder = `/run/${ticket}/${n}`;
    const names = { prompt: "p", outbox: "o", session: "s", agentLog: "l", patch: "c" };
    const paths = Object.fromEntries(Object.entries(names).map(([key, name]) => [key, `${folder}/${name}`]));
    return { folder, ...(paths as typeof names), log: (name: string) => `${folder}/${name}.log` };
  };
  return {
    attempt: (ticket, n) => Promise.resolve(attempt(ticket, n)),
    heal: () => Promise.reject(new Error("nothing is healed here")),
    tail: () => Promise.resolve(""),
    makeFolder: done,
    write: done,
    exists: () => Promise.resolve(false),
    checkoutPath: (ticket, purpose) => `/run/${ticket}/${purpose}`,
    manifestPath: (key) => `/run/${key}`,
    worktreePath: (ticket, n) => `/worktrees/${ticket}-${n}`,
    remove: done,
    hasRoom: () => Promise.resolve(true),
  };
}
