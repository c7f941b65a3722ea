import type { ProcessId } from "../../ports/executor.ts";
import type { ProcessStat } from "./process-id.ts";

/** By what a run's processes are known. */
export interface ProcessMarks {
  /** Programs the executor started: each leads a session and a group of its own number. */
  readonly mains: readonly ProcessId[];
  /** Processes seen below a main earlier, by pid; the value is the start time. */
  readonly seen: ReadonlyMap<number, string>;
  /** Whether the process carries the run's marker in its environment. */
  readonly isMarked: (row: ProcessStat) => boolean;
}

/**
 * Those of `rows` that belong to a run: its mains, whoever is in their session or group, was seen below them or carries
 * the marker, and every descendant of one of these. Never the engine itself, nor pid 1.
 */
export function processTreeOf(rows: readonly ProcessStat[], marks: ProcessMarks): ProcessStat[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  // A session's number is not given to a new process while the session lives. Where a main's pid has another start
  // time now, it was given away, so nobody is left of the old session.
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
