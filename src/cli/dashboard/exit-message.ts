import { setTimeout as wait } from "node:timers/promises";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { batchLock } from "../engine/engine-locks.ts";
import { exitCodeOf } from "../exit-code.ts";
import { findRun } from "../find-run.ts";
import { writeAll } from "../print.ts";
import { printedSummary } from "../printed-summary.ts";
import { stateHome } from "../state-home.ts";

/** Longest wait for a run's engine to clean up after the end, and how often that is checked. Milliseconds. */
const PUT_AWAY_MS = 5_000;
const LOOK_MS = 20;

/** Prints the summary of the run that was shown last. Returns its exit code. */
export async function exitMessage(run: string, state: RunState | undefined, lost: boolean): Promise<number> {
  if (state?.end !== undefined) {
    await putAway(state.batchPath, state.end.at + PUT_AWAY_MS - Date.now());
    writeAll(1, printedSummary(state));
    return exitCodeOf(state);
  }
  if (lost) {
    const command = state === undefined ? "the same command" : `loopdash ${plainText(state.batchPath)}`;
    writeAll(1, `The engine of run ${run} is gone; nothing was judged. To continue it: ${command}\n`);
    return EXIT.notDone;
  }
  writeAll(1, `The run continues without this dashboard. Watch it with: loopdash attach ${run}\n`);
  return EXIT.interrupted;
}

/**
 * The exit code is always that of the run that the command named, even if another was shown last: a script knows no other. The
 * code comes from that run's journal, and a line says so.
 */
export function ownExitCode(run: string): number {
  const { live, state } = findRun(run);
  const code = live ? EXIT.interrupted : exitCodeOf(state);
  const ended = state.end === undefined ? "its engine is gone" : "it has ended";
  const how = live ? `it continues: loopdash attach ${run}` : ended;
  writeAll(1, `The exit code, ${code}, is that of run ${run}, which this command was for; ${how}\n`);
  return code;
}

/**
 * Waits until the engine of a run that has just ended releases its batch, because the same command may follow at once. A later
 * holder is another run's engine. Waits at most `ms`, and never longer than PUT_AWAY_MS, because clocks may be set back.
 */
async function putAway(batchPath: string, ms: number): Promise<void> {
  const locks = createLocks(stateHome(process.env, process.cwd()).locks);
  const latest = performance.now() + Math.min(ms, PUT_AWAY_MS);
  while (performance.now() < latest && locks.isHeld(batchLock(batchPath))) await wait(LOOK_MS);
}
