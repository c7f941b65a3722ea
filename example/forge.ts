/**
 * `npm run example:forge`: the example again, but its changes land by pull requests. GitHub is a stand-in in this process, on loopback; its
 * checks really run. Ends as loopdash does.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { openForgeWorld } from "./forge-world.ts";
import { RepositoryBusy, setUpExample, startSurroundings } from "./setup.ts";

const PROGRAM = join(import.meta.dirname, "..", "dist", "loopdash.js");

/** Runs loopdash on this terminal; gives its exit code. */
function runLoopdash(batch: string, env: Readonly<Record<string, string>>): Promise<number> {
  // Whatever ends loopdash on a terminal comes to both; this process has to outlive it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const child = spawn(process.execPath, [PROGRAM, batch, "--fresh", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 130));
  });
}

try {
  await setUpExample();
  await startSurroundings();
  await using world = await openForgeWorld(import.meta.dirname);
  console.log(`a stand-in of GitHub answers at ${world.standIn.url}`);
  process.exitCode = await runLoopdash(world.batch, world.env);
} catch (error) {
  if (!(error instanceof RepositoryBusy)) throw error;
  console.error(`example: ${error.message}`);
  process.exitCode = 4;
}
