import type { ChildProcess } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { systemCode } from "../disk-error.ts";
import { plainLine } from "./oracle-output.ts";

/** Bound of what an oracle may print, stdout and stderr each. Characters. */
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface OracleLaunch {
  readonly argv: readonly [string, ...string[]];
  readonly folder: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** It may start processes: whatever it leaves is ended with it. */
  readonly family: boolean;
  readonly signal: AbortSignal | undefined;
  readonly how: "background" | undefined;
}

export type OracleExit =
  | { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  /** Why it did not end by itself. */
  | { readonly problem: string };

/** A child that another part of this process is just starting may still hold the program open for writing (execve(2)). */
const BUSY_TRIES = 20;
const BUSY_MS = 10;

/** Runs an oracle once: bounded in time and output, told nothing, reading nothing from stdin. */
export async function runOracle(launch: OracleLaunch): Promise<OracleExit> {
  for (let tries = 1; ; tries += 1) {
    const result = await runOnce(launch);
    if (result.code !== "ETXTBSY" || tries === BUSY_TRIES) return exitOf(result, launch.deadlineMs);
    await pause(BUSY_MS);
  }
}

type Result = Awaited<ReturnType<typeof runOnce>>;

function runOnce(launch: OracleLaunch) {
  const { argv, deadlineMs, family, signal, how } = launch;
  const [program, ...args] = argv;
  const child = execa(program, args, {
    cwd: launch.folder,
    env: launch.env,
    extendEnv: false,
    preferLocal: false,
    stdin: "ignore",
    stripFinalNewline: false,
    reject: false,
    timeout: deadlineMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT,
    // A group of its own, so that all of it can be ended.
    detached: family,
    cleanup: true,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  if (how === "background") yieldTo(child.pid);
  if (family) endWithLeader(child.nodeChildProcess);
  return child;
}

function exitOf(result: Result, deadlineMs: number): OracleExit {
  if (result.isCanceled) return { problem: "the judgement was cancelled" };
  if (result.timedOut) return { problem: `the oracle gave no verdict within ${deadlineMs} ms and was killed` };
  if (result.isMaxBuffer) return { problem: `the oracle printed more than ${MAX_OUTPUT} characters and was killed` };
  if (result.signal !== undefined) return { problem: `the oracle was ended by ${result.signal}` };
  if (result.exitCode === undefined) return { problem: `the oracle could not be started: ${plainLine(result.message ?? "")}` };
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}

/** Ends the whole group as soon as its leader is gone: what it left running could hold its output open for ever. */
function endWithLeader(child: ChildProcess): void {
  const { pid } = child;
  child.once("exit", () => {
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch (error) {
      if (systemCode(error) !== "ESRCH") process.emitWarning(`what the oracle left running could not be ended: ${String(error)}`);
    }
  });
}

/** Lets everybody else go first. A process that has ended already needs no priority. */
function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch (error) {
    if (!isGone(error)) process.emitWarning(`the oracle's priority could not be lowered: ${String(error)}`);
  }
}

/** Node's os functions say which system error it was in `info` (ERR_SYSTEM_ERROR). */
function isGone(error: unknown): boolean {
  const info = error instanceof Error && "info" in error ? error.info : undefined;
  return typeof info === "object" && info !== null && "code" in info && info.code === "ESRCH";
}
