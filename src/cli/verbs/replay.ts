import { reduce } from "../../domain/run/reduce.ts";
import type { RunState } from "../../domain/run/state.ts";
import { JournalBroken } from "../../ports/run-store.ts";
import { hasBegun, tampered } from "../engine/journal-state.ts";
import { describeChoice, lookUpRun, type RecordedRun, withStore } from "../find-run.ts";
import { linePrinter } from "../lines.ts";
import { writeAll, writeNote } from "../print.ts";
import { summaryForPrint } from "../printed-summary.ts";
import type { Request } from "../program.ts";
import { readScreenFiles } from "../screen-files.ts";
import { isInteractive, refuseSmallTerminal } from "../terminal.ts";

/**
 * Replays a run: in the dashboard on a terminal, else as lines, all at once. Exit 0, which says nothing about the run. Throws a
 * UserError (exit 3) if the journal is broken.
 */
export async function replay({ run: name, speed, skipsIdle }: Extract<Request, { verb: "replay" }>): Promise<number> {
  const found = lookUpRun(name);
  writeNote(describeChoice(found));
  const { folder } = found;
  const { run } = found.row;
  if (isInteractive()) {
    refuseSmallTerminal("loopdash report");
    const files = await readScreenFiles(process.env, process.cwd());
    const { replayOnTerminal } = await import("../dashboard/replay-on-terminal.ts");
    await replayOnTerminal({ run, folder, speed, skipsIdle }, files);
    return 0;
  }
  return tell(found);
}

function tell({ row: { run }, live }: RecordedRun): number {
  const print = linePrinter("lines");
  const state = withStore((store) => {
    if (!hasBegun(store, run)) throw tampered(run, "its journal is empty");
    let at: RunState | undefined;
    try {
      for (const event of store.openForReading(run).read()) {
        at = reduce(at, event);
        print(event, at);
      }
    } catch (error) {
      throw error instanceof JournalBroken ? tampered(run, `its journal is broken: ${error.message}`, error) : error;
    }
    return at;
  });
  if (state !== undefined) writeAll(1, `\n${summaryForPrint(state, live, [])}`);
  return 0;
}
