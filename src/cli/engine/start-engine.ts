import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAuditLog } from "../../adapters/audit/audit-log.ts";
import { newSocketPath } from "../../adapters/channel/socket-client.ts";
import { openChannel } from "../../adapters/channel/socket-server.ts";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { canPass } from "../../adapters/disk-error.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { onLongWait } from "../../adapters/executor/long-waits.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import type { OpenRoute } from "../../adapters/notice/post-notice.ts";
import { removeFolder } from "../../adapters/remove-folder.ts";
import { startGitHelper } from "../../adapters/vcs/git/git-helper.ts";
import { canBeBilled } from "../../domain/batch/api-key-guard.ts";
import { isResumable } from "../../domain/results/next-steps.ts";
import type { Command } from "../../domain/run/command.ts";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import { basesToMeasure } from "../../domain/run/reduce-base-measure.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { ExclusiveNames } from "../../loop/run/exclusive-names.ts";
import { Orchestrator } from "../../loop/run/orchestrator.ts";
import { Performer } from "../../loop/run/perform.ts";
import { recover } from "../../loop/run/recover.ts";
import type { AuditLog } from "../../ports/audit-log.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { keepRunBundle } from "../bundles/keep-run-bundle.ts";
import { packageFiles } from "../package-files.ts";
import { prepareStateHome, runFolder, type StateHome, stateHome } from "../state-home.ts";
import { findApiKeys, refuseApiKeys } from "./api-key-guard.ts";
import { namingUnfinished, openRun, type RunChoiceOptions } from "./choose-run.ts";
import { type OtherSessions, otherSessionsOf } from "./day-budget.ts";
import {
  disposeAll,
  type EngineEnd,
  type EngineFault,
  type EngineResources,
  faultOf,
  type Inherited,
  journalFailed,
  releaseInherited,
  releaseResources,
} from "./engine-end.ts";
import { exclusiveNamesOf, takeLocks } from "./engine-locks.ts";
import { findReports, findRules, findTestCommands } from "./find-in-bases.ts";
import { loadBatch } from "./load-batch.ts";
import { contextOf } from "./loop-context.ts";
import { type Notices, startNotices } from "./notices.ts";
import type { OpenRun } from "./open-run.ts";
import type { OutsideTracker } from "./outside-tracker.ts";
import { openOwnRoutes, readOwnNotify } from "./own-notify.ts";
import { preflight, type RunEnvironment } from "./preflight.ts";
import { prepareRehearsal } from "./rehearsal.ts";
import { type RunSecrets, secretsOf } from "./run-secrets.ts";
import { keepForLooks, RECENT, recentOf } from "./snapshot.ts";

export interface EngineOptions extends RunChoiceOptions {
  readonly batch: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts even if a model API key is set that changes who pays. */
  readonly allowApiKey: boolean;
  /** The one ticket that is worked in a copy of its repository; nothing lands. */
  readonly rehearse?: string;
  /** Other runs follow it: its end alone is no news. */
  readonly isOneOfMany?: boolean | undefined;
}

/** One engine that works on a run in this process. */
export interface Engine {
  readonly run: RunId;
  readonly folder: string;
  readonly state: () => RunState;
  /** Calls `to` with every event from now on, after it is durable. */
  subscribe(to: (event: RunEvent, state: RunState) => void): void;
  /** The events that are in the journal already: the first one if the run begins now, or changes of the batch file. */
  readonly written: readonly RunEvent[];
  /** Takes a person's command; before `go`, it waits for that. */
  command(command: Command): void;
  /** Starts to work. */
  go(): void;
  /** Requests an orderly stop: agents are ended, and the run can be resumed. */
  stop(by: string): void;
  /**
   * How it ended, once everything that was started is over and closed. Rejects with a UserError if an error ended it that cannot
   * pass by itself: of the journal, or a defect.
   */
  readonly ended: Promise<EngineEnd>;
}

/**
 * The composition root: reads the batch, checks the environment, takes the locks, opens or resumes the run and wires ports to
 * adapters. If an engine of this process has left `inherited`, its run is resumed, which is no intervention. Throws a UserError
 * if any check fails; then nothing has been started, and `inherited` is untouched.
 */
