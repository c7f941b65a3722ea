import type { TestResult } from "@loopdash/test-evidence";
import { scan } from "../../../src/adapters/text-scans/scan.ts";
import type { Batch, Ticket } from "../../../src/domain/batch/schema.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import { KeyedQueue } from "../../../src/domain/values/serial-queue.ts";
import type { LoopContext } from "../../../src/loop/attempt/context.ts";
import { MergeTrains } from "../../../src/loop/concurrency/merge-train.ts";
import { Outages } from "../../../src/loop/concurrency/outages.ts";
import { Semaphore } from "../../../src/loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../../src/loop/concurrency/worktree-gate.ts";
import type { Orchestrator } from "../../../src/loop/run/orchestrator.ts";
import { BaseHealth } from "../../../src/loop/steps/base-health.ts";
import { Manifests } from "../../../src/loop/steps/manifests.ts";
import { Proofs } from "../../../src/loop/steps/proofs.ts";
import type { AgentResult } from "../../../src/ports/agent.ts";
import type { EngineClock } from "../../../src/ports/clock.ts";
import type { ExecResult } from "../../../src/ports/executor.ts";
import type { RunFiles } from "../../../src/ports/run-files.ts";
import type { ComparedRuns } from "../../../src/ports/text-scans.ts";
import type { Repo } from "../../../src/ports/vcs.ts";
import { fixedHarness } from "../fixed-harness.ts";
import { judgeBy } from "../honest-oracle.ts";
import { memoryCheckResults } from "../memory-check-results.ts";
import type { FakeRepo } from "./fake-repo.ts";
import type { FakeTracker } from "./fake-tracker.ts";

export const RUN = RunId.parse("world");

/** Time that an agent and a live check take. Milliseconds. */
const AGENT_MS = 20_000;
const VERIFY_MS = 500;
/** Time that a landing takes, so that no two are at once. Milliseconds. */
const LANDING_MS = 1;

/** A command of a finish line, as it begins. */
export interface Ran {
  readonly argv: readonly string[];
  /** Ends with `/reverify`, `/live`, `/revert`, or names the attempt. */
  readonly marker: string;
  readonly files: ReadonlyMap<string, string>;
}

/** What agents and commands do, in turn. */
export interface Turns {
  readonly agents: boolean[];
  readonly verifies: boolean[];
  readonly work?: string[];
  readonly command?: (ran: Ran) => boolean;
  readonly tests?: (files: ReadonlyMap<string, string>) => readonly TestResult[] | undefined;
}

/** What outlives an engine. */
export interface Outside {
  readonly clock: EngineClock;
  readonly repo: FakeRepo;
  readonly tracker: Pick<FakeTracker, "port">;
}

/** Another promise for each call: all that waits for one that lives as long as the process would live as long, too. */
const never = (): Promise<never> => new Promise(() => undefined);

/** A port whose calls never end once the engine is dead: what it had begun goes no further. */
function mortal<Port extends object>(port: Port, isAlive: () => boolean): Port {
  return new Proxy(port, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => (isAlive() ? value.apply(target, args) : never());
    },
  });
}

/** A clock whose timers die with the engine. */
export function mortalClock(clock: EngineClock, isAlive: () => boolean): EngineClock {
  const none = (): void => undefined;
  return {
    now: () => clock.now(),
    ran: () => clock.ran(),
    gaps: () => clock.gaps(),
    after: (ms, then) => (isAlive() ? clock.after(ms, () => (isAlive() ? then() : undefined)) : none),
  };
}

/** Takes a while of the clock, unless it is cut short. False if it was. */
function take(clock: EngineClock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true));
    signal.addEventListener("abort", () => {
      cancel();
      resolve(false);
    });
  });
}

function slowlyLanding(repo: Repo, clock: EngineClock): Repo {
  const { signal } = new AbortController();
  return {
    ...repo,
    land: async (how) => {
      const landing = await repo.land(how);
      await take(clock, LANDING_MS, signal);
      return landing;
    },
  };
}

