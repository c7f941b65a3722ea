import { connectChannel } from "../../adapters/channel/socket-client.ts";
import { socketPathOf } from "../../adapters/channel/socket-path.ts";
import { reduce } from "../../domain/reduce.ts";
import type { RunState } from "../../domain/state.ts";
import { renderSummaryText } from "../../domain/summary.ts";
import { EXIT } from "../../domain/user-error.ts";
import { exitCodeOf } from "../exit-code.ts";
import { type FoundRun, findRun } from "../find-run.ts";
import { linePrinter } from "../lines.ts";
import { writeAll } from "../print.ts";
import { isInteractive, refuseSmallTerminal } from "../terminal.ts";

/** Shows a run: the dashboard on a terminal, else its lines from now on. Gives the run's exit code once it has ended. */
export async function attach(name: string | undefined): Promise<number> {
  const found = findRun(name);
  if (isInteractive() && (found.live || found.state.end !== undefined)) {
    refuseSmallTerminal();
    const { watch, watchEnded } = await import("../dashboard.ts");
    return found.live ? watch({ run: found.row.run, folder: found.folder }) : watchEnded(found.state);
  }
  return found.live ? follow(found) : summary(found);
}

function summary({ live, state, row }: FoundRun): number {
  writeAll(1, renderSummaryText(state, live));
  if (state.end === undefined)
    writeAll(2, `loopdash: no engine is at work on this run. Go on with it: loopdash ${row.batchPath}\n`);
  return exitCodeOf(state);
}

async function follow(found: FoundRun): Promise<number> {
  const print = linePrinter("lines");
  const { promise, resolve } = Promise.withResolvers<RunState | undefined>();
  let state: RunState | undefined;
  const client = await connectChannel({
    socketPath: socketPathOf(found.folder),
    onMessage: (message) => {
      if (message.kind === "snapshot") {
        state = message.state;
        return;
      }
      state = reduce(state, message.event);
      print(message.event, state);
      if (message.event.type === "run-ended") resolve(state);
    },
    onClose: () => resolve(state),
  });
  const last = await promise;
  client.close();
  if (last?.end === undefined) {
    writeAll(2, "loopdash: the engine is gone before the run ended; the same batch command goes on with it\n");
    return EXIT.notDone;
  }
  writeAll(1, `\n${renderSummaryText(last)}`);
  return exitCodeOf(last);
}
