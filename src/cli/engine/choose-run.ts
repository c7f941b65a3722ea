import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { openRunStore } from "../../adapters/journal/sqlite-run-store.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { runNumbers } from "../../domain/results/trend.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { activeTickets, type RunState } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { cleanUp } from "../../loop/attempt/kept-work.ts";
import { WorktreeGate } from "../../loop/concurrency/worktree-gate.ts";
import { Orchestrator } from "../../loop/run/orchestrator.ts";
import { findStrays, keepLostWork } from "../../loop/run/recover.ts";
import type { RunRow, RunStore } from "../../ports/run-store.ts";
import { GIVEN_UP } from "../find-run.ts";
import { runFolder, type StateHome, stateHome } from "../state-home.ts";
import { applyChanges, changesSince } from "./changed-batch.ts";
import type { OtherSessions } from "./day-budget.ts";
import { hasBegun, stateFromJournal } from "./journal-state.ts";
import type { LoadedBatch } from "./load-batch.ts";
import { beginRun, type ChecksOnly, newRunId, type OpenRun, resumeRun } from "./open-run.ts";
import type { RunEnvironment } from "./preflight.ts";

/** The options of the command line for the choice between a new run and the unfinished one. */
export interface RunChoiceOptions {
  readonly workers?: number;
  readonly fresh: boolean;
  /** A dashboard is opened with it. */
  readonly attended?: boolean;
  /** The changes of the batch file since the unfinished run began that a person accepts: new tickets, or all that can change. */
  readonly acceptChanges?: "additions" | "all";
  /** The new run only checks what the last one landed, or this ticket of it, once, and starts no agent. */
  readonly checksOnly?: ChecksOnly | undefined;
  /** Called once every check of the start has passed, before the run begins or resumes. An error that it throws ends the start. */
  readonly onAccepted?: (loaded: LoadedBatch) => void;
}

/**
 * Opens the batch's unfinished run, or begins a new one. Throws a UserError (exit 4) if the unfinished run cannot go on with the
 * batch and this machine as they are now.
 */
export async function openRun(input: {
  options: RunChoiceOptions;
  loaded: LoadedBatch;
  world: RunEnvironment;
  home: StateHome;
  store: RunStore;
  others: OtherSessions | undefined;
}): Promise<OpenRun> {
  const { options, loaded, home, store } = input;
  const unfinished = withoutRepaired(store, unfinishedRun(store, loaded.path), loaded);
  if (unfinished !== undefined && !options.fresh) {
    if (options.workers !== undefined) throw workersGiven(unfinished.run);
    const changes = await changesSince({ loaded, row: unfinished, store, acceptChanges: options.acceptChanges });
    options.onAccepted?.(loaded);
    const open = await resumeRun({ run: unfinished.run, home, store, outside: loaded.outside });
    refuseOtherSandbox(open, input.world);
    return changes === undefined ? open : applyChanges(open, changes);
  }
  options.onAccepted?.(loaded);
  const now = Date.now();
  if (unfinished !== undefined) await giveUp({ run: unfinished.run, store, home, world: input.world, now });
  return beginRun({
    ...input,
    run: newRunId(loaded.batch.name, new Date(now)),
    now,
    fresh: options.fresh,
    gaveUp: unfinished?.run,
    checksOnly: options.checksOnly,
    attended: options.attended,
  });
}

/**
 * The same run, unless its end was one that every agent would have met, and the batch file was changed since. That is the repair: the
 * run is closed, and a new one takes over what it leaves.
 */
function withoutRepaired(store: RunStore, row: RunRow | undefined, { sha }: LoadedBatch): RunRow | undefined {
  if (row === undefined || row.batchFileSha === sha) return row;
  const { end } = stateFromJournal(store.openForReading(row.run), row.run);
  if (end?.kind !== "not-done") return row;
  store.end(row.run, end);
  return undefined;
}

/** The run to resume. A run whose engine died before its first event has never begun: it is closed. */
function unfinishedRun(store: RunStore, batchPath: string): RunRow | undefined {
  const row = store.unfinished(batchPath);
  if (row === undefined) return undefined;
  if (hasBegun(store, row.run)) return row;
  store.end(row.run, { at: Date.now(), verdict: "not-done", exitCode: EXIT.interrupted, reason: "it never began" });
  return unfinishedRun(store, batchPath);
}