/** The services of an engine, which lead into memory while it is alive. `clock` is its own. */
export function contextOf(
  { clock, repo, tracker }: Outside,
  { orchestrator, isAlive }: { readonly orchestrator: Orchestrator; readonly isAlive: () => boolean },
  batch: Batch,
  turns: Turns,
): LoopContext {
  const files = filesOf();
  const report: LoopContext["report"] = (fact) => orchestrator.report(fact);
  const port = mortal(tracker.port(), isAlive);
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
    reviewerFiles: { reviewer: [], secondReviewer: [] },
    repos: new Map([["app", mortal(slowlyLanding(repo.port(), clock), isAlive)]]),
    commandEnv: {},
    agent: {
      reserveUsd: 0,
      run: async ({ signal, ticket, attempt, worktree }): Promise<AgentResult> => {
        if (!isAlive()) return never();
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
        if (!isAlive()) return never();
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
    testReports: reportsOf(repo, turns),
    scans: SCANS,
    manifests: new Manifests(memoryCheckResults(), clock),
    proofs: new Proofs(),
    baseHealth: new BaseHealth(),
    harness: fixedHarness(),
    templates: { reviewer: "", adversary: "", adjudicator: "", healer: "", planner: "", plan: "" },
    audit: { append: () => undefined, flush: () => undefined },
    outbox: {
      read: () => Promise.resolve({ discoveries: [], refused: [] }),
      readRun: () => Promise.resolve({ refused: [] }),
    },
    merges: new KeyedQueue(),
    trains: new MergeTrains(clock),
    pullRequests: new Map(),
    branchChecks: new Map(),
    starts: new WorktreeGate(),
    commandPermits: new Semaphore(batch.limits.workers),
    state: () => orchestrator.state,
    report,
    isBroken: () => orchestrator.isBroken,
    events: () => [],
    recordDuration: () => undefined,
    dayBudget: { take: () => ({ ok: true }), settle: () => undefined },
    outages: new Outages({ clock, minutes: batch.limits.outageMinutes, report }),
  };
}

function reportsOf(repo: FakeRepo, { tests }: Turns): LoopContext["testReports"] {
  return {
    await: ({ folder }) => {
      const results = tests?.(repo.filesOf(repo.checkouts.get(folder)));
      const reading =
        results === undefined
          ? ({ ok: false, absent: true, problem: "there is none" } as const)
          : { ok: true as const, tests: results };
      return Promise.resolve({ read: () => Promise.resolve(reading) });
    },
    find: () => Promise.reject(new Error("no runner is made to report here")),
    parse: () => Promise.reject(new Error("no report comes as text here")),
  };
}

const SCANS: LoopContext["scans"] = {
  compare: (runs) => Promise.resolve({ ok: true, value: scan({ kind: "compare", ...runs }) as ComparedRuns }),
  suppressions: () => Promise.reject(new Error("nothing is searched here")),
  classify: () =>
    Promise.resolve({
      ok: true,
      value: { code: [], additions: [], judges: [], inert: [], definition: [], tested: [], testsGone: [], runners: [] },
    }),
};

/** Files that nobody writes: no effect of these runs reads one. */
function filesOf(): RunFiles {
  const done = () => Promise.resolve();
  const attempt = (ticket: Ticket["id"], n: number) => {
    const folder = `/run/${ticket}/${n}`;
    const names = { prompt: "p", outbox: "o", session: "s", guard: "g", guardReport: "r", agentLog: "l", patch: "c" };
    const paths = Object.fromEntries(Object.entries(names).map(([key, name]) => [key, `${folder}/${name}`]));
    return { folder, ...(paths as typeof names), log: (name: string) => `${folder}/${name}.log` };
  };
  return {
    attempt: (ticket, n) => Promise.resolve(attempt(ticket, n)),
    afterAttempt: (ticket, n) => Promise.resolve(attempt(ticket, n)),
    copyInto: () => Promise.resolve(undefined),
    writeWhole: () => Promise.resolve({ bytes: 0, sha256: "0" }),
    list: () => Promise.resolve({ files: [], leftOut: [] }),
    heal: () => Promise.reject(new Error("nothing is healed here")),
    tail: () => Promise.resolve(""),
    followLines: () => done,
    makeFolder: done,
    write: done,
    exists: () => Promise.resolve(false),
    checkoutPath: (ticket, purpose) => `/run/${ticket}/${purpose}`,
    reflectiveLog: (ticket) => `/run/${ticket}.jsonl`,
    worktreePath: (ticket, n) => `/worktrees/${ticket}-${n}`,
    remove: done,
    setAside: () => Promise.resolve(undefined),
    removeSetAside: done,
    hasRoom: () => Promise.resolve(true),
  };
}
