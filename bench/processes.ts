import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Clock ticks per second in /proc (USER_HZ; 100 on every Linux that Node supports). */
const TICKS_PER_SECOND = 100;

/** Fields of /proc/PID/stat from the third on (proc(5)): the second may hold spaces and parentheses. */
function statFields(pid: number | "self"): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** CPU time of a process so far, in seconds: utime and stime. */
function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** CPU time of this process and of all its descendants that have ended so far, in seconds: with cutime and cstime. */
export function cpuOfFamily(): number {
  const times = statFields("self").slice(11, 15);
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** A memory figure of /proc/PID/status in megabytes: VmRSS is now, VmHWM the highest so far. */
export function memoryMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (match === null) throw new Error(`process ${pid} tells no ${field}`);
  return Number(match[1]) / 1024;
}

/** Share of one core that each process used over `seconds`, in per cent. */
export async function cpuPercent(pids: readonly number[], seconds: number): Promise<readonly number[]> {
  const before = pids.map(cpuSeconds);
  const startedAt = performance.now();
  await sleep(seconds * 1_000);
  const elapsed = (performance.now() - startedAt) / 1_000;
  return pids.map((pid, i) => ((cpuSeconds(pid) - (before[i] ?? 0)) / elapsed) * 100);
}

/** Polls a child's highest memory until it ends; the returned function gives it, in megabytes. */
export function watchPeakMemory(child: ChildProcess): () => number {
  let peak = 0;
  const look = () => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      peak = Math.max(peak, memoryMb(child.pid, "VmHWM"));
    } catch {
      // Between its end and the `exit` event a process has no memory figure; the last one stands.
    }
  };
  const timer = setInterval(look, 50);
  child.once("close", () => clearInterval(timer));
  return () => peak;
}
