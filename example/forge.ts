/**
 * `npm run example:forge`: the example again, but its changes land by pull requests. GitHub is a stand-in in this process, on loopback; its
 * checks really run. Ends as loopdash does.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { baseLock, machineLocks } from "../src/cli/engine/engine-locks.ts";
import { openForgeWorld } from "./forge-world.ts";
import { RepositoryBusy, setUpExample, startSurroundings } from "./setup.ts";

const PROGRAM = join(import.meta.dirname, "..", "dist", "loopdash.js");

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const LOOK_MS = 500;

/** Runs loopdash on this terminal; gives its exit code. */
async function runLoopdash(batch: string, env: Readonly<Record<string, string>>): Promise<number> {
  // Whatever ends loopdash on a terminal comes to both; this process has to outlive it.
  const stay = (): void => undefined;
  for (const signal of SIGNALS) process.on(signal, stay);
  const child = spawn(process.execPath, [PROGRAM, batch, "--fresh", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code ?? 130));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stay);
  }
}

/** Waits for a run that goes on without its dashboard: without the stand-in it would wait for GitHub in vain. */
async function untilRunEnds(repositories: readonly string[]): Promise<void> {
  const isAtWork = () => repositories.some((path) => machineLocks().isHeld(baseLock(path, "main")));
  if (isAtWork()) console.log("the stand-in of GitHub stays until the run has ended; Ctrl+C ends it before");
  while (isAtWork()) await sleep(LOOK_MS);
}

try {
  const repositories = await setUpExample();
  await startSurroundings();
  await using world = await openForgeWorld(import.meta.dirname);
  console.log(`a stand-in of GitHub answers at ${world.standIn.url}`);
  process.exitCode = await runLoopdash(world.batch, world.env);
  await untilRunEnds(repositories);
} catch (error) {
  if (!(error instanceof RepositoryBusy)) throw error;
  console.error(`example: ${error.message}`);
  process.exitCode = 4;
}
