import { join } from "node:path";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { numbersOf } from "../../domain/results/trend.ts";
import type { RunFact } from "../../domain/run/event.ts";
import { activeTickets, type RunState } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { cleanUp } from "../../loop/attempt/clean-up.ts";
import { WorktreeGate } from "../../loop/concurrency/worktree-gate.ts";
import { Orchestrator } from "../../loop/run/orchestrator.ts";
import { keepLostWork, straysOf } from "../../loop/run/recover.ts";
import type { RunStore } from "../../ports/run-store.ts";
import { GIVEN_UP } from "../find-run.ts";
import { runFolder, type StateHome } from "../state-home.ts";
import { stateFromJournal } from "./journal-state.ts";
import type { RunEnvironment } from "./preflight.ts";

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
    store.recordNumbers(state.run, numbersOf(state));
  } catch (error) {
    const why = errorMessage(error);
    process.emitWarning(`the numbers of run ${state.run} were not kept to be shown: ${why}`);
  }
}

async function clearAway(
  state: RunState,
  { home, store, world }: { home: StateHome; store: RunStore; world: RunEnvironment },
): Promise<void> {
  await createExecutor().killStrays(straysOf(state));
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
      const repo = world.repos.get(specOf(state.plan, id).repo);
      if (repo === undefined || attempt === undefined) continue;
      const deleteBranch = await keepLostWork(ctx, id);
      await (await cleanUp(ctx, id, { path: files.worktreePath(id, attempt.n), deleteBranch })).gone;
    }
  } finally {
    journal.close();
  }
}