export async function startEngine(options: EngineOptions, inherited?: Inherited): Promise<Engine> {
  const find = { findTests: findTestCommands, findReports, findRules };
  const read = await loadBatch(options.batch, { ...options, ...find }).catch(async (error: unknown) => {
    throw await namingUnfinished(error, options);
  });
  const own = readOwnNotify(options.env, options.cwd);
  const { rehearse } = options;
  const loaded = rehearse === undefined ? read : await prepareRehearsal(read, rehearse, stateHome(options.env, options.cwd));
  const git = startGitHelper({ program: packageFiles().main, args: ["__git"], env: allowedEnvironment(options.env, {}) });
  const opened: EngineResources = { git, locks: [] };
  let locks = inherited?.locks;
  try {
    const secrets = loaded.outside?.secrets ?? secretsOf(loaded.batch, { folder: loaded.folder, env: options.env });
    if (secrets !== undefined) opened.secrets = secrets;
    const [world, keys] = await Promise.all([
      preflight(loaded, { ...options, git: git.run, secrets }),
      options.allowApiKey ? [] : findApiKeys(options.env, loaded),
    ]);
    if (canBeBilled(loaded.batch, world.sandbox !== undefined)) refuseApiKeys(keys);
    const others = await otherSessionsOf(loaded.batch, options.env);
    const home = stateHome(options.env, options.cwd);
    prepareStateHome(home);
    const store = openRunStore(home.db);
    opened.store = store;
    locks ??= takeLocks(loaded, home);
    await loaded.outside?.endLeft();
    const webhook = await loaded.outside?.listen?.();
    if (webhook !== undefined) opened.webhook = webhook;
    // A Ctrl-C at the terminal must not interrupt git in the middle of a write again.
    await git.ready;
    for (const repo of world.repos.values()) await repo.finishCutOffLanding();
    const tellsNobody = rehearse !== undefined || options.checksOnly !== undefined;
    const { routes: ownRoutes, untold } = await openOwnRoutes(own, { ...options, tellsNobody, sandbox: world.sandbox });
    const told = { ...loaded, warnings: [...loaded.warnings, ...world.warnings, ...untold] };
    const open = await openRun({ options, loaded: told, world, home, store, others });
    const exclusive = exclusiveNamesOf(open.run);
    opened.locks.push(exclusive);
    await secrets?.secrets.preload();
    const oracleAccess = loaded.outside?.oracleAccess;
    const keepsChecksOnly = options.checksOnly !== undefined && open.state.checksOnly === true;
    const at = { open, world, home, store, others, opened, exclusive, secrets, ownRoutes, oracleAccess, locks, inherited };
    return await wire({ ...at, tellsNobody, keepsChecksOnly });
  } catch (error) {
    await releaseResources(opened);
    if (inherited === undefined) disposeAll(locks ?? []);
    throw error;
  }
}

interface EngineParts {
  readonly open: OpenRun;
  readonly world: RunEnvironment;
  readonly home: StateHome;
  readonly store: RunStore;
  readonly others: OtherSessions | undefined;
  readonly exclusive: ExclusiveNames;
  readonly opened: EngineResources;
  readonly secrets: RunSecrets | undefined;
  /** A person's own receivers of notices. */
  readonly ownRoutes: readonly OpenRoute[];
  readonly oracleAccess: OutsideTracker["oracleAccess"] | undefined;
  readonly locks: readonly Disposable[];
  readonly inherited: Inherited | undefined;
  /** It is a rehearsal, or a person waits for what it checks. */
  readonly tellsNobody: boolean;
  /** The resumed run still starts no agent. */
  readonly keepsChecksOnly: boolean;
}

async function wire(parts: EngineParts): Promise<Engine> {
  const { open, home, store, exclusive } = parts;
  const recent = recentOf(open.journal, open.state.seq);
  const warn = (problem: string) => process.emitWarning(problem);
  const keep = keepForLooks({ run: open.run, store, journal: open.journal, onProblem: warn });
  onLongWait((text) => orchestrator.report({ type: "engine-waits", text }));
  const subscribers: ((event: RunEvent, state: RunState) => void)[] = [];
  const orchestrator = new Orchestrator({ state: open.state, journal: open.journal, clock: systemClock, publish, exclusive });
  function publish(event: RunEvent): void {
    if (!isActivity(event)) recent.push(event);
    if (recent.length > RECENT) recent.shift();
    channel.publish(event);
    keep(event, orchestrator.state);
    notices?.look(orchestrator.state);
    for (const to of subscribers) to(event, orchestrator.state);
  }
  const folder = runFolder(home, open.run);
  const host = {
    snapshot: () => ({ kind: "snapshot", state: orchestrator.state, recent }) as const,
    command: (command: Command) => {
      // Whoever asks the oracle wants to know how things are now, also if it is refused because the oracle is away.
      if (command.type === "judge") ctx.outages.tryNow();
      orchestrator.command(command);
    },
  };
  const ctx = await contextOf({ ...parts, audit: auditOf(parts, folder, orchestrator) }, orchestrator);
  await writeFile(join(folder, "engine.pid"), `${process.pid}\n`, { mode: 0o600 });
  // The last step that may fail: an open socket would keep the process alive.
  const channel = parts.inherited?.channel ?? (await openChannel({ socketPath: newSocketPath(folder), host, onProblem: warn }));
  parts.inherited?.channel.serve(host);
  const notices = await openNotices({ ...parts, folder }, orchestrator);
  const performer = new Performer(ctx, (error) => orchestrator.fail(error));
  const inherited: Inherited = { run: open.run, folder, db: home.db, locks: parts.locks, channel };
  const fault = (cause: unknown): EngineFault => ({ kind: "fault", cause, state: orchestrator.state, recent, inherited });
  const recorded = orchestrator.ended.then((state) => recordEnd(store, open.run, state));
  return {
    run: open.run,
    written: open.started === undefined ? (open.changed ?? []) : [open.started],
    folder,
    ...{ state: () => orchestrator.state, command: host.command },
    subscribe: (to) => void subscribers.push(to),
    go: () => void launch(parts, ctx, orchestrator, performer),
    stop: (by) => orchestrator.stop(by),
    ended: recorded.then(
      async (state) => {
        await close(parts, performer, inherited);
        return { kind: "over", state };
      },
      async (cause: unknown) => {
        await closeAfterFault(parts, performer);
        if (canPass(cause)) return fault(cause);
        await releaseInherited(inherited);
        throw journalFailed(open.run, cause);
      },
    ),
  };
}

