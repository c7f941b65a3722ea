import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { quotaExecutor } from "../../adapters/executor/disk-quota.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { createOutbox } from "../../adapters/outbox/read-outbox.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { createWatchedFiles } from "../../adapters/run-files/watched-files.ts";
import { createTestResultsReader } from "../../adapters/test-results/results-reader.ts";
import { createTextScans } from "../../adapters/text-scans/text-scans.ts";
import type { Limits } from "../../domain/batch/schema.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import { MergeQueue } from "../../loop/concurrency/merge-queue.ts";
import { Outages } from "../../loop/concurrency/outages.ts";
import { Semaphore } from "../../loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../loop/concurrency/worktree-gate.ts";
import type { Orchestrator } from "../../loop/run/orchestrator.ts";
import { BaseHealth } from "../../loop/steps/base-health.ts";
import { Manifests } from "../../loop/steps/manifests.ts";
import { TestCanaries } from "../../loop/steps/test-canaries.ts";
import type { Executor } from "../../ports/executor.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import type { WatchedFiles } from "../../ports/watched-files.ts";
import { packageFiles } from "../package-files.ts";
import type { StateHome } from "../state-home.ts";
import { agentOf, filesOfAgent } from "./agent-of.ts";
import { commandFilesIn } from "./batch-places.ts";
import { dayBudgetOf, type OtherSessions } from "./day-budget.ts";
import { harnessOf } from "./harness.ts";
import { openReviewer } from "./open-reviewer.ts";
import type { OpenRun } from "./open-run.ts";
import { judgesOf } from "./oracle-program.ts";
import type { RunEnvironment } from "./preflight.ts";

