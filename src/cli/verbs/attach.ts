import { connectChannel, runSocketPath } from "../../adapters/channel/socket-client.ts";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { exitCodeOf } from "../exit-code.ts";
import { describeChoice, findRun, type LocatedRun, lookUpRun } from "../find-run.ts";
import { lastingPrinter } from "../lines.ts";
import { writeAll, writeNote } from "../print.ts";
import { printJournalOutage } from "../print-outage.ts";
import { printedSummary } from "../printed-summary.ts";
import { readScreenFiles } from "../screen-files.ts";
import { isInteractive, refuseSmallTerminal } from "../terminal.ts";

/** Shows a run: the dashboard on a terminal, else its lines from now on. Returns the run's exit code once it has ended. */
export async function attach(name: string | undefined): Promise<number> {
  const found = lookUpRun(name);
  const { live, folder } = found;
  const { run } = found.row;
  writeNote(describeChoice(found));
  if (isInteractive()) {
    refuseSmallTerminal("loopdash status");
    const files = await readScreenFiles(process.env, process.cwd());
    const { watch } = await import("../dashboard/watch.ts");
    return watch({ run, folder, live }, files);
  }
  return live ? follow(folder) : summary(findRun(run));
}

function summary({ live, state, row }: LocatedRun): number {
  writeAll(1, printedSummary(state, live));
  if (state.end === undefined)
    writeAll(2, `loopdash: no engine is at work on this run. Go on with it: loopdash ${row.batchPath}\n`);
  return exitCodeOf(state);
}

async function follow(folder: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<RunState | undefined>();
  let state: RunState | undefined;
  const { print, stop } = lastingPrinter(() => state, { clock: systemClock });
  const client = await connectChannel({
    socketPath: runSocketPath(folder),
    onMessage: (message) => {
      if (message.kind === "snapshot") {
        state = message.state;
        const { journal } = state.outages ?? {};
        if (journal !== undefined) printJournalOutage(journal, 1);
        return;
      }
      state = reduce(state, message.event);
      print(message.event, state);
      if (message.event.type === "run-ended") resolve(state);
    },
    onClose: () => resolve(state),
  });
  const last = await promise.finally(stop);
  client.close();
  if (last?.end === undefined) {
    writeAll(2, "loopdash: the engine is gone before the run ended; the same batch command continues it\n");
    return EXIT.notDone;
  }
  writeAll(1, `\n${printedSummary(last)}`);
  return exitCodeOf(last);
}
