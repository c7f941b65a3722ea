import { closeSync, writeSync } from "node:fs";
import { z } from "zod";
import { formatProblems } from "../domain/batch/problem.ts";
import { isToldAtStart } from "../domain/batch/warn.ts";
import { hasErrorCode } from "../domain/values/text.ts";
import { EXIT } from "../domain/values/user-error.ts";
import { startSupervisedEngine } from "./engine/engine-supervisor.ts";
import { printJournalOutage } from "./print-outage.ts";
import { asUserError, reportErrors } from "./report-errors.ts";
import { stopOnSignals } from "./signals.ts";

/** File descriptor on which the engine process reports to its parent, once, that the run began or was refused. */
export const HANDSHAKE_FD = 3;

/** The parent's arguments for the engine process, as JSON in argv. */
export const EngineArgs = z.strictObject({
  batch: z.string(),
  cwd: z.string(),
  workers: z.number().optional(),
  fresh: z.boolean(),
  attended: z.boolean().optional(),
  allowApiKey: z.boolean(),
  acceptChanges: z.enum(["additions", "all"]).optional(),
});

/** The engine process's answer. */
export const Handshake = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), run: z.string(), folder: z.string(), warnings: z.string().optional() }),
  z.object({
    ok: z.literal(false),
    what: z.string(),
    why: z.string(),
    todo: z.string(),
    exitCode: z.number(),
    offer: z.string().optional(),
  }),
]);
export type Handshake = z.infer<typeof Handshake>;

/** Runs the engine on its own: without a terminal, controlled over the run's socket. Returns the run's exit code. */
export function engineProcess(json: string): Promise<number> {
  return reportErrors(() => runEngine(json));
}

async function runEngine(json: string): Promise<number> {
  const { workers, acceptChanges, attended, ...args } = EngineArgs.parse(JSON.parse(json));
  outliveFullLog();
  try {
    let warnings: string | undefined;
    const engine = await startSupervisedEngine({
      ...args,
      onOutage: (outage) => printJournalOutage(outage, 2),
      env: process.env,
      onAccepted: (loaded) => {
        const unchecked = loaded.warnings.filter(isToldAtStart);
        if (unchecked.length > 0) warnings = formatProblems(args.batch, unchecked);
      },
      workers,
      acceptChanges,
      attended: attended || undefined,
    });
    // The user may close the terminal at any time: that is not a request to stop.
    process.on("SIGHUP", () => undefined);
    stopOnSignals(engine, ["SIGINT", "SIGTERM"]);
    answer({ ok: true, run: engine.run, folder: engine.folder, warnings });
    engine.go();
    return (await engine.ended).end?.exitCode ?? EXIT.notDone;
  } catch (error) {
    const known = asUserError(error);
    if (known === undefined) throw error;
    const { what, why, todo, exitCode, offer } = known;
    answer({ ok: false, what, why, todo, exitCode, offer });
    throw error;
  }
}

/** Keeps a warning that its log cannot take from ending this process: the disk that the run waits for may hold both. */
function outliveFullLog(): void {
  process.stderr.on("error", () => undefined);
}

let answered = false;

function answer(handshake: Handshake): void {
  if (answered) return;
  answered = true;
  try {
    writeSync(HANDSHAKE_FD, `${JSON.stringify(handshake)}\n`);
    closeSync(HANDSHAKE_FD);
  } catch (error) {
    // The parent is gone already: the run does not belong to its terminal, and continues.
    if (!hasErrorCode(error, "EPIPE")) throw error;
  }
}
