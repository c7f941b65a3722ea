import { writeSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { formatProblems } from "../../domain/batch/problem.ts";
import { isToldAtStart } from "../../domain/batch/warn.ts";
import type { RunState } from "../../domain/run/state.ts";
import { errorMessage, hasErrorCode } from "../../domain/values/error-text.ts";
import { plainText } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { ChecksOnly } from "../engine/open-run.ts";
import { exitCodeOf } from "../exit-code.ts";
import { readKeymap } from "../key-file.ts";
import { linePrinter, printJournalOutage } from "../lines.ts";
import { testCommandLines, writeAll } from "../print.ts";
import { printedSummary } from "../printed-summary.ts";
import type { Request } from "../program.ts";
import { stopOnSignals } from "../signals.ts";
import type { SpawnedEngine } from "../spawn-engine.ts";
import { closedStdout, isInteractive, refuseClosedStdout, refuseSmallTerminal } from "../terminal.ts";
import { VERSION } from "../version.ts";

type RunRequest = Extract<Request, { verb: "run" }> & { readonly checksOnly?: ChecksOnly };

/** Starts or resumes a batch: as a dashboard on a terminal, else as lines. Returns the exit code of the run. */
export async function run(request: RunRequest): Promise<number> {
  refuseClosedStdout();
  if (request.detach) return detach(request);
  if (request.output === "auto" && isInteractive()) {
    refuseSmallTerminal("--headless for plain lines");
    return onTerminal(request);
  }
  return exitCodeOf(await headless(request));
}

/**
 * Runs the engine in its own process, and a dashboard that watches it. Both start at once, the engine first because it takes
 * longer. Nothing else starts here while Ink is loading.
 */
async function onTerminal(request: RunRequest): Promise<number> {
  const keymap = await readKeymap(process.env, process.cwd());
  const { engine } = await spawn(request);
  const accepted = engine.catch((error: unknown) => askAndSpawn(error, request));
  const [{ run, folder, warnings }, { watch }] = await Promise.all([accepted, import("../dashboard/watch.ts")]);
  if (warnings !== undefined) writeAll(2, `${warnings}\n`);
  return watch({ run, folder, live: true }, keymap);
}

/** Resolves once the process is started; `engine` resolves once that has answered. */
async function spawn(
  { workers, batch, fresh, allowApiKey, acceptChanges }: RunRequest,
  accepted?: "additions",
): Promise<{ readonly engine: Promise<SpawnedEngine> }> {
  const { spawnEngine } = await import("../spawn-engine.ts");
  const changes: "additions" | "all" | undefined = acceptChanges ? "all" : accepted;
  const given = { ...(workers === undefined ? {} : { workers }), ...(changes === undefined ? {} : { acceptChanges: changes }) };
  return { engine: spawnEngine({ batch, fresh, allowApiKey, ...given }) };
}

/** If a yes would remove the reason of a refusal, asks the person for it, once. */
async function askAndSpawn(error: unknown, request: RunRequest): Promise<SpawnedEngine> {
  if (!(error instanceof UserError) || error.offer === undefined) throw error;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question(`${plainText(error.offer)} [y/N] `);
  asking.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw error;
  return (await spawn(request, "additions")).engine;
}

/** Runs the engine in this process, and prints the run on standard output. Returns the last state. */
export async function headless(request: RunRequest): Promise<RunState> {
  const { workers, batch, fresh, allowApiKey, acceptChanges, checksOnly, output } = request;
  process.stdout.on("error", () => undefined);
  const format = output === "json" ? "json" : "lines";
  const { startSupervisedEngine } = await import("../engine/engine-supervisor.ts");
  const engine = await startSupervisedEngine({
    batch,
    cwd: process.cwd(),
    env: process.env,
    fresh,
    allowApiKey,
    ...(checksOnly === undefined ? {} : { checksOnly }),
    // With --json, standard output has nothing but events.
    onOutage: (outage) => printJournalOutage(outage, format === "json" ? 2 : 1),
    onAccepted: ({ warnings, batch: { testCommands = {} } }) => {
      if (format !== "lines") return;
      const tests = testCommandLines(testCommands).map((line) => `${line}\n`);
      const unchecked = warnings.filter(isToldAtStart);
      const told = unchecked.length === 0 ? "" : `${formatProblems(batch, unchecked)}\n`;
      probeStdout(`loopdash ${VERSION}  ${plainText(batch)}\n${tests.join("")}${told}`);
    },
    ...(workers === undefined ? {} : { workers }),
    ...(acceptChanges ? { acceptChanges: "all" } : {}),
  });
  stopOnSignals(engine, ["SIGINT", "SIGTERM", "SIGHUP"]);
  const print = linePrinter(format);
  for (const event of engine.written) print(event, engine.state());
  engine.subscribe(print);
  engine.go();
  const state = await engine.ended;
  if (format === "lines") writeAll(1, `\n${printedSummary(state)}`);
  return state;
}

/** The first line decides: if nobody reads it, nothing is started. */
function probeStdout(line: string): void {
  try {
    writeSync(1, line);
  } catch (error) {
    if (hasErrorCode(error, "EAGAIN")) return writeAll(1, line);
    throw closedStdout(errorMessage(error));
  }
}

/** Prints the run's name and leaves it running. Exit 0 means "started" and says nothing about the run. */
async function detach(request: RunRequest): Promise<number> {
  const { engine } = await spawn(request);
  const { run, warnings } = await engine;
  writeAll(1, `${run}\n`);
  if (warnings !== undefined) writeAll(2, `${warnings}\n`);
  writeAll(2, `loopdash: started and left working; nothing is judged yet. Watch it with: loopdash attach ${run}\n`);
  return 0;
}
