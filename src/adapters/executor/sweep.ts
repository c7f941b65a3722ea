import { setTimeout } from "node:timers/promises";
import { delays } from "../../domain/values/delays.ts";
import type { ProcessId } from "../../ports/executor.ts";
import { isAlive, isNoSuchProcess, type ProcessStat, readStat } from "./process-id.ts";
import { holdsAny, type ReadProcessTable, readFences } from "./process-table.ts";
import { findProcessTree } from "./process-tree.ts";

/** The processes to kill. */
export interface Prey {
  /** Programs that the executor started; the caller has made sure that each number is still theirs. */
  readonly mains: readonly ProcessId[];
  readonly seen: ReadonlyMap<number, string>;
  readonly markers: ReadonlySet<string>;
  /**
   * Processes that hold one of these open are killed too (see `outputLinks`). The search is costly, so give it only if there is
   * such a process.
   */
  readonly outputs?: ReadonlySet<string | undefined>;
  /** Processes older than this are never considered (clock ticks since boot). */
  readonly notBefore: number;
}

export interface Swept {
  readonly killed: number;
  /** Processes that did not die in time: another user's, or stuck in the kernel. */
  readonly survivors: readonly number[];
}

/** The time that processes may take to disappear after SIGKILL, and for which new ones are pursued. */
export const SWEEP_LIMIT_MS = 5_000;
const LONGEST_PAUSE_MS = 50;

/** Kills all these processes and repeats the search until it finds none. Linux; elsewhere groups only. */
export async function sweep(prey: Prey, read: ReadProcessTable): Promise<Swept> {
  if (process.platform !== "linux") return await sweepGroups(prey.mains);
  const deadline = performance.now() + SWEEP_LIMIT_MS;
  const killed = new Set<string>();
  const isMarked = ({ pid }: ProcessStat) =>
    (prey.markers.size > 0 && readFences(pid).some((fence) => prey.markers.has(fence))) ||
    (prey.outputs !== undefined && holdsAny(pid, prey.outputs));
  for (const pauses = delays(1, LONGEST_PAUSE_MS); ; ) {
    const found = findProcessTree(await read(prey.notBefore), { mains: prey.mains, seen: prey.seen, isMarked });
    if (found.length === 0) return { killed: killed.size, survivors: [] };
    for (const row of found) if (killExactly(row)) killed.add(`${row.pid}@${row.startTime}`);
    if (performance.now() > deadline) return { killed: killed.size, survivors: found.map((row) => row.pid) };
    await setTimeout(pauses.next().value);
  }
}

/**
 * Sends SIGKILL to a process group. False if it is gone; some systems also report EPERM for a group of zombies. The caller knows
 * that the number still belongs to the group.
 */
export function killGroup(leader: number): boolean {
  return signalled(-leader);
}

/** Compares the start time immediately before the signal: a process that has taken the pid since the scan is spared. */
function killExactly(processId: ProcessId): boolean {
  return readStat(processId.pid)?.startTime === processId.startTime && signalled(processId.pid);
}

function signalled(target: number): boolean {
  try {
    return process.kill(target, "SIGKILL");
  } catch (error) {
    if (isNoSuchProcess(error)) return false;
    throw error;
  }
}

async function sweepGroups(mains: readonly ProcessId[]): Promise<Swept> {
  const deadline = performance.now() + SWEEP_LIMIT_MS;
  const killed = mains.filter((main) => killGroup(main.pid)).length;
  for (;;) {
    const left = mains.filter((main) => isAlive(main)).map((main) => main.pid);
    if (left.length === 0 || performance.now() > deadline) return { killed, survivors: left };
    await setTimeout(LONGEST_PAUSE_MS);
  }
}
