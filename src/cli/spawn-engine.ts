import { spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { EXIT, UserError } from "../domain/user-error.ts";
import { packageFiles } from "./package-files.ts";
import { stateHome } from "./state-home.ts";

/** An engine that works in a process of its own. */
export interface SpawnedEngine {
  readonly run: string;
  readonly socketPath: string;
}

/**
 * Starts the engine process, detached from this terminal, and waits for its answer. Throws the engine's own UserError
 * where it refuses; then nothing has been started.
 */
export async function spawnEngine(of: { batch: string; workers?: number; fresh: boolean }): Promise<SpawnedEngine> {
  const { root } = stateHome(process.env, process.cwd());
  const log = openLog(root);
  const args = JSON.stringify({ ...of, cwd: process.cwd() });
  const child = spawn(process.execPath, [packageFiles().main, "__engine", args], { detached: true, stdio: ["ignore", log, log, "pipe"] });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const answer = await Promise.race([text(child.stdio[3] as Readable), failed]);
  child.unref();
  return readAnswer(answer, join(root, "engine.log"));
}

/** What the engine process prints of its own: warnings and defects only. */
function openLog(root: string): number | "ignore" {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return openSync(join(root, "engine.log"), "a", 0o600);
  } catch {
    // The engine finds the same and refuses with a reason of its own.
    return "ignore";
  }
}

function readAnswer(answer: string, log: string): SpawnedEngine {
  const said = parse(answer);
  if (said === undefined) {
    throw new UserError({ what: "the engine did not start", why: "it ended without an answer", todo: `Look into ${log}.`, exitCode: EXIT.refused });
  }
  if ("run" in said) return said;
  throw new UserError({ what: said.what, why: said.why, todo: said.todo, exitCode: said.exitCode as UserError["exitCode"] });
}

type Answer = SpawnedEngine | { readonly what: string; readonly why: string; readonly todo: string; readonly exitCode: number };

/** Our own program's answer over a private pipe; checked by its first field only, so that zod need not be loaded here. */
function parse(answer: string): Answer | undefined {
  if (answer.trim() === "") return undefined;
  return JSON.parse(answer) as Answer;
}
