import { join } from "node:path";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { numbersOf } from "../../domain/results/trend.ts";
import { activeTickets, type RunState } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RunId } from "../../domain/values/ids.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { straysOf } from "../../loop/run/recover.ts";
import type { RunStore } from "../../ports/run-store.ts";
import type { StateHome } from "../state-home.ts";
import { stateFromJournal } from "./journal-state.ts";
import type { RunEnvironment } from "./preflight.ts";

/**
 * Closes an unfinished run for a new one: ends its leftover processes and removes its worktrees; its branches stay for people to
 * read. The caller holds the locks, so no engine works on it. If the journal is broken, its leftovers are unknown: the run is
 * closed all the same, with a warning.
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
    process.emitWarning(`${error.message}; what the run ${run} left running or lying about is not known`);
  }
  store.end(run, { at: now, verdict: "not-done", exitCode: EXIT.interrupted, reason: "given up for a fresh run (--fresh)" });
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

async function clearAway(state: RunState, { home, world }: { home: StateHome; world: RunEnvironment }): Promise<void> {
  await createExecutor().killStrays(straysOf(state));
  for (const { id, attempt } of activeTickets(state)) {
    const repo = world.repos.get(specOf(state.plan, id).repo);
    const path = join(home.worktrees, state.run, `${id}-${attempt?.n}`);
    await repo?.removeWorktree({ path, branch: `loopdash/${state.run}/${id}`, deleteBranch: false });
  }
}
