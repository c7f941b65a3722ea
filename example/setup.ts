/**
 * Recreates the example's two git repositories and its tickets under example/workspace/, from the files in example/, and starts
 * its surroundings: the environments dev and prod, and a script that plays a person. The bytes, names and dates are fixed, so the
 * first commit of each repository has the same id on every machine. Needs only git; reads no git configuration of the user's.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { baseLock, machineLocks } from "../src/cli/engine/engine-locks.ts";

const run = promisify(execFile);
const NAMES = ["shop", "infra"] as const;
const ENVIRONMENTS = ["dev", "prod"] as const;
const WORKSPACE = join(import.meta.dirname, "workspace");
const PROGRAM = join(import.meta.dirname, "..", "dist", "loopdash.js");
const LOOK_MS = 30;
const FIRST_DAY = "2026-01-05T09:00:00Z";

/**
 * Creates the tickets and both repositories with base branch `main`; returns the repositories' paths. Removes previous ones, unless a run is working on
 * one: then it changes nothing and rejects with a RepositoryBusy. `more` is a folder with tickets and files of repositories beside those of the example.
 */
export async function setUpExample(workspace: string = WORKSPACE, more?: string): Promise<readonly string[]> {
  const busy = NAMES.map((name) => join(workspace, name)).find(
    (path) => existsSync(path) && machineLocks().isHeld(baseLock(path, "main")),
  );
  if (busy !== undefined) throw new RepositoryBusy(busy);
  await stopSurroundings(workspace);
  await rm(workspace, { recursive: true, force: true });
  const folders = [import.meta.dirname, ...(more === undefined ? [] : [more])];
  await copyInto(join(workspace, "tickets"), folders, "tickets");
  return Promise.all(NAMES.map((name) => createRepository(name, join(workspace, name), folders)));
}

/** Copies what the folders have at this path, if they have it. */
async function copyInto(to: string, folders: readonly string[], path: string): Promise<void> {
  for (const from of folders.map((folder) => join(folder, path))) if (existsSync(from)) await cp(from, to, { recursive: true });
}

async function createRepository(name: string, path: string, folders: readonly string[]): Promise<string> {
  await copyInto(path, folders, join("repos", name));
  const git = (...args: string[]) => run("git", args, { cwd: path, env: gitEnvironment() });
  await git("init", "--quiet", "--initial-branch=main", "--template=");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", `${name}: what runs today`);
  return path;
}

/** The whole environment of git here: fixed identity and dates, no configuration except the repository's own. */
function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Example",
    GIT_AUTHOR_EMAIL: "example@example.invalid",
    GIT_AUTHOR_DATE: FIRST_DAY,
    GIT_COMMITTER_NAME: "Example",
    GIT_COMMITTER_EMAIL: "example@example.invalid",
    GIT_COMMITTER_DATE: FIRST_DAY,
  };
}

/** The parts of the example, besides what is recreated. */
const PARTS = ["agent.mjs", "claims.mjs", "evidence.mjs", "files.mjs", "kit.mjs", "reviewer.mjs", "run.mjs", "live", "scripts"];

/** Copies the example and its batch file into a folder, to be set up and run there; returns the path for its workspace. */
export async function copyExample(folder: string): Promise<string> {
  const root = join(import.meta.dirname, "..");
  for (const part of PARTS) await cp(join(root, "example", part), join(folder, "example", part), { recursive: true });
  await cp(join(root, "batch.example.json"), join(folder, "batch.example.json"));
  return join(folder, "example", "workspace");
}

/** Where loopdash keeps its state: the scripted person gives commands of it. */
const STATE_VARIABLES = ["HOME", "XDG_STATE_HOME", "LOOPDASH_HOME"] as const;

/**
 * Starts dev, prod and the scripted person as processes of their own, and waits until both environments answer. They end by
 * themselves if the workspace is gone, or after ten minutes without a request; the person ends with dev. `home` is loopdash's state
 * folder, if that is not the one of this process.
 */
export async function startSurroundings(workspace: string = WORKSPACE, home?: string): Promise<void> {
  for (const name of ENVIRONMENTS) {
    const child = startProgram(["serve.mjs", name, workspace]);
    const failed = new Promise<never>((_, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${name} ended with code ${code} instead of answering`)));
    });
    await Promise.race([answers(workspace, name), failed]);
    child.removeAllListeners();
    child.unref();
  }
  const state = Object.fromEntries(STATE_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  startProgram(["person.mjs", workspace, PROGRAM], { ...state, ...(home && { LOOPDASH_HOME: home }) }).unref();
}

function startProgram([name = "", ...args]: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", ...more };
  const argv = [join(import.meta.dirname, "live", name), ...args];
  return spawn(process.execPath, argv, { env, stdio: "ignore", detached: true });
}

/** Ends the environments of a workspace, and with them the person; missing ones are ignored. */
export async function stopSurroundings(workspace: string = WORKSPACE): Promise<void> {
  for (const name of ENVIRONMENTS) {
    const asked = await ask(workspace, name, "POST");
    while (asked && (await ask(workspace, name, "GET"))) await sleep(LOOK_MS);
  }
}

async function answers(workspace: string, name: string): Promise<void> {
  while (!(await ask(workspace, name, "GET"))) await sleep(LOOK_MS);
}

/**
 * True if an environment answers, or stops on request. Uses a child process, because the socket's path may be longer than the
 * system allows.
 */
function ask(workspace: string, name: string, method: "GET" | "POST"): Promise<boolean> {
  const program = join(import.meta.dirname, "live", "knock.mjs");
  return run(process.execPath, [program, workspace, name, method], { env: { PATH: process.env.PATH ?? "" } }).then(
    () => true,
    () => false,
  );
}

/** A run of loopdash works on the repository at this path. */
export class RepositoryBusy extends Error {
  constructor(path: string) {
    super(
      `another run is at work here\n  why: it holds ${path}\n  do:  Watch it with: npx loopdash attach. Or wait until it has ended.`,
    );
  }
}

if (import.meta.main) {
  try {
    for (const path of await setUpExample()) console.log(`example repository ready: ${path}`);
    await startSurroundings();
    console.log(`example environments ready: ${ENVIRONMENTS.join(", ")}; a script plays a person who edits the tracker`);
  } catch (error) {
    if (!(error instanceof RepositoryBusy)) throw error;
    console.error(`example: ${error.message}`);
    process.exitCode = 4;
  }
}
