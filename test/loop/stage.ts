import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createExecutor } from "../../src/adapters/executor/process-executor.ts";
import { openRunStore } from "../../src/adapters/journal/sqlite-run-store.ts";
import { createOutbox } from "../../src/adapters/outbox/read-outbox.ts";
import { createRunFiles } from "../../src/adapters/run-files/run-files.ts";
import { createTestResultsReader } from "../../src/adapters/test-results/results-reader.ts";
import { createTextScans } from "../../src/adapters/text-scans/text-scans.ts";
import { openRepo } from "../../src/adapters/vcs/repository/git-repo.ts";
import type { Batch, Ticket } from "../../src/domain/batch/schema.ts";
import type { RunEvent, RunFact } from "../../src/domain/run/event.ts";
import { reduce } from "../../src/domain/run/reduce.ts";
import { type RunState, ticketById as stateOf } from "../../src/domain/run/state.ts";
import { RunId } from "../../src/domain/values/ids.ts";
import { KeyedQueue } from "../../src/domain/values/serial-queue.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import { MergeTrains } from "../../src/loop/concurrency/merge-train.ts";
import { Outages } from "../../src/loop/concurrency/outages.ts";
import { Semaphore } from "../../src/loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../src/loop/concurrency/worktree-gate.ts";
import { Orchestrator } from "../../src/loop/run/orchestrator.ts";
import { Performer } from "../../src/loop/run/perform.ts";
import { recover } from "../../src/loop/run/recover.ts";
import { BaseHealth } from "../../src/loop/steps/base-health.ts";
import { Manifests } from "../../src/loop/steps/manifests.ts";
import { Proofs } from "../../src/loop/steps/proofs.ts";
import type { Agent, AgentResult, AgentTask, HealTask } from "../../src/ports/agent.ts";
import type { Journal } from "../../src/ports/run-store.ts";
import type { Tracker } from "../../src/ports/tracker.ts";
import type { Repo } from "../../src/ports/vcs.ts";
import { APP, git, newRepo, tempDir } from "../adapters/vcs/real-repo.ts";
import { batchOf } from "../domain/simulate.ts";
import { auditIn } from "./audit-in.ts";
import { loseWhatMayWait } from "./cut-journal.ts";
import { fixedHarness } from "./fixed-harness.ts";
import { judgeBy } from "./honest-oracle.ts";
import { seedTrackers, trackerOf } from "./stage-tracker.ts";

export const RUN = RunId.parse(`test-run-${process.pid}`);
const PROGRAM = join(import.meta.dirname, "../../src/cli/main.ts");

type Change = (ctx: LoopContext) => Partial<LoopContext> | Promise<Partial<LoopContext>>;
type Work = (task: AgentTask) => Promise<Partial<AgentResult> | undefined> | Partial<AgentResult> | undefined;

export interface StageOptions {
  readonly tickets: readonly Ticket[];
  readonly limits?: Partial<Batch["limits"]>;
  /** Without it, live checks are not repeated. */
  readonly live?: Batch["live"];
  readonly onBroken?: Batch["onBroken"];
  readonly proof?: Batch["proof"];
  /** Whose accounts the engine knows; the agent itself is `work`, the reviewer is the context's. */
  readonly programs?: Partial<Pick<Batch, "agent" | "reviewer" | "secondReviewer">>;
  /** Routing by complexity; the finish lines of the tickets are as they are given. */
  readonly complexity?: Batch["complexity"];
  readonly protect?: readonly string[];
  readonly bounds?: Batch["bounds"];
  readonly behaviour?: Batch["behaviour"];
  readonly prepare?: readonly (readonly string[])[];
  readonly work?: Work;
  /** What a healer does; without it none is started. */
  readonly heal?: (task: HealTask) => Promise<Partial<AgentResult> | undefined> | Partial<AgentResult> | undefined;
  readonly reserveUsd?: number;
  /** The tickets are Markdown files that people write; else they are in an embedded tracker. */
  readonly inFolder?: true;
}

/** A result of an agent that stopped by itself with exit 0, but for `over`. */
export function agentResult(over: Partial<AgentResult> = {}): AgentResult {
  return { ending: "exited", exitCode: 0, signal: null, costUsd: 0, tail: "", ...over };
}

/** An agent that leaves one file named after its ticket, with its attempt in it. */
export const oneFile: Work = ({ worktree, ticket, attempt }) =>
  void writeFileSync(join(worktree, `${ticket}.txt`), `${attempt}\n`);