/** Closes what a failed engine has opened. The first failure is the reason; a second one is a consequence, and only reported. */
async function closeAfterFault({ opened }: EngineParts, performer: Performer): Promise<void> {
  performer.abortAll();
  await performer.idle();
  await releaseResources(opened).catch((second: unknown) => process.emitWarning(`could not close in order: ${String(second)}`));
}

/** Tells the batch's receivers, and a person's own, of the run from now on. */
async function openNotices(
  { open, opened, folder, secrets, ownRoutes, tellsNobody }: EngineParts & { readonly folder: string },
  orchestrator: Orchestrator,
): Promise<Notices | undefined> {
  if (tellsNobody) return undefined;
  const { batch } = open.state;
  const notices = await startNotices(
    { batch, run: open.run, folder, secrets, ownRoutes, env: process.env },
    (fact) => void orchestrator.report(fact),
  );
  if (notices === undefined) return undefined;
  opened.notices = notices;
  notices.look(open.state);
  return notices;
}

/** The audit log of the run, which is closed with this engine. */
function auditOf({ open, opened }: EngineParts, folder: string, orchestrator: Orchestrator): AuditLog {
  const head = () => orchestrator.state.audit;
  const audit = openAuditLog({ folder: join(folder, "audit"), run: open.run, head, clock: systemClock });
  opened.locks.push(audit);
  return audit;
}

/** Notes the end of a run. The same command resumes a run that stays unfinished. */
function recordEnd(store: RunStore, run: RunId, state: RunState): RunState {
  if (state.end !== undefined && !isResumable(state)) store.end(run, state.end);
  return state;
}

async function close(parts: EngineParts, performer: Performer, inherited: Inherited): Promise<void> {
  await performer.idle();
  await cleanRun(parts);
  // The run has its end without the list of its files; `report --bundle` makes one at any time.
  await keepRunBundle(parts.store, parts.open.run, parts.open.folder).catch((error: unknown) =>
    process.emitWarning(`the bundle of run ${parts.open.run} could not be written: ${faultOf(error)}`),
  );
  try {
    await releaseResources(parts.opened);
  } finally {
    await releaseInherited(inherited);
  }
}

async function launch(
  { open, inherited, keepsChecksOnly }: EngineParts,
  ctx: LoopContext,
  orchestrator: Orchestrator,
  performer: Performer,
): Promise<void> {
  try {
    const isResumed = open.started === undefined;
    const how = inherited === undefined ? { keepsChecksOnly } : { by: "engine" as const };
    if (isResumed) await recover(ctx, () => performer.pollTracker(), how);
    performer.watchTracker();
    const repos = orchestrator.state.baseMeasures === undefined ? basesToMeasure(orchestrator.state) : [];
    if (repos.length > 0) orchestrator.report({ type: "base-measure-due", repos });
    orchestrator.start(performer);
  } catch (error) {
    orchestrator.fail(error);
  }
}

/**
 * Removes data that only a live engine needs. Worktrees of failed tickets are gone already; their branches stay for people to
 * read.
 */
async function cleanRun({ home, open }: EngineParts): Promise<void> {
  for (const folder of [join(home.worktrees, open.run), ...["judge", "oracle", "gates"].map((name) => join(open.folder, name))]) {
    // An agent may leave files that cannot be removed (for example a path that is too long). That is litter, and does not change
    // the run's outcome.
    await removeFolder(folder).catch((error: Error) => process.emitWarning(`could not remove ${folder}: ${error.message}`));
  }
}
