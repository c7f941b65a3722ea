import type { ProcessId } from "../../ports/executor.ts";
import type { ProcessStat } from "./process-id.ts";
import type { ReadProcessTable } from "./process-table.ts";
import { findProcessTree } from "./process-tree.ts";

/**
 * Interval between checks of the running programs' process trees. A daemon that leaves its session and also overwrites or clears
 * its environment (as some servers do) is recognizable only by its parents, which it soon loses.
 */
export const TREE_WATCH_MS = 1_000;

/** A running program and every living process ever seen below it. Disposing it ends the watch, not the program. */
export interface ProcessTreeWatch extends Disposable {
  /** Start time by pid. */
  readonly seen: ReadonlyMap<number, string>;
  /** The reason why the last check failed, in words. */
  trouble(): string | undefined;
  /** Checks now. Does not throw: see `trouble`. */
  look(): Promise<void>;
}

interface Member {
  readonly main: ProcessId;
  readonly seen: Map<number, string>;
  trouble: string | undefined;
}

/** Watches all running programs with one shared scan, and does nothing while there is none. */
export function createProcessTreeWatch(read: ReadProcessTable, everyMs = TREE_WATCH_MS): (main: ProcessId) => ProcessTreeWatch {
  const members = new Set<Member>();
  let timer: NodeJS.Timeout | undefined;
  return (main) => {
    const member: Member = { main, seen: new Map(), trouble: undefined };
    members.add(member);
    timer ??= setInterval(() => void lookAt([...members], read), everyMs).unref();
    return {
      seen: member.seen,
      trouble: () => member.trouble,
      look: () => lookAt([member], read),
      [Symbol.dispose]() {
        members.delete(member);
        if (members.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
    };
  };
}

async function lookAt(members: readonly Member[], read: ReadProcessTable): Promise<void> {
  const before = new Map(members.map((member) => [member, [...member.seen]]));
  try {
    const rows = await read(Math.min(...members.map(({ main }) => Number(main.startTime))));
    for (const member of members) update(member, rows, before.get(member) ?? []);
  } catch (error) {
    for (const member of members) member.trouble = `its processes could not be looked at: ${String(error)}`;
  }
}

/** Checks may overlap: this one forgets only processes that were known when it began. */
function update(member: Member, rows: readonly ProcessStat[], before: readonly (readonly [number, string])[]): void {
  const starts = new Map(rows.map((row) => [row.pid, row.startTime]));
  for (const [pid, start] of before) {
    if (starts.get(pid) !== start && member.seen.get(pid) === start) member.seen.delete(pid);
  }
  for (const row of findProcessTree(rows, { mains: [member.main], seen: member.seen, isMarked: () => false })) {
    if (row.pid !== member.main.pid) member.seen.set(row.pid, row.startTime);
  }
  member.trouble = undefined;
}