/** An agent that goes on until it is cancelled. */
export const endless: Work = (task) =>
  new Promise((resolve) => {
    task.signal.addEventListener("abort", () => resolve({ ending: "aborted", exitCode: null, signal: "SIGKILL" }));
    task.onStart({ pid: 999_999_999, startTime: "1" });
  });

/** One run over a real repository, journal, tracker and executor; only the agent and the oracle are scripted. */
export class Stage implements Disposable {
  readonly root = tempDir();
  readonly user = newRepo(this.root);
  readonly events: RunEvent[] = [];
  readonly tasks: AgentTask[] = [];
  readonly #options: StageOptions;
  readonly #store = openRunStore(join(this.root, "loopdash.db"));
  readonly #watchers: (() => void)[] = [];
  #crash: (event: RunEvent) => void = () => undefined;
  engine!: Engine;

  private constructor(options: StageOptions) {
    this.#options = options;
  }

  static async open(options: StageOptions, change: Change = () => ({})): Promise<Stage> {
    const stage = new Stage(options);
    const folder = await seedTrackers(stage.root, options.tickets);
    const inFolder = options.inFolder && { tracker: { kind: "local", path: folder } as const };
    const made = { ...batchOf(options.tickets, options.limits), ...inFolder, ...options.programs };
    const repos = { app: { path: stage.user, base: "main", prepare: options.prepare ?? [] } };
    const { live = { repeats: 0, everySeconds: 0.1 }, protect = [], onBroken, proof, bounds, behaviour, complexity } = options;
    const batch: Batch = { ...made, repos, protect, live, onBroken, proof, bounds, behaviour, complexity };
    const row = { run: RUN, name: "test", batchPath: "/batch.json", batchFileSha: "x", startedAt: Date.now() };
    const journal = stage.#store.create(row);
    const first = journal.append({
      type: "run-started",
      run: RUN,
      batch,
      batchPath: "/batch.json",
      ...{ oracleSha: "o", batchSha: "b", sandboxed: false },
      ...{ settled: [], durations: {}, spentTodayUsd: 0, version: "test" },
    });
    stage.events.push(first);
    await stage.#wire(journal, reduce(undefined, first), change);
    return stage;
  }

