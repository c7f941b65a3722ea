import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { closest, distance } from "fastest-levenshtein";
import { openRunStore } from "../adapters/journal/sqlite-run-store.ts";
import { createLocks } from "../adapters/locks/sqlite-locks.ts";
import type { RunState } from "../domain/run/state.ts";
import type { RunId } from "../domain/values/ids.ts";
import { firstFew, firstFewLine, plainText } from "../domain/values/text.ts";
import { formatUtc } from "../domain/values/time.ts";
import type { RunRow, RunStore, Tally } from "../ports/run-store.ts";
import { inListOrder, type ListedRun } from "../store/run-list.ts";
import { batchLock } from "./engine/engine-locks.ts";
import { stateFromJournal } from "./engine/journal-state.ts";
import { folderUrl } from "./links.ts";
import { runFolder, type StateHome, stateHome } from "./state-home.ts";
import { usageError } from "./usage-error.ts";

/** The reason of a run that was closed for a fresh one, without an engine: its journal does not say that it ended. */
export const GIVEN_UP = "given up for a fresh run (--fresh)";

/** A recorded run, and its liveness. */
export interface RecordedRun {
  readonly row: RunRow;
  readonly folder: string;
  readonly live: boolean;
  /** Process id of its engine, while it is live. */
  readonly pid?: number;
  /** Earlier runs of the same batch, newest first, if the run was looked up by the batch's name; else none. */
  readonly others: readonly RunRow[];
}

/** A run with the state from its journal. */
export interface LocatedRun extends RecordedRun {
  readonly state: RunState;
}

/** All runs of this LOOPDASH_HOME, newest first. */
export function listRuns(liveness: Liveness = isLive): readonly (RunRow & { live: boolean })[] {
  return withStore((store, home) => store.list().map((row) => ({ ...row, live: liveness(home, row) })));
}

/** The newest run of a home on which an engine is working; undefined if there is none. */
export function liveRun(home: StateHome): RunId | undefined {
  if (!existsSync(home.db)) return undefined;
  return withStore((store) => store.list().find((row) => isLive(home, row))?.run);
}

/** True if an engine is working on a run. For callers that ask repeatedly. */
export type Liveness = (home: StateHome, row: RunRow) => boolean;

/** Testing a held lock blocks this process for a moment. So a run found live counts as live as long as its process exists. */
export function createLiveness(): Liveness {
  const pids = new Map<RunId, number>();
  return (home, row) => {
    const pid = enginePid(runFolder(home, row.run));
    if (pid !== undefined && pids.get(row.run) === pid && isProcess(pid)) return row.endedAt === undefined;
    const live = isLive(home, row);
    if (live && pid !== undefined) pids.set(row.run, pid);
    else pids.delete(row.run);
    return live;
  };
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: there is no such process. EPERM: it is another user's, and so not the engine.
    return false;
  }
}

/** All runs of this LOOPDASH_HOME for the list of runs. */
export function listedRuns(liveness: Liveness): readonly ListedRun[] {
  return withStore((store, home) => {
    const tallies = store.tallies();
    return inListOrder(
      store.list().map((row) => {
        const url = folderUrl(runFolder(home, row.run));
        return { ...listed(row, liveness(home, row), tallies.get(row.run)), ...(url !== undefined && { url }) };
      }),
    );
  });
}

function listed(row: RunRow, live: boolean, tally: Tally | undefined): ListedRun {
  const { run, name, batchPath, startedAt, endedAt, verdict } = row;
  const left = tally?.stopped === true ? "stopped" : "engine-gone";
  return {
    run,
    name,
    batchPath,
    startedAt,
    standing: live ? "at-work" : endedAt === undefined ? left : "ended",
    endedAt,
    verdict,
    tally,
  };
}

/**
 * The run with this name or name prefix, or the latest run of the batch with this name; without a name, the newest live run, else
 * the newest. Throws a UserError (exit 2) if there is none or more than one.
 */
export function findRun(name: string | undefined): LocatedRun {
  return withStore((store, home) => {
    const found = recorded(store, home, name);
    return { ...found, state: stateFromJournal(store.openForReading(found.row.run), found.row.run) };
  });
}

/** The same without reading its journal. */
export function lookUpRun(name: string | undefined): RecordedRun {
  return withStore((store, home) => recorded(store, home, name));
}

