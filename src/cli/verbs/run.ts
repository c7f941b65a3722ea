import { createInterface } from "node:readline/promises";
import { plainText } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { exitCodeOf } from "../exit-code.ts";
import { writeAll } from "../print.ts";
import type { Request } from "../program.ts";
import { readScreenFiles } from "../screen-files.ts";
import type { SpawnedEngine } from "../spawn-engine.ts";
import { isInteractive, refuseClosedStdout, refuseSmallTerminal } from "../terminal.ts";

type RunRequest = Extract<Request, { verb: "run" }>;

/**
 * Starts or resumes a batch: as a dashboard on a terminal, else as lines. Returns the exit code of the run. This file imports
 * little, because nothing else starts before it is loaded.
 */
export async function run(request: RunRequest): Promise<number> {
  refuseClosedStdout();
  if (request.detach) return detach(request);
  if (request.output === "auto" && request.rehearse === undefined && isInteractive()) {
    refuseSmallTerminal("--headless for plain lines");
    return onTerminal(request);
  }
  const { headless } = await import("./headless.ts");
  return exitCodeOf(await headless(request));
}

/**
 * Runs the engine in its own process, and a dashboard that watches it. Both start at once, the engine first because it takes
 * longer. Nothing else starts here while Ink is loading.
 */
async function onTerminal(request: RunRequest): Promise<number> {
  const files = await readScreenFiles(process.env, process.cwd());
  const { engine } = await spawn(request, { attended: true });
  const accepted = engine.catch((error: unknown) => askAndSpawn(error, request));
  const [{ run, folder, warnings }, { watch }] = await Promise.all([accepted, import("../dashboard/watch.ts")]);
  if (warnings !== undefined) writeAll(2, `${warnings}\n`);
  return watch({ run, folder, live: true }, files);
}

/** Resolves once the process is started; `engine` resolves once that has answered. */
async function spawn(
  { workers, batch, fresh, allowApiKey, acceptChanges }: RunRequest,
  { accepted, attended }: { readonly accepted?: "additions"; readonly attended: boolean },
): Promise<{ readonly engine: Promise<SpawnedEngine> }> {
  const { spawnEngine } = await import("../spawn-engine.ts");
  const changes: "additions" | "all" | undefined = acceptChanges ? "all" : accepted;
  const given = { workers, acceptChanges: changes };
  return { engine: spawnEngine({ batch, fresh, attended, allowApiKey, ...given }) };
}

/** If a yes would remove the reason of a refusal, asks the person for it, once. */
async function askAndSpawn(error: unknown, request: RunRequest): Promise<SpawnedEngine> {
  if (!(error instanceof UserError) || error.offer === undefined) throw error;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question(`${plainText(error.offer)} [y/N] `);
  asking.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw error;
  return (await spawn(request, { accepted: "additions", attended: true })).engine;
}

/** Prints the run's name and leaves it running. Exit 0 means "started" and says nothing about the run. */
async function detach(request: RunRequest): Promise<number> {
  const { engine } = await spawn(request, { attended: false });
  const { run, warnings } = await engine;
  writeAll(1, `${run}\n`);
  if (warnings !== undefined) writeAll(2, `${warnings}\n`);
  writeAll(2, `loopdash: started and left working; nothing is judged yet. Watch it with: loopdash attach ${run}\n`);
  return 0;
}