  /** Kills the engine right after an event that matches: nothing it learns later is recorded. Settles once it is still. */
  async crashAt(match: (event: RunEvent) => boolean, begin: "start" | "resume" = "start"): Promise<void> {
    const { engine } = this;
    const crashed = Promise.withResolvers<void>();
    this.#crash = (event) => {
      if (!match(event)) return;
      engine.dead = true;
      engine.performer.abortAll();
      this.#crash = () => undefined;
      crashed.resolve();
    };
    await this[begin]();
    await crashed.promise;
    await engine.performer.idle();
  }

  /**
   * A second engine on the same run, as after a crash of the first: what the first one still does reaches nobody.
   * `lose`: the machine went down with it, and what the journal had not written yet is gone.
   */
  async crashAndReopen(change: Change = () => ({}), lose?: "lose"): Promise<void> {
    this.engine.dead = true;
    this.engine.journal.close();
    if (lose !== undefined) loseWhatMayWait(join(this.root, "loopdash.db"), RUN);
    let state: RunState | undefined;
    for (const event of this.#store.openForReading(RUN).read()) state = reduce(state, event);
    await this.#wire(this.#store.open(RUN), state as RunState, change);
  }

  async #wire(journal: Journal, state: RunState, change: Change): Promise<void> {
    const engine = { dead: false, journal } as Engine;
    const publish = (event: RunEvent): void => {
      this.events.push(event);
      this.#crash(event);
      for (const watcher of this.#watchers.splice(0)) watcher();
    };
    const deadToo = { append: (fact: RunFact) => (engine.dead ? stop() : journal.append(fact)) };
    const orchestrator = new Orchestrator({ state, journal: deadToo as Journal, clock: systemClock, publish });
    const repo = await openRepo({ id: APP, path: this.user, base: "main", scratch: this.root });
    const folders = { folder: join(this.root, "run"), worktrees: join(this.root, "worktrees") };
    const tracker = trackerOf(state, join(this.root, "tracker.json"));
    for (const folder of [join(folders.folder, "judge"), folders.worktrees]) mkdirSync(folder, { recursive: true });
    const plain: LoopContext = {
      run: RUN,
      batch: state.batch,
      confined: false,
      layers: false,
      agentFiles: [],
      commandFiles: () => [],
      toolchainPaths: new Map(),
      repos: new Map<string, Repo>([["app", repo]]),
      commandEnv: { PATH: process.env["PATH"] ?? "" },
      agent: this.#agent(),
      executor: createExecutor(),
      tracker,
      oracle: { sha: "o", judge: () => judgeBy(tracker) },
      tripwire: { check: () => Promise.resolve({ ok: true, canaries: 0, ms: 0 }) },
      clock: systemClock,
      files: createRunFiles(folders),
      testReports: createTestResultsReader({ program: PROGRAM, args: ["__results"] }),
      scans: createTextScans({ program: PROGRAM, args: ["__scan"] }),
      manifests: new Manifests(this.#store.checkResults({ run: RUN, secret: randomBytes(32) }), systemClock),
      proofs: new Proofs(),
      baseHealth: new BaseHealth(),
      harness: fixedHarness(),
      templates: { reviewer: "", adversary: "", adjudicator: "", healer: "", planner: "", plan: "" },
      ...{ outbox: createOutbox(), audit: auditIn(folders.folder, RUN, orchestrator) },
      reviewerFiles: { reviewer: [], secondReviewer: [] },
      ...{ merges: new KeyedQueue(), trains: new MergeTrains(systemClock), starts: new WorktreeGate() },
      ...{ pullRequests: new Map(), branchChecks: new Map() },
      commandPermits: new Semaphore(state.workers),
      ...{ state: () => orchestrator.state, events: () => journal.read(), isBroken: () => orchestrator.isBroken },
      report: (fact) => !engine.dead && orchestrator.report(fact),
      recordDuration: () => undefined,
      dayBudget: { take: () => ({ ok: true }), settle: () => undefined },
      outages: new Outages({ clock: systemClock, minutes: 0, report: () => false }),
    };
    const changed = { ...plain, ...(await change(plain)) };
    const minutes = state.batch.limits.outageMinutes;
    const ctx = { ...changed, outages: new Outages({ clock: changed.clock, minutes, report: plain.report }) };
    const performer = new Performer(ctx, (error) => orchestrator.fail(error));
    this.engine = Object.assign(engine, { orchestrator, performer, ctx: performer.context, repo });
    orchestrator.ended.catch(() => performer.abortAll());
  }

  #agent(): Agent {
    const { work = oneFile, heal, reserveUsd = 0 } = this.#options;
    return {
      reserveUsd,
      run: async (task) => {
        this.tasks.push(task);
        return agentResult(await work(task));
      },
      heal: async (task) => {
        if (heal === undefined) throw new Error("this stage has no healer");
        return agentResult(await heal(task));
      },
    };
  }

  get state(): RunState {
    return this.engine.orchestrator.state;
  }

  ticket(id: Ticket["id"]) {
    return stateOf(this.state, id);
  }

  report(fact: RunFact): boolean {
    return this.engine.orchestrator.report(fact);
  }

  start(): void {
    this.engine.performer.watchTracker();
    this.engine.orchestrator.start(this.engine.performer);
  }

  async resume(by?: "engine"): Promise<void> {
    const { performer, ctx } = this.engine;
    await recover(ctx, () => performer.pollTracker(), by === undefined ? {} : { by });
    performer.watchTracker();
    this.engine.orchestrator.start(this.engine.performer);
  }

  /** The last state of the run, once nothing of it is at work any more. */
  async ended(): Promise<RunState> {
    const state = await this.engine.orchestrator.ended;
    await this.engine.performer.idle();
    return state;
  }

  /** Settles once an event of this type has come, counted from the first; gives the last of them. */
  async until(type: RunEvent["type"], match: (event: RunEvent) => boolean = () => true): Promise<RunEvent> {
    for (;;) {
      const found = this.events.findLast((event) => event.type === type && match(event));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => void this.#watchers.push(resolve));
    }
  }

  types(): string[] {
    return this.events.map((event) => event.type);
  }

  of<T extends RunEvent["type"]>(type: T): Extract<RunEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
  }

  git(...args: string[]): string {
    return git(this.user, ...args);
  }

  tracker(): Tracker {
    return this.engine.ctx.tracker;
  }

  [Symbol.dispose](): void {
    this.engine.dead = true;
    this.engine.performer.abortAll();
    this.#store.close();
    rmSync(this.root, { recursive: true, force: true });
    // Whatever a test is about, no commit of the engine's own is ever a person's.
    if (this.of("branch-commits-observed").some(({ note }) => note.includes(" by loopdash at ")))
      throw new Error("the engine's own commit was taken for a person's");
  }
}

function stop(): never {
  throw new Error("the engine was killed");
}

interface Engine {
  dead: boolean;
  readonly journal: Journal;
  readonly orchestrator: Orchestrator;
  readonly performer: Performer;
  readonly ctx: LoopContext;
  readonly repo: Repo;
}
