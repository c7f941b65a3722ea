import { rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { newSocketPath } from "../../adapters/channel/socket-path.ts";
import { openChannel } from "../../adapters/channel/socket-server.ts";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { removeFolder } from "../../adapters/remove-folder.ts";
import { isWithin, wayToPlace } from "../../adapters/sandbox/mounts/real-path.ts";
import { type GitHelper, startGitHelper } from "../../adapters/vcs/git/git-helper.ts";
import { canBeBilled } from "../../domain/batch/api-key-guard.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { isResumable } from "../../domain/results/next-steps.ts";
import { isActivity, type RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { ExclusiveNames } from "../../loop/run/exclusive-names.ts";
import { Orchestrator } from "../../loop/run/orchestrator.ts";
import { Performer } from "../../loop/run/perform.ts";
import { recover } from "../../loop/run/recover.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { packageFiles } from "../package-files.ts";
import { prepareStateHome, runFolder, type StateHome, stateHome } from "../state-home.ts";
import { findApiKeys, refuseApiKeys } from "./api-key-guard.ts";
import { namingUnfinished, openRun, type RunChoiceOptions } from "./choose-run.ts";
import { type OtherSessions, otherSessionsOf } from "./day-budget.ts";
import { exclusiveNamesOf, takeLocks } from "./engine-locks.ts";
import { findTestCommands, loadBatch } from "./load-batch.ts";
import { contextOf } from "./loop-context.ts";
import type { OpenRun } from "./open-run.ts";
import { preflight, type RunEnvironment } from "./preflight.ts";
import { type RunSecrets, secretsOf } from "./run-secrets.ts";
import { keepForLooks, RECENT, recentOf } from "./snapshot.ts";

export interface EngineOptions extends RunChoiceOptions {
  readonly batch: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts even if a model API key is set that changes who pays. */
  readonly allowApiKey: boolean;
}

/** A run that is working in this process. */
export interface Engine {
  readonly run: RunId;
  readonly folder: string;
  readonly state: () => RunState;
  /** Calls `to` with every event from now on, after it is durable. */
  subscribe(to: (event: RunEvent, state: RunState) => void): void;
  /** The events that are in the journal already: the first one if the run begins now, or changes of the batch file. */
  readonly written: readonly RunEvent[];
  /** Starts to work. */
  go(): void;
  /** Requests an orderly stop: agents are ended, and the run can be resumed. */
  stop(by: string): void;
  /** The last state, once everything that was started is over and closed. Rejects with a UserError if the journal failed. */
  readonly ended: Promise<RunState>;
}

/**
 * The composition root: reads the batch, checks the environment, takes the locks, opens or resumes the run and wires ports to
 * adapters. Throws a UserError if any check fails; then nothing has been started.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const loaded = await loadBatch(options.batch, {
    ...options,
    findTests: (repos) => {
      sanitizePath(options.env, repos);
      return findTestCommands(repos);
    },
  }).catch(async (error: unknown) => {
    throw await namingUnfinished(error, options);
  });
  sanitizePath(options.env, loaded.batch.repos);
  const git = startGitHelper({ program: packageFiles().main, args: ["__git"], env: allowedEnvironment(options.env, {}) });
  const opened: Opened = { git, locks: [] };
  try {
    const [world, keys] = await Promise.all([
      preflight(loaded, options, git.run),
      options.allowApiKey ? [] : findApiKeys(options.env, loaded),
    ]);
    if (canBeBilled(loaded.batch, world.sandbox !== undefined)) refuseApiKeys(keys);
    const others = await otherSessionsOf(loaded.batch, options.env);
    const home = stateHome(options.env, options.cwd);
    prepareStateHome(home);
    const store = openRunStore(home.db);
    opened.store = store;
    opened.locks.push(...takeLocks(loaded, home));
    // A Ctrl-C at the terminal must not interrupt git in the middle of a write again.
    await git.ready;
    for (const repo of world.repos.values()) await repo.finishCutOffLanding();
    const told = { ...loaded, warnings: [...loaded.warnings, ...world.warnings] };
    const open = await openRun({ options, loaded: told, world, home, store, others });
    const exclusive = exclusiveNamesOf(open.run);
    opened.locks.push(exclusive);
    const secrets = secretsOf(open.state.batch, { folder: loaded.folder, env: options.env });
    if (secrets !== undefined) opened.secrets = secrets;
    await secrets?.secrets.learn();
    return await wire({ open, world, home, store, others, opened, exclusive, secrets });
  } catch (error) {
    await letGo(opened);
    throw error;
  }
}

/**
 * Removes from `env.PATH` everything that is not an absolute folder or that is in one of these repositories. A file that lands
 * there could otherwise be the next `git` or `npm` that the engine starts (npx and npm put a project's `node_modules/.bin` first;
 * adversary case A12).
 */
function sanitizePath(env: NodeJS.ProcessEnv, repos: Batch["repos"]): void {
  const { PATH } = env;
  if (PATH === undefined) return;
  const closed = Object.values(repos).map(({ path }) => wayToPlace(path).real);
  const kept = PATH.split(":").filter((entry) => {
    if (!isAbsolute(entry)) return false;
    const { real } = wayToPlace(entry);
    return !closed.some((repository) => isWithin(repository, real));
  });
  if (kept.length > 0) env["PATH"] = kept.join(":");
  else delete env["PATH"];
}

/** Resources to release at the end of the run, for any outcome. */
interface Opened {
  readonly git: GitHelper;
  store?: RunStore;
  secrets?: RunSecrets;
  readonly locks: Disposable[];
}

async function letGo({ git, store, locks, secrets }: Opened): Promise<void> {
  secrets?.secrets.forget();
  await git.close();
  try {
    // Writes the journal's queue, which a locked or full disk may refuse again: the locks are released all the same.
    store?.close();
  } finally {
    for (const lock of locks) lock[Symbol.dispose]();
  }
}

interface EngineParts {
  readonly open: OpenRun;
  readonly world: RunEnvironment;
  readonly home: StateHome;
  readonly store: RunStore;
  readonly others: OtherSessions | undefined;
  readonly exclusive: ExclusiveNames;
  readonly opened: Opened;
  readonly secrets: RunSecrets | undefined;
}

async function wire(parts: EngineParts): Promise<Engine> {
  const { open, home, store, exclusive } = parts;
  const recent = recentOf(open.journal, open.state.seq);
  const warn = (problem: string) => process.emitWarning(problem);
  const keep = keepForLooks({ run: open.run, store, journal: open.journal, onProblem: warn });
  const subscribers: ((event: RunEvent, state: RunState) => void)[] = [];
  const orchestrator = new Orchestrator({ state: open.state, journal: open.journal, clock: systemClock, publish, exclusive });
  function publish(event: RunEvent): void {
    if (!isActivity(event)) recent.push(event);
    if (recent.length > RECENT) recent.shift();
    channel.publish(event);
    keep(event, orchestrator.state);
    for (const to of subscribers) to(event, orchestrator.state);
  }
  const folder = runFolder(home, open.run);
  const socketPath = newSocketPath(folder);
  const host = {
    snapshot: () => ({ kind: "snapshot", state: orchestrator.state, recent }) as const,
    command: (command: Parameters<Orchestrator["command"]>[0]) => orchestrator.command(command),
  };
  const ctx = await contextOf(parts, orchestrator);
  await writeFile(join(folder, "engine.pid"), `${process.pid}\n`, { mode: 0o600 });
  // The last step that may fail: an open socket would keep the process alive.
  const channel = await openChannel({ socketPath, host, onProblem: warn });
  const performer = new Performer(ctx, (error) => orchestrator.fail(error));
  const close = async (): Promise<void> => {
    await performer.idle();
    await cleanRun(parts);
    await channel.close();
    await letGo(parts.opened);
  };
  return {
    run: open.run,
    written: open.started === undefined ? (open.changed ?? []) : [open.started],
    folder,
    state: () => orchestrator.state,
    subscribe: (to) => void subscribers.push(to),
    go: () => void launch(open, ctx, orchestrator, performer),
    stop: (by) => orchestrator.stop(by),
    ended: orchestrator.ended.then(
      async (state) => {
        const { end } = state;
        try {
          // The same command resumes a run that stays unfinished.
          if (end !== undefined && !isResumable(end)) store.end(open.run, end);
        } catch (error) {
          throw journalFailed(open.run, error);
        } finally {
          await close();
        }
        return state;
      },
      async (error: unknown) => {
        performer.abortAll();
        // The first failure is the reason. A second one during closing is a consequence, and only reported.
        await close().catch((second: unknown) => process.emitWarning(`could not close in order: ${String(second)}`));
        throw journalFailed(open.run, error);
      },
    ),
  };
}

async function launch(open: OpenRun, ctx: LoopContext, orchestrator: Orchestrator, performer: Performer): Promise<void> {
  try {
    const isResumed = open.started === undefined;
    if (isResumed) await recover(ctx, () => performer.pollTracker());
    performer.watchTracker();
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
  for (const name of ["engine.pid", "engine.door"]) await rm(join(open.folder, name), { force: true });
  for (const folder of [join(home.worktrees, open.run), ...["judge", "oracle", "gates"].map((name) => join(open.folder, name))]) {
    // An agent may leave files that cannot be removed (for example a path that is too long). That is litter, and does not change
    // the run's outcome.
    await removeFolder(folder).catch((error: Error) => process.emitWarning(`could not remove ${folder}: ${error.message}`));
  }
}

function journalFailed(run: RunId, cause: unknown): UserError {
  return new UserError({
    what: `the run ${run} had to stop`,
    why: errorMessage(cause),
    todo: "Fix it (free disk space, say) and run the same command: it continues from the last event that was written.",
    exitCode: EXIT.unjudged,
    cause,
  });
}
