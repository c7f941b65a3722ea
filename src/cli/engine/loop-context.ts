import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { quotaExecutor } from "../../adapters/executor/disk-quota.ts";
import { withPortBases } from "../../adapters/executor/port-bases.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { resultsSecret } from "../../adapters/journal/results-secret.ts";
import { createOutbox } from "../../adapters/outbox/read-outbox.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { createWatchedFiles } from "../../adapters/run-files/watched-files.ts";
import { createTestResultsReader } from "../../adapters/test-results/results-reader.ts";
import { createTextScans } from "../../adapters/text-scans/text-scans.ts";
import type { Limits } from "../../domain/batch/schema.ts";
import type { RunState } from "../../domain/run/state.ts";
import { KeyedQueue } from "../../domain/values/serial-queue.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import { MergeTrains } from "../../loop/concurrency/merge-train.ts";
import { Outages } from "../../loop/concurrency/outages.ts";
import { Semaphore } from "../../loop/concurrency/semaphore.ts";
import { WorktreeGate } from "../../loop/concurrency/worktree-gate.ts";
import type { Orchestrator } from "../../loop/run/orchestrator.ts";
import { BaseHealth } from "../../loop/steps/base-health.ts";
import type { ResultsContext } from "../../loop/steps/base-results.ts";
import { Manifests } from "../../loop/steps/manifests.ts";
import { Proofs } from "../../loop/steps/proofs.ts";
import type { AuditLog } from "../../ports/audit-log.ts";
import type { Executor, Sandbox } from "../../ports/executor.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { WatchedFiles } from "../../ports/watched-files.ts";
import { guardProgram } from "../guard/worker-program.ts";
import { packageFiles } from "../package-files.ts";
import { openPreparedTrees } from "../prepared-trees.ts";
import type { StateHome } from "../state-home.ts";
import { agentOf, filesOfAgent } from "./agent-of.ts";
import { dayBudgetOf, type OtherSessions } from "./day-budget.ts";
import { harnessOf } from "./harness.ts";
import type { LoadedBatch } from "./load-batch.ts";
import { maskedPorts } from "./masked-ports.ts";
import { openReviewers } from "./open-reviewer.ts";
import type { OpenRun } from "./open-run.ts";
import { judgesOf } from "./oracle-program.ts";
import { commandFilesIn } from "./outside-repositories.ts";
import type { OutsideTracker } from "./outside-tracker.ts";
import type { RunEnvironment } from "./preflight.ts";
import { keySecretsOf, type RunSecrets, stepSecretsOf } from "./run-secrets.ts";

/** The parts of a run that its ports are made of. */
interface ContextParts {
  readonly open: OpenRun;
  readonly world: RunEnvironment;
  readonly home: StateHome;
  readonly store: RunStore;
  readonly others?: OtherSessions | undefined;
  readonly secrets: RunSecrets | undefined;
  readonly audit: AuditLog;
  /** What the oracle reads an outside tracker with; undefined if the tracker is files of this machine. */
  readonly oracleAccess: OutsideTracker["oracleAccess"] | undefined;
}

/** The part of a run that its ports depend on. */
type Opened = Pick<OpenRun, "run" | "folder" | "state">;