function recorded(store: RunStore, home: StateHome, name: string | undefined): RecordedRun {
  const { row, others = [] } = choose(store.list(), name, home);
  const folder = runFolder(home, row.run);
  const live = isLive(home, row);
  const pid = live ? enginePid(folder) : undefined;
  return { row, folder, live, others, pid };
}

/** One line that names the run that was taken by its batch's name, and the others; undefined if there was no choice. */
export function describeChoice({ row, others }: Pick<RecordedRun, "row" | "others">): string | undefined {
  if (others.length === 0) return undefined;
  const named = firstFewLine(
    others.map(({ run }) => run),
    MOST_NAMED,
  );
  return `using ${row.run} of the runs of "${plainText(row.name)}"; the others: ${named}`;
}

interface Choice {
  readonly row: RunRow;
  readonly others?: readonly RunRow[];
}

/** `rows` are newest first. */
function choose(rows: readonly RunRow[], name: string | undefined, home: StateHome): Choice {
  if (name === undefined) {
    const row = rows.find((r) => isLive(home, r)) ?? rows[0];
    if (row !== undefined) return { row };
    throw usageError(
      "there is no run yet",
      `nothing was started with the state folder ${home.root}`,
      "Start one: loopdash batch.json",
    );
  }
  const exact = rows.find((row) => row.run === name);
  if (exact !== undefined) return { row: exact };
  const named = rows.filter((row) => row.name === name || row.run.replace(RUN_SUFFIX, "") === name);
  const latest = named.find((row) => isLive(home, row)) ?? named[0];
  // Another batch file may have the same name.
  if (latest !== undefined)
    return { row: latest, others: named.filter((row) => row !== latest && row.batchPath === latest.batchPath) };
  const near = rows.filter((row) => row.run.startsWith(name));
  if (near.length === 1 && near[0] !== undefined) return { row: near[0] };
  if (near.length === 0) throw usageError(`cannot find the run "${name}"`, "no run has this name", similarName(rows, name));
  const starts = near.map(({ run, startedAt }) => `${run}, started ${formatUtc(startedAt)}`);
  throw usageError(
    `"${name}" could be any of ${near.length} runs`,
    firstFew(starts, MOST_NAMED).join("\n"),
    "Give the whole name of one of them.",
  );
}

/** The most differences at which a name counts as mistyped. */
const MAX_TYPOS = 3;

function similarName(rows: readonly RunRow[], name: string): string {
  const names = rows.slice(0, MAX_COMPARED).flatMap((row) => [row.name, row.run]);
  const similar = names.length === 0 ? "" : closest(name.slice(0, 200), names);
  return similar !== "" && distance(name.slice(0, 200), similar) <= MAX_TYPOS
    ? `Did you mean ${plainText(similar)}? See: loopdash runs`
    : "See: loopdash runs";
}

/** Runs that a wrong name is compared with, newest first. */
const MAX_COMPARED = 500;

/** The suffix that `newRunId` adds to the batch's name: the day, and four hexadecimal digits. */
const RUN_SUFFIX = /-\d{8}-[0-9a-f]{4}$/;

/** Runs that a message lists, newest first. */
const MOST_NAMED = 8;

/** Uses the records until the promise settles. Throws a UserError (exit 2) if there are none. */
export async function withStoreOpen<T>(use: (store: RunStore) => Promise<T>): Promise<T> {
  const { store } = openRecords();
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

function openRecords(): { readonly store: RunStore; readonly home: StateHome } {
  const home = stateHome(process.env, process.cwd());
  if (!existsSync(home.db)) {
    throw usageError(
      "there is no run yet",
      `nothing was started with the state folder ${home.root}`,
      "Start one: loopdash batch.json",
    );
  }
  return { store: openRunStore(home.db), home };
}

/** Uses the records of this LOOPDASH_HOME. Throws a UserError (exit 2) if there are none. */
export function withStore<T>(use: (store: RunStore, home: StateHome) => T): T {
  const { store, home } = openRecords();
  try {
    return use(store, home);
  } finally {
    store.close();
  }
}

/** An unended run is live if its batch is locked, and the lock's engine is that run's. */
function isLive(home: StateHome, row: RunRow): boolean {
  if (row.endedAt !== undefined || !existsSync(home.locks)) return false;
  return createLocks(home.locks).isHeld(batchLock(row.batchPath)) && enginePid(runFolder(home, row.run)) !== undefined;
}

function enginePid(folder: string): number | undefined {
  const file = join(folder, "engine.pid");
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, "utf8").trim());
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}
