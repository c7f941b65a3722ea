import { writeSync } from "node:fs";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { formatProblems } from "../../domain/batch/problem.ts";
import { isToldAtStart } from "../../domain/batch/warn.ts";
import { isLoopFile } from "../../domain/ci/loop-file.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { startSupervisedEngine } from "../engine/engine-supervisor.ts";
import type { ChecksOnly } from "../engine/open-run.ts";
import { type LastingPrinter, lastingPrinter, linePrinter } from "../lines.ts";
import { writeAll } from "../print.ts";
import { printJournalOutage } from "../print-outage.ts";
import { printedSummary } from "../printed-summary.ts";
import type { Request } from "../program.ts";
import { stopOnSignals } from "../signals.ts";
import { closedStdout } from "../terminal.ts";
import { testCommandLines } from "../test-command-lines.ts";
import { VERSION } from "../version.ts";

type HeadlessRequest = Extract<Request, { verb: "run" }> & {
  readonly checksOnly?: ChecksOnly;
  /** The file descriptor that lines go to; default: standard output. */
  readonly fd?: 1 | 2;
  /** Called once signals stop the engine in order. */
  readonly onStoppable?: () => void;
};

/** Runs the engine in this process, and prints the run on standard output. Returns the last state. */
export async function headless(request: HeadlessRequest): Promise<RunState> {
  const { workers, batch, fresh, allowApiKey, acceptChanges, checksOnly, output, fd = 1, onStoppable } = request;
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const format = output === "json" ? "json" : "lines";
  const engine = await startSupervisedEngine({
    batch,
    cwd: process.cwd(),
    env: process.env,
    fresh,
    allowApiKey,
    ...(checksOnly === undefined ? {} : { checksOnly }),
    // With --json, standard output has nothing but events.
    onOutage: (outage) => printJournalOutage(outage, format === "json" ? 2 : fd),
    onAccepted: ({ warnings, batch: { testCommands = {} } }) => {
      if (format !== "lines") return;
      const tests = testCommandLines(testCommands).map((line) => `${line}\n`);
      const unchecked = warnings.filter(isToldAtStart);
      const told = unchecked.length === 0 ? "" : `${formatProblems(batch, unchecked)}\n`;
      const named = isLoopFile(batch) ? "" : `  ${plainText(batch)}`;
      probe(fd, `loopdash ${VERSION}${named}\n${tests.join("")}${told}`);
    },
    ...(workers === undefined ? {} : { workers }),
    ...(acceptChanges ? { acceptChanges: "all" } : {}),
  });
  stopOnSignals(engine, ["SIGINT", "SIGTERM", "SIGHUP"]);
  onStoppable?.();
  const { print, stop } = printerOf(format, fd, () => engine.state());
  for (const event of engine.written) print(event, engine.state());
  engine.subscribe(print);
  engine.go();
  const state = await engine.ended.finally(stop);
  if (format === "lines") writeAll(fd, `\n${printedSummary(state)}`);
  return state;
}

function printerOf(format: "json" | "lines", fd: 1 | 2, state: () => RunState): LastingPrinter {
  if (format === "lines") return lastingPrinter(state, { clock: systemClock, fd });
  return { print: linePrinter("json", fd), stop: () => undefined };
}

/** The first line decides: if nobody reads it, nothing is started. */
function probe(fd: 1 | 2, line: string): void {
  try {
    writeSync(fd, line);
  } catch (error) {
    if (hasErrorCode(error, "EAGAIN")) return writeAll(fd, line);
    throw closedStdout(hasErrorCode(error, "EPIPE") ? "its reader has gone" : errorMessage(error));
  }
}
