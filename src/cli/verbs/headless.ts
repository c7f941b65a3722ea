import { writeSync } from "node:fs";
import { systemClock } from "../../adapters/clock/system-clock.ts";
import { formatProblems } from "../../domain/batch/problem.ts";
import { isToldAtStart } from "../../domain/batch/warn.ts";
import { isLoopFile } from "../../domain/ci/loop-file.ts";
import type { Command } from "../../domain/run/command.ts";
import type { RunEvent } from "../../domain/run/event.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage, hasErrorCode, plainText } from "../../domain/values/text.ts";
import { startSupervisedEngine } from "../engine/engine-supervisor.ts";
import type { ChecksOnly } from "../engine/open-run.ts";
import { rehearsalLines } from "../engine/rehearsal.ts";
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
  /** A person's command that the run begins or continues with. */
  readonly command?: Command;
  /** True to leave out the summary: the caller tells the result. */
  readonly withoutSummary?: boolean;
  /** Called with each event. */
  readonly onEvent?: (event: RunEvent) => void;
  /** The file descriptor that lines go to; default: standard output. */
  readonly fd?: 1 | 2;
  /** Called once signals stop the engine in order. */
  readonly onStoppable?: () => void;
  /**
   * True if other runs follow in this process: the caller tells what it runs and the result, has SIGINT, and has the other signals again once
   * the engine has ended.
   */
  readonly isOneOfMany?: boolean;
};

const ignore = (): void => undefined;

/** Runs the engine in this process, and prints the run on standard output. Returns the last state. */
export async function headless(request: HeadlessRequest): Promise<RunState> {
  const { batch, checksOnly, command, fd = 1, onEvent, rehearse, withoutSummary, workers } = request;
  for (const stream of [process.stdout, process.stderr]) stream.off("error", ignore).on("error", ignore);
  const format = request.output === "json" ? "json" : "lines";
  const engine = await startSupervisedEngine({
    batch,
    cwd: process.cwd(),
    env: process.env,
    fresh: request.fresh || rehearse !== undefined,
    allowApiKey: request.allowApiKey,
    checksOnly,
    rehearse,
    isOneOfMany: request.isOneOfMany,
    // With --json, standard output has nothing but events.
    onOutage: (outage) => printJournalOutage(outage, format === "json" ? 2 : fd),
    onAccepted: ({ warnings, batch: { testCommands = {} } }) => {
      if (format !== "lines" || request.isOneOfMany === true) return;
      const tests = testCommandLines(testCommands).map((line) => `${line}\n`);
      const unchecked = warnings.filter(isToldAtStart);
      const told = unchecked.length === 0 ? "" : `${formatProblems(batch, unchecked)}\n`;
      const named = isLoopFile(batch) ? "" : `  ${plainText(batch)}`;
      probe(fd, `loopdash ${VERSION}${named}\n${tests.join("")}${told}`);
    },
    workers,
    acceptChanges: request.acceptChanges ? "all" : undefined,
  });
  const isAlone = request.isOneOfMany !== true;
  const release = stopOnSignals(engine, isAlone ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGTERM", "SIGHUP"]);
  request.onStoppable?.();
  const { print, stop } = printerOf(format, fd, () => engine.state());
  for (const event of engine.written) print(event, engine.state());
  engine.subscribe(print);
  if (onEvent !== undefined) engine.subscribe(onEvent);
  if (command !== undefined) engine.command(command);
  engine.go();
  const state = await engine.ended.finally(stop);
  if (!isAlone) release();
  if (format === "lines" && !withoutSummary && isAlone)
    writeAll(fd, `\n${printedSummary(state)}${rehearse === undefined ? "" : rehearsalLines(state)}`);
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
