import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { errorCode } from "../../domain/values/text.ts";
import type { ProcessId } from "../../ports/executor.ts";

/** The fields of a process that loopdash reads; see proc_pid_stat(5). */
export interface ProcessStat {
  readonly pid: number;
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  /** Field 22, clock ticks since boot. */
  readonly startTime: string;
  readonly kernelThread: boolean;
  /** True if nothing of it can run any more: it only waits to be reaped. */
  readonly dead: boolean;
}

/** Flag PF_KTHREAD of field 9 (include/linux/sched.h). */
const PF_KTHREAD = 0x0020_0000;
/** The line is about 350 bytes; a name adds at most 64. */
const STAT_BYTES = 2048;
/** The process has ended meanwhile, or is hidden from this user (mount option hidepid). */
const NOT_OURS = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

/** The current state of a process, or undefined if there is none. Linux only. */
export function readStat(pid: number): ProcessStat | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(pid, text);
}

/** Parses one stat line. The name in parentheses may itself contain spaces and parentheses, so fields count from the last one. */
export function parseStat(pid: number, text: string): ProcessStat | undefined {
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ", 20);
  const startTime = fields[19];
  if (close === -1 || startTime === undefined) return undefined;
  // A leader that ended while other threads run is shown as a zombie with several threads: it is alive.
  const dead = fields[0] === "X" || (fields[0] === "Z" && Number(fields[17]) <= 1);
  return {
    pid,
    ppid: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startTime,
    kernelThread: (Number(fields[6]) & PF_KTHREAD) !== 0,
    dead,
  };
}

/** True if an error means that a process is gone or hidden from this user; anything else is a real failure. */
export function isNoSuchProcess(error: unknown): boolean {
  return NOT_OURS.has(errorCode(error) ?? "");
}

/** Identifies the process with this pid, or undefined if there is none. A zombie still has its identity. */
export function processId(pid: number): ProcessId | undefined {
  const startTime = process.platform === "linux" ? readStat(pid)?.startTime : readPs(pid)?.startTime;
  return startTime === undefined ? undefined : { pid, startTime };
}

/** True if exactly this process still runs: same pid, same start, and not a zombie. */
export function isAlive(id: ProcessId): boolean {
  const now = process.platform === "linux" ? readStat(id.pid) : readPs(id.pid);
  return now !== undefined && !now.dead && now.startTime === id.startTime;
}

function readProc(path: string): string | undefined {
  const buffer = Buffer.allocUnsafe(STAT_BYTES);
  try {
    const fd = openSync(path, "r");
    try {
      return buffer.toString("latin1", 0, readSync(fd, buffer, 0, STAT_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isNoSuchProcess(error)) return undefined;
    throw error;
  }
}

/** macOS has no /proc; its `ps` tells the start to the second, always in the same form in the C locale. */
function readPs(pid: number): { readonly startTime: string; readonly dead: boolean } | undefined {
  const { stdout } = spawnSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    encoding: "latin1",
    env: { LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [, state, startTime] = /^(\S+)\s+(\S.*)$/.exec((stdout ?? "").trim()) ?? [];
  return state === undefined || startTime === undefined ? undefined : { startTime, dead: state.startsWith("Z") };
}