/** Wires the ports of the loop to adapters, for one run. */
export async function contextOf(
  {
    open,
    world,
    home,
    store,
    others,
  }: {
    readonly open: OpenRun;
    readonly world: RunEnvironment;
    readonly home: StateHome;
    readonly store: RunStore;
    readonly others?: OtherSessions | undefined;
  },
  orchestrator: Orchestrator,
): Promise<LoopContext> {
  const { batch } = open.state;
  const state = () => orchestrator.state;
  const gates = join(open.folder, "gates");
  const worktrees = join(home.worktrees, open.run);
  const { agentProgram: program } = world;
  const env = withIdentity(world.commandEnv);
  const scratch = join(open.folder, "oracle");
  for (const folder of [scratch, gates, join(open.folder, "judge"), worktrees]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const executor = await executorOf({ open, world, worktrees, gates });
  const files = createRunFiles({ folder: open.folder, worktrees });
  return {
    run: open.run,
    batch,
    confined: world.sandbox !== undefined,
    layers: world.sandbox?.layers === true,
    agentFiles: filesOfAgent(batch.agent, program, world.places),
    ...{ commandFiles: commandFilesIn(world.places), toolchainPaths: world.toolchainPaths },
    repos: world.repos,
    commandEnv: env,
    agent: await agentOf(batch, { executor, env, keys: process.env, program }),
    executor,
    tracker: open.tracker,
    ...judgesOf({
      batch,
      bytes: open.oracleBytes,
      oracleBatch: open.oracleBatch,
      tickets: () => orchestrator.state.plan.tickets,
      batchSha: open.state.batchSha,
      recorded: open.state.frozen,
      runFolder: open.folder,
      scratch,
    }),
    clock: systemClock,
    files,
    testReports: createTestResultsReader({ program: packageFiles().main, args: ["__results"] }),
    scans: createTextScans({ program: packageFiles().main, args: ["__scan"] }),
    ...knowledgeOf(files),
    templates: await readTemplates(),
    harness: await harnessOf({ ...open, home, repos: world.repos, state }),
    ...(world.sandbox?.kind === "bubblewrap" ? { toolsPlace: TOOLS_PLACE } : {}),
    outbox: createOutbox(),
    ...(await openReviewer(batch, { executor, env, keys: process.env, program: world.reviewerProgram, places: world.places })),
    ...turnsOf(open.state.workers),
    watchedFiles: watchedFilesOf(open, orchestrator),
    state,
    report: (fact) => orchestrator.report(fact),
    recordDuration: (ticket, ms) => store.recordDuration(open.run, ticket, ms),
    outages: outagesOf(batch.limits, orchestrator),
    dayBudget: dayBudgetOf(open.run, batch.limits.usdPerDay, store, others),
  };
}

function outagesOf({ outageMinutes = OUTAGE_MINUTES }: Partial<Limits>, orchestrator: Orchestrator): Outages {
  return new Outages({ clock: systemClock, minutes: outageMinutes, report: (fact) => orchestrator.report(fact) });
}

/** The engine's knowledge of what checks have shown; some of it is lost with the engine. */
function knowledgeOf(files: LoopContext["files"]): Pick<LoopContext, "manifests" | "testCanaries" | "baseHealth"> {
  return { manifests: new Manifests(files), testCanaries: new TestCanaries(), baseHealth: new BaseHealth() };
}

/** The queues and permits of landings, worktrees and commands. */
function turnsOf(workers: number): Pick<LoopContext, "merges" | "starts" | "commandPermits"> {
  return { merges: new MergeQueue(), starts: new WorktreeGate(), commandPermits: new Semaphore(workers) };
}

/** The batch file, and the harness in use. */
function watchedFilesOf({ folder, state }: OpenRun, orchestrator: Orchestrator): WatchedFiles {
  return createWatchedFiles({
    batchPath: state.batchPath,
    harness: () =>
      Object.keys(state.batch.repos).map((repo) => {
        const version = `${repo}/${orchestrator.state.heals.versions[repo] ?? 0}`;
        return { version, folder: join(folder, "harness", version) };
      }),
  });
}

/**
 * Adds a commit identity for commands that commit, because the home of a sandbox has no git configuration. The name does not
 * reveal loopdash to code.
 */
function withIdentity(env: RunEnvironment["commandEnv"]): RunEnvironment["commandEnv"] {
  const [name, email] = ["developer", "developer@localhost"];
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
  return { ...env, ...author, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** The folder in which a confined worker finds the harness's scripts. Nothing else is ever shown there. */
const TOOLS_PLACE = "/run/harness/tools";

/** Defaults for batches frozen by an older loopdash, which have neither limit. GiB per attempt, and minutes. */
const DISK_GIB = 20;
const OUTAGE_MINUTES = 15;

/** The executor: in the sandbox, if there is one, and with a disk limit for every program. */
async function executorOf(options: {
  open: OpenRun;
  world: RunEnvironment;
  worktrees: string;
  gates: string;
}): Promise<Executor> {
  const { open, world, worktrees, gates } = options;
  const plain = createExecutor();
  const executor = world.sandbox === undefined ? plain : await confined(plain, world.sandbox, gates);
  const bytes = Math.floor((open.state.batch.limits.diskGiB ?? DISK_GIB) * 2 ** 30);
  return quotaExecutor(executor, { roots: [open.folder, worktrees], bytes });
}

async function readTemplates(): Promise<LoopContext["templates"]> {
  const read = (name: string) => readFile(join(packageFiles().prompts, `${name}.md`), "utf8");
  const [reviewer, adversary, adjudicator, healer] = await Promise.all(
    ["reviewer", "adversary", "adjudicator", "healer"].map(read),
  );
  return { reviewer: reviewer ?? "", adversary: adversary ?? "", adjudicator: adjudicator ?? "", healer: healer ?? "" };
}

/**
 * An executor that confines what has a confinement, and opens a gateway to that confinement's hosts only. Loaded on demand:
 * node:https alone takes longer to load than everything that a run without a sandbox needs of it.
 */
async function confined(executor: Executor, sandbox: Sandbox, folder: string): Promise<Executor> {
  const [{ gatedExecutor }, { confinedExecutor }, { trustedCertificates, writeCertificates }] = await Promise.all([
    import("../../adapters/gateway/gated-executor.ts"),
    import("../../adapters/sandbox/confined-executor.ts"),
    import("../../adapters/sandbox/certificates.ts"),
  ]);
  const { main } = packageFiles();
  return gatedExecutor(confinedExecutor(executor, sandbox), {
    folder,
    proxyEnv: process.env,
    canListen: sandbox.kind === "bubblewrap",
    certificates: writeCertificates(join(folder, "ca.pem"), trustedCertificates({ env: process.env })),
    relay: { argv: [process.execPath, main, "__relay"], read: [dirname(main)] },
  });
}