/** An error of a start; if the batch has an unfinished run, it says that this run is kept and how it goes on. */
export async function namingUnfinished(
  error: unknown,
  { batch, cwd, env }: { readonly batch: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<unknown> {
  const home = stateHome(env, cwd);
  const path = await realpath(resolve(cwd, batch)).catch(() => undefined);
  if (!(error instanceof UserError) || path === undefined || !existsSync(home.db)) return error;
  const store = openRunStore(home.db);
  try {
    const run = store.unfinished(path)?.run;
    if (run === undefined) return error;
    const { what, why, todo, exitCode } = error;
    return new UserError({ what, why, todo: `${todo} The unfinished run ${run} continues then.`, exitCode, cause: error });
  } finally {
    store.close();
  }
}

function workersGiven(run: RunId): UserError {
  return new UserError({
    what: `the unfinished run ${run} cannot continue`,
    why: "--workers cannot change a run that continues",
    todo: "Leave it out, or give the run up and start again with --fresh.",
    exitCode: EXIT.refused,
  });
}

/** A run keeps its recorded sandbox mode to its end. */
function refuseOtherSandbox({ run, state }: OpenRun, { sandbox }: RunEnvironment): void {
  if (state.sandboxed === (sandbox !== undefined)) return;
  const [was, is] = state.sandboxed ? ["in a sandbox", "there is none now"] : ["without a sandbox", "there is one now"];
  throw new UserError({
    what: `the unfinished run ${run} cannot continue`,
    why: `it began ${was}, and ${is}`,
    todo: "Run `loopdash doctor` to see what changed, or give the run up and start again with --fresh.",
    exitCode: EXIT.refused,
  });
}

/**
 * Closes an unfinished run for a new one: ends its leftover processes, keeps what agents left in its worktrees, and removes these;
 * its branches stay for people to read. The caller holds the locks, so no engine works on it. If the journal is broken, its
 * leftovers are unknown: the run is closed all the same, with a warning.
 */
export async function giveUp(options: {
  run: RunId;
  store: RunStore;
  home: StateHome;
  world: RunEnvironment;
  now: number;
}): Promise<void> {
  const { run, store, now } = options;
  try {
    const state = stateFromJournal(store.openForReading(run), run);
    await clearAway(state, options);
    keepNumbers(store, state);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.emitWarning(`${error.message}; processes or files of run ${run} may remain`);
  }
  store.end(run, { at: now, verdict: "not-done", exitCode: EXIT.interrupted, reason: GIVEN_UP });
}

/** Keeps the numbers for comparison in later runs. The run is given up even if that fails. */
function keepNumbers(store: RunStore, state: RunState): void {
  try {
    store.recordNumbers(state.run, runNumbers(state));
  } catch (error) {
    const why = errorMessage(error);
    process.emitWarning(`the numbers of run ${state.run} were not kept to be shown: ${why}`);
  }
}

async function clearAway(
  state: RunState,
  { home, store, world }: { home: StateHome; store: RunStore; world: RunEnvironment },
): Promise<void> {
  await createExecutor().killStrays(findStrays(state));
  const files = createRunFiles({ folder: runFolder(home, state.run), worktrees: join(home.worktrees, state.run) });
  await files.removeSetAside().catch((error: unknown) => process.emitWarning(`${state.run}: ${errorMessage(error)}`));
  const active = activeTickets(state);
  if (active.length === 0) return;
  const journal = store.open(state.run);
  try {
    const owner = new Orchestrator({ state, journal, clock: systemClock, publish: () => undefined });
    owner.ended.catch((error: unknown) => process.emitWarning(`${state.run}: ${errorMessage(error)}`));
    const report = (fact: RunFact) => owner.report(fact);
    const starts = new WorktreeGate();
    const ctx = {
      run: state.run,
      repos: world.repos,
      files,
      starts,
      confined: state.sandboxed,
      state: () => owner.state,
      report,
    };
    for (const { id, attempt } of active) {
      const repo = world.repos.get(plannedTicket(state.plan, id).repo);
      if (repo === undefined || attempt === undefined) continue;
      const deleteBranch = await keepLostWork(ctx, id);
      await (await cleanUp(ctx, id, { path: files.worktreePath(id, attempt.n), deleteBranch })).gone;
    }
  } finally {
    journal.close();
  }
}
