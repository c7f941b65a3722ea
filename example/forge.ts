/**
 * `npm run example:forge`: the example again, but its changes land by pull requests. GitHub is a stand-in in this process, on loopback; its
 * checks really run. Ends as loopdash does. A run that was cut off or stopped can go on, because the stand-in is still there.
 */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { baseLock, machineLocks } from "../src/cli/engine/engine-locks.ts";
import { askToGoOn } from "./ask-to-go-on.ts";
import { FORGE_PARTS, type ForgeWorld, openForgeWorld } from "./forge-world.ts";
import { RepositoryBusy, setUpExample, startSurroundings } from "./setup.ts";

const PROGRAM = join(import.meta.dirname, "..", "dist", "loopdash.js");

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const LOOK_MS = 500;
/** A check waits so long for its machine, and for its result to be shown, so that a person sees it. Milliseconds. */
const CHECK_MS = 1_000 * Number(process.env["EXAMPLE_PACE"] ?? "1");

/** Runs loopdash on this terminal; gives its exit code. */
async function runLoopdash({ batch, env }: ForgeWorld, ...options: readonly string[]): Promise<number> {
  // Whatever ends loopdash on a terminal comes to both; this process has to outlive it.
  const stay = (): void => undefined;
  for (const signal of SIGNALS) process.on(signal, stay);
  const child = spawn(process.execPath, [PROGRAM, batch, ...options, ...process.argv.slice(2)], {
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

/** True if the run was cut off or stopped, and whoever is at the terminal wants it to go on. */
async function isToGoOn({ name }: ForgeWorld): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "status", name, "--json"]);
  const { end } = JSON.parse(stdout) as { readonly end: { readonly kind: string } | null };
  return (end === null || end.kind === "interrupted") && askToGoOn(process.stdin, process.stdout);
}

try {
  const repositories = await setUpExample(undefined, FORGE_PARTS);
  await startSurroundings();
  await using world = await openForgeWorld(import.meta.dirname, CHECK_MS);
  console.log(`a stand-in of GitHub answers at ${world.standIn.url}`);
  process.exitCode = await runLoopdash(world, "--fresh");
  await untilRunEnds(repositories);
  // A start that was refused has made no run.
  while (![0, 2, 4].includes(process.exitCode) && (await isToGoOn(world))) {
    process.exitCode = await runLoopdash(world);
    await untilRunEnds(repositories);
  }
} catch (error) {
  if (!(error instanceof RepositoryBusy)) throw error;
  console.error(`example: ${error.message}`);
  process.exitCode = 4;
}
