import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { RunId } from "../domain/values/ids.ts";
import { EXIT, UserError } from "../domain/values/user-error.ts";
import { packageFiles } from "./package-files.ts";
import { askedToLeave } from "./signals.ts";
import { stateHome } from "./state-home.ts";

/** An engine in its own process. */
export interface SpawnedEngine {
  readonly run: RunId;
  readonly folder: string;
  /** Permissions of the batch that its author probably does not mean, one per line; absent if there are none. */
  readonly warnings?: string;
}

/**
 * Starts the engine process, detached from this terminal, and waits for its answer. Throws the engine's own UserError if it
 * refuses; then nothing has been started. If a signal comes first, the engine is ended and a UserError (exit 130) says so: a
 * cancelled start leaves nothing running unseen.
 */
export async function spawnEngine(options: {
  batch: string;
  workers?: number;
  fresh: boolean;
  /** A dashboard is opened with it: the run waits a while for approvals. */
  attended?: boolean;
  allowApiKey: boolean;
  acceptChanges?: "additions" | "all";
}): Promise<SpawnedEngine> {
  const { root } = stateHome(process.env, process.cwd());
  const log = openLog(root);
  const args = JSON.stringify({ ...options, cwd: process.cwd() });
  const leaving = askedToLeave();
  const child = spawn(process.execPath, [packageFiles().main, "__engine", args], {
    detached: true,
    stdio: ["ignore", log, log, "pipe"],
  });
  const exited = once(child, "exit");
  // If the process cannot be started there is no exit, and `answerOf` reports it.
  exited.catch(() => undefined);
  const said = parse(await answerOf(child, exited, leaving));
  // An engine that refuses ends by itself; after this wait nothing of it still runs.
  if (said === undefined || !("run" in said)) await exited;
  child.unref();
  return accepted(said, join(root, "engine.log"));
}

async function answerOf(child: ChildProcess, exited: Promise<unknown>, leaving: AbortSignal): Promise<string> {
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const end = (): void => void child.kill("SIGTERM");
  leaving.addEventListener("abort", end);
  try {
    const answer = await Promise.race([text(child.stdio[3] as Readable), failed]);
    if (!leaving.aborted) return answer;
    await exited;
    throw interrupted();
  } finally {
    leaving.removeEventListener("abort", end);
  }
}

function interrupted(): UserError {
  return new UserError({
    what: "interrupted while the run was starting",
    why: "a signal came before the engine had answered",
    todo: "Nothing was left running. The same command starts it, or continues it where it had begun.",
    exitCode: EXIT.interrupted,
  });
}

/** The log of the engine process's own output: warnings and defects only. */
function openLog(root: string): number | "ignore" {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return openSync(join(root, "engine.log"), "a", 0o600);
  } catch {
    // The engine meets the same error and refuses with its own reason.
    return "ignore";
  }
}

function accepted(said: Answer | undefined, log: string): SpawnedEngine {
  if (said === undefined) {
    throw new UserError({
      what: "the engine did not start",
      why: "it ended without an answer",
      todo: `Look into ${log}.`,
      exitCode: EXIT.refused,
    });
  }
  if ("run" in said) return said;
  throw new UserError({ ...said, exitCode: said.exitCode as UserError["exitCode"] });
}

type Answer =
  | SpawnedEngine
  | { readonly what: string; readonly why: string; readonly todo: string; readonly exitCode: number; readonly offer?: string };

/** Parses our own program's answer over a private pipe. Only its first field is checked, so that zod need not be loaded here. */
function parse(answer: string): Answer | undefined {
  if (answer.trim() === "") return undefined;
  return JSON.parse(answer) as Answer;
}
