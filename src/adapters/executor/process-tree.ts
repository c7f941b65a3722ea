import type { ProcessId } from "../../ports/executor.ts";
import type { ProcessStat } from "./process-id.ts";

/** Marks by which a run's processes are recognized. */
export interface ProcessMarks {
  /** Programs that the executor started: each leads a session and a group with its own number. */
  readonly mains: readonly ProcessId[];
  /** Processes seen below a main earlier, by pid; the value is the start time. */
  readonly seen: ReadonlyMap<number, string>;
  /** True if the process carries the run's marker in its environment. */
  readonly isMarked: (row: ProcessStat) => boolean;
}

/**
 * Those of `rows` that belong to a run: its mains, processes in their session or group, processes seen below them, processes with
 * the marker, and every descendant of one of these. Never the engine itself, nor pid 1.
 */
export function findProcessTree(rows: readonly ProcessStat[], marks: ProcessMarks): ProcessStat[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  // The number of a session is not reused while the session lives. If a main's pid now has another start time, the number was
  // reused, so the old session is empty.
  const sessions = new Set<number>();
  for (const main of marks.mains) {
    const now = byPid.get(main.pid);
    if (now === undefined || now.startTime === main.startTime) sessions.add(main.pid);
  }
  const others = rows.filter((row) => row.pid !== process.pid && row.pid !== 1);
  const seeds = others.filter(
    (row) =>
      sessions.has(row.session) || sessions.has(row.group) || marks.seen.get(row.pid) === row.startTime || marks.isMarked(row),
  );
  return withDescendants(others, seeds);
}

function withDescendants(rows: readonly ProcessStat[], seeds: readonly ProcessStat[]): ProcessStat[] {
  const children = Map.groupBy(rows, (row) => row.ppid);
  const found = new Map(seeds.map((row) => [row.pid, row]));
  // A Map's iterator also visits what is added while it runs.
  for (const [pid] of found) {
    for (const child of children.get(pid) ?? []) {
      if (!found.has(child.pid)) found.set(child.pid, child);
    }
  }
  return [...found.values()];
}
