import type { ChildProcess } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { systemCode } from "../disk-error.ts";
import { plainLine } from "./oracle-output.ts";

/** Limit of an oracle's output, stdout and stderr each. Characters. */
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface OracleLaunch {
  readonly argv: readonly [string, ...string[]];
  readonly folder: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** True if it may start processes: those that it leaves are ended with it. */
  readonly family: boolean;
  readonly signal: AbortSignal | undefined;
  readonly how: "background" | undefined;
  /** Serves the line by which it asks a service (file descriptor 3); absent if it asks none. */
  readonly line?: ((line: Duplex) => void) | undefined;
}

export type OracleExit =
  | { readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  /** The reason why it did not end by itself. */
  | { readonly problem: string };

/** A child that another part of this process is starting right now may still hold the program open for writing (execve(2)). */
const MAX_BUSY_ATTEMPTS = 20;
const BUSY_MS = 10;

/** Runs an oracle once, with limits of time and output, and an empty stdin. */
export async function runOracle(launch: OracleLaunch): Promise<OracleExit> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await runOnce(launch);
    if (result.code !== "ETXTBSY" || attempt === MAX_BUSY_ATTEMPTS) return oracleExit(result, launch.deadlineMs);
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
    ...(launch.line === undefined
      ? { stdin: "ignore" as const }
      : { stdio: ["ignore", "pipe", "pipe", "pipe"] as const, buffer: { fd3: false } as const }),
    stripFinalNewline: false,
    reject: false,
    timeout: deadlineMs,
    killSignal: "SIGKILL",
    maxBuffer: MAX_OUTPUT,
    // Its own process group, so that all of it can be ended.
    detached: family,
    cleanup: true,
    cancelSignal: signal,
  });
  const line = child.nodeChildProcess.stdio[3];
  if (line instanceof Duplex) launch.line?.(line);
  if (how === "background") yieldTo(child.pid);
  if (family) endWithLeader(child.nodeChildProcess);
  return child;
}

function oracleExit(result: Result, deadlineMs: number): OracleExit {
  if (result.isCanceled) return { problem: "the judgement was cancelled" };
  if (result.timedOut) return { problem: `the oracle gave no verdict within ${deadlineMs} ms and was killed` };
  if (result.isMaxBuffer) return { problem: `the oracle printed more than ${MAX_OUTPUT} characters and was killed` };
  if (result.signal !== undefined) return { problem: `the oracle was ended by ${result.signal}` };
  if (result.exitCode === undefined) return { problem: `the oracle could not be started: ${plainLine(result.message ?? "")}` };
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}

/** Ends the whole group as soon as its leader is gone: a remaining process could hold the output open forever. */
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

/** Lowers the priority. A process that has ended already needs none. */
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