/** Wires the ports of the loop to adapters, for one run. */
export async function contextOf(
  { open, world, home, store, others, secrets, audit, oracleAccess }: ContextParts,
  orchestrator: Orchestrator,
): Promise<LoopContext> {
  const { batch } = open.state;
  const state = () => orchestrator.state;
  const gates = join(open.folder, "gates");
  const worktrees = join(home.worktrees, open.run);
  const env = withIdentity(world.commandEnv);
  const scratch = join(open.folder, "oracle");
  await makeFolders([scratch, gates, join(open.folder, "judge"), worktrees]);
  const executor = await executorOf({ open, world, worktrees, gates, secrets });
  const plain = { audit, files: createRunFiles({ folder: open.folder, worktrees }), repos: world.repos };
  const { files, repos, report, ...written } = maskedPorts(secrets, { ...plain, report: (fact) => orchestrator.report(fact) });
  const outages = outagesOf(batch.limits, report);
  const programs = { executor, env, keys: process.env, secrets: keySecretsOf(secrets, outages), learn: secrets?.masker.learn };
  return {
    run: open.run,
    batch,
    ...placesOf(open, world, home),
    agentFiles: filesOfAgent(batch.agent, world.agentProgram, world.places),
    ...written,
    ...{ repos, pullRequests: world.pullRequests, branchChecks: world.branchChecks },
    commandEnv: env,
    agent: await agentOf(batch, { ...programs, program: world.agentProgram, guard: guardProgram() }),
    executor,
    tracker: open.tracker,
    ...judgesOf({
      ...{ batch, scratch, oracleAccess, keys: open.keys, bytes: open.oracleBytes, oracleBatch: open.oracleBatch },
      tickets: () => orchestrator.state.plan.tickets,
      batchSha: open.state.batchSha,
      recorded: open.state.frozen,
      runFolder: open.folder,
    }),
    clock: systemClock,
    files,
    ...untrustedReaders(packageFiles().main),
    ...knowledgeOf(open, { world, home, store }),
    templates: await readTemplates(),
    harness: await harnessOf({ ...open, home, repos: world.repos, state }),
    toolsPlace: world.sandbox?.kind === "bubblewrap" ? TOOLS_PLACE : undefined,
    outbox: createOutbox({ isCommand: batch.agent.kind === "command" }),
    ...(await openReviewers(batch, { ...programs, programs: world.reviewerPrograms, places: world.places })),
    ...turnsOf(open.state.workers),
    watchedFiles: watchedFilesOf(open, orchestrator),
    ...{ state, report, events: () => open.journal.read(), isBroken: () => orchestrator.isBroken },
    recordDuration: (ticket, ms) => store.recordDuration(open.run, ticket, ms),
    outages,
    ...stepSecretsOf(secrets, { batch, folder: dirname(open.state.batchPath), outages }),
    dayBudget: dayBudgetOf(open.run, batch.limits.usdPerDay, store, others),
  };
}

/** How commands run on this machine: the sandbox, kept preparations, files of the batch, toolchains. */
function placesOf(open: Opened, world: RunEnvironment, home: StateHome) {
  const { sandbox, places, toolchainPaths, carefulToolchains } = world;
  return {
    ...{ confined: sandbox !== undefined, layers: sandbox?.layers === true },
    ...preparedTreesOf(open, world, home),
    commandFiles: commandFilesIn(places),
    ...{ toolchainPaths, carefulToolchains },
  };
}

/** Wires the ports for measuring a base without a run. Only results of checks and preparations outlive `folder`. */
export async function measuringContext({
  state,
  folder,
  world,
  home,
  store,
  secrets,
  loaded,
}: Omit<ContextParts, "open" | "audit" | "oracleAccess" | "others"> & {
  readonly state: RunState;
  readonly folder: string;
  readonly loaded: Pick<LoadedBatch, "folder">;
}): Promise<ResultsContext> {
  const { batch } = state;
  const open = { run: state.run, folder, state };
  const worktrees = join(folder, "worktrees");
  const gates = join(folder, "gates");
  await makeFolders([gates, worktrees, join(folder, "judge")]);
  const outages = outagesOf({ outageMinutes: 0 }, () => false);
  return {
    batch,
    ...placesOf(open, world, home),
    ...{ agentFiles: [], reviewerFiles: { reviewer: [], secondReviewer: [] } },
    commandEnv: withIdentity(world.commandEnv),
    executor: await executorOf({ open, world, worktrees, gates, secrets }),
    clock: systemClock,
    files: createRunFiles({ folder, worktrees }),
    testReports: untrustedReaders(packageFiles().main).testReports,
    manifests: knowledgeOf(open, { world, home, store }).manifests,
    harness: await harnessOf({ ...open, home, repos: world.repos, state: () => state }),
    outages,
    ...stepSecretsOf(secrets, { batch, folder: loaded.folder, outages }),
    state: () => state,
    report: () => undefined,
  };
}

/** Kept results of prepare. They need a sandbox that shows every checkout at the same place. */
function preparedTreesOf(open: Opened, world: RunEnvironment, home: StateHome): Pick<LoopContext, "preparedTrees"> {
  if (world.sandbox?.kind !== "bubblewrap") return {};
  const maxBytes = (open.state.batch.limits.cacheGiB ?? CACHE_GIB) * 2 ** 30;
  return { preparedTrees: openPreparedTrees(home, { run: open.run, maxBytes }) };
}

/** Readers of untrusted text, each in a process of its own. */
function untrustedReaders(program: string) {
  return {
    testReports: createTestResultsReader({ program, args: ["__results"] }),
    scans: createTextScans({ program, args: ["__scan"] }),
  };
}

async function makeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
}

function outagesOf({ outageMinutes }: Pick<Limits, "outageMinutes">, report: LoopContext["report"]): Outages {
  return new Outages({ clock: systemClock, minutes: outageMinutes, report });
}

/**
 * The engine's knowledge of what checks have shown; some of it is lost with the engine. Without a sandbox an agent could read the secret
 * of kept results, and write some: then only those of this engine count.
 */
function knowledgeOf(
  { run }: Opened,
  { world, home, store }: Pick<ContextParts, "world" | "home" | "store">,
): Pick<LoopContext, "manifests" | "proofs" | "baseHealth"> {
  const secret = world.sandbox === undefined ? randomBytes(32) : resultsSecret(home.resultsSecret);
  const manifests = new Manifests(store.checkResults({ run, secret }), systemClock);
  return { manifests, proofs: new Proofs(), baseHealth: new BaseHealth() };
}

/** The queues and permits of landings, worktrees and commands. */
function turnsOf(workers: number): Pick<LoopContext, "trains" | "merges" | "starts" | "commandPermits"> {
  return {
    trains: new MergeTrains(systemClock),
    merges: new KeyedQueue(),
    starts: new WorktreeGate(),
    commandPermits: new Semaphore(workers),
  };
}

/** The batch file, its contracts, and the harness in use. */
function watchedFilesOf({ folder, state }: OpenRun, orchestrator: Orchestrator): WatchedFiles {
  return createWatchedFiles({
    batchPath: state.batchPath,
    contracts: () => [...new Set(orchestrator.state.plan.tickets.flatMap(({ contract }) => contract?.path ?? []))],
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

/** GiB of all kept results of prepare, unless the batch says otherwise. */
const CACHE_GIB = 20;

/** The executor: in the sandbox, if there is one, and with a disk limit for every program. */
async function executorOf(options: {
  open: Opened;
  world: RunEnvironment;
  worktrees: string;
  gates: string;
  secrets: RunSecrets | undefined;
}): Promise<Executor> {
  const { open, world, worktrees, gates, secrets } = options;
  const plain = createExecutor(secrets === undefined ? {} : { masker: secrets.masker });
  const inside = world.sandbox === undefined ? plain : await confined(plain, world.sandbox, { folder: gates, secrets });
  const executor = withPortBases(inside, world.sandbox?.kind !== "bubblewrap");
  const bytes = Math.floor(open.state.batch.limits.diskGiB * 2 ** 30);
  return quotaExecutor(executor, { roots: [open.folder, worktrees], bytes });
}

async function readTemplates(): Promise<LoopContext["templates"]> {
  const read = (name: string) => readFile(join(packageFiles().prompts, `${name}.md`), "utf8");
  const [reviewer = "", adversary = "", adjudicator = "", healer = "", planner = "", plan = ""] = await Promise.all(
    ["reviewer", "adversary", "adjudicator", "healer", "planner", "plan"].map(read),
  );
  return { reviewer, adversary, adjudicator, healer, planner, plan };
}

/** What gateways need to add headers with secrets: one authority for all sandboxes of the run. */
async function credentialsOf({ secrets, masker }: RunSecrets, trusted: string) {
  const { GatewayCertificateAuthority } = await import("@loopdash/model-gateway/server");
  return { secrets, masker, trusted, authority: new GatewayCertificateAuthority() };
}

/**
 * An executor that confines what has a confinement, and opens a gateway to that confinement's hosts only. Loaded on demand:
 * node:https alone takes longer to load than everything that a run without a sandbox needs of it.
 */
export async function confined(
  executor: Executor,
  sandbox: Sandbox,
  { folder, secrets }: { readonly folder: string; readonly secrets: RunSecrets | undefined },
): Promise<Executor> {
  const [{ gatewayExecutor }, { confinedExecutor }, { trustedCertificates, writeCertificates }] = await Promise.all([
    import("../../adapters/gateway/gateway-executor.ts"),
    import("../../adapters/sandbox/confined-executor.ts"),
    import("../../adapters/sandbox/certificates.ts"),
  ]);
  const { main } = packageFiles();
  const trusted = trustedCertificates({ env: process.env });
  const credentials = secrets === undefined ? undefined : await credentialsOf(secrets, trusted.pem);
  const shown = [trusted.pem, credentials?.authority.certificate ?? ""].join("");
  return gatewayExecutor(confinedExecutor(executor, sandbox), {
    folder,
    proxyEnv: process.env,
    certificates: writeCertificates(join(folder, "ca.pem"), { pem: shown }),
    canListen: sandbox.kind === "bubblewrap",
    credentials,
    relay: { argv: [process.execPath, main, "__relay"], read: [dirname(main)] },
  });
}
