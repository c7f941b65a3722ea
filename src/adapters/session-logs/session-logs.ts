import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BilledTokens } from "@loopdash/model-gateway";
import { hasErrorCode } from "../../domain/values/text.ts";
import {
  type LoggedUse,
  NotUnderstood,
  type SessionLogFormat,
  type SessionLogs,
  type SessionSpend,
} from "../../ports/session-logs.ts";
import { readObjects, Unreadable, unreadableLog } from "./read-lines.ts";

/** The logs of one program, and their prices. */
export interface SessionLogsOptions extends SessionLogFormat {
  /** Dollars for tokens of a model; undefined if it has no price. */
  readonly cost: (model: string, tokens: BilledTokens) => number | undefined;
}

/** Time in which a program completes a line. Milliseconds between attempts, and attempts. */
const AGAIN_MS = 100;
const MAX_ATTEMPTS = 20;
/** Answers of one day that are kept in memory, at most. */
const MOST_USES = 1_000_000;

/** An answer, and the place where it was logged. */
interface Logged {
  readonly use: LoggedUse;
  readonly path: string;
}

/** The knowledge of a log that has not changed since. */
interface Known {
  readonly file: SessionLogFile;
  readonly uses: readonly LoggedUse[];
}

/**
 * Sums the usage in a program's logs. An unchanged log is not read again. Spent money never becomes less: a removed log has been
 * paid for. `wait` waits for milliseconds.
 */
export function createSessionLogs(options: SessionLogsOptions, wait: (ms: number) => Promise<unknown> = pause): SessionLogs {
  let known = new Map<string, Known>();
  let day = { since: Number.NaN, usd: 0 };
  return {
    async spentSince(since): Promise<SessionSpend> {
      if (day.since !== since) {
        known = new Map();
        day = { since, usd: 0 };
      }
      try {
        const usd = await withPatience(() => sum(options, since, known), wait);
        day = { since, usd: Math.max(day.usd, usd) };
        return { ok: true, usd: day.usd };
      } catch (error) {
        if (error instanceof Unreadable) return { ok: false, why: error.message };
        throw error;
      }
    },
  };
}

async function withPatience<T>(read: () => Promise<T>, wait: (ms: number) => Promise<unknown>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unreadable && error.passes) || attempt === MAX_ATTEMPTS) throw error;
      await wait(AGAIN_MS);
    }
  }
}

async function sum(options: SessionLogsOptions, since: number, known: Map<string, Known>): Promise<number> {
  const found: SessionLogFile[] = [];
  for (const root of options.roots) for (const file of await findLogs(root, { since, isLog: options.isLog })) found.push(file);
  const all: Logged[] = [];
  for (const file of found) {
    const before = known.get(file.path);
    const same = before?.file.size === file.size && before.file.mtimeMs === file.mtimeMs;
    const now = same ? before : { file, uses: await readLog(options, file.path, since) };
    known.set(file.path, now);
    for (const use of now.uses) all.push({ use, path: file.path });
    if (all.length > MOST_USES) throw new Unreadable(file.path, `with this log there are more than ${MOST_USES} answers today`);
  }
  return once(all).reduce((usd, logged) => usd + messageCost(options, logged), 0);
}

/** Each answer once, with all of its entries. */
function once(all: readonly Logged[]): readonly Logged[] {
  const byKey = new Map<unknown, Logged>();
  for (const { use, path } of all) {
    const key = use.key ?? use;
    byKey.set(key, { use: joined(byKey.get(key)?.use, use), path });
  }
  return [...byKey.values()];
}

async function readLog(options: SessionLogsOptions, path: string, since: number): Promise<readonly LoggedUse[]> {
  const uses: LoggedUse[] = [];
  const read = options.reader(since);
  await readObjects(path, (object, line) => {
    try {
      const use = read(object);
      if (use !== undefined) uses.push(use);
    } catch (error) {
      if (error instanceof NotUnderstood) throw new Unreadable(path, `line ${line}: ${error.message}`);
      throw error;
    }
  });
  return uses;
}

/** A repeated entry has grown, or is the same: the greater of each count holds. */
function joined(before: LoggedUse | undefined, now: LoggedUse): LoggedUse {
  if (before === undefined) return now;
  const a = before.tokens;
  const b = now.tokens;
  const tokens: BilledTokens = {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWriteHour: Math.max(a.cacheWriteHour, b.cacheWriteHour),
  };
  return { ...now, tokens, alsoUsd: Math.max(before.alsoUsd, now.alsoUsd) };
}

function messageCost(options: SessionLogsOptions, { use: { model, tokens, alsoUsd }, path }: Logged): number {
  // Programs log messages of their own as those of a model that does not exist.
  if (Object.values(tokens).every((count) => count === 0)) return alsoUsd;
  const usd = options.cost(model, tokens);
  if (usd === undefined)
    throw new Unreadable(path, `no price is known for the model "${model}"; the batch can name one under prices`);
  return usd + alsoUsd;
}

/** Files that are found, and levels of folders, at most. */
const MOST_FILES = 100_000;
const MOST_DEPTH = 16;

/** A log, with the data that shows if it has changed. */
interface SessionLogFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Logs under a folder that were written since then: an older log has no later entries. Follows links, each folder once. A missing
 * folder has no logs; one that cannot be read throws Unreadable.
 */
async function findLogs(
  root: string,
  { isLog, since }: { readonly since: number; readonly isLog: (name: string) => boolean },
): Promise<readonly SessionLogFile[]> {
  const names = (await isThere(root)) ? await namesUnder(root, { seen: new Set(), depth: 0 }) : [];
  const logs = names.filter((path) => isLog(basename(path)));
  if (logs.length > MOST_FILES) throw new Unreadable(root, `it holds more than ${MOST_FILES} logs`);
  const found: SessionLogFile[] = [];
  for (const path of logs) {
    const { size, mtimeMs } = await look(path);
    if (mtimeMs >= since) found.push({ path, size, mtimeMs });
  }
  return found;
}

/** Every entry that is no folder. `seen` are the folders that were read. */
async function namesUnder(folder: string, options: { readonly seen: Set<string>; readonly depth: number }): Promise<string[]> {
  if (options.depth > MOST_DEPTH) throw new Unreadable(folder, `it lies more than ${MOST_DEPTH} folders deep`);
  const { dev, ino } = await look(folder);
  const id = `${dev}:${ino}`;
  if (options.seen.has(id)) return [];
  options.seen.add(id);
  const names: string[] = [];
  for (const entry of await list(folder)) {
    const path = join(folder, entry.name);
    if (await leadsToFolder(entry, path))
      for (const name of await namesUnder(path, { ...options, depth: options.depth + 1 })) names.push(name);
    else names.push(path);
  }
  return names;
}

async function isThere(root: string): Promise<boolean> {
  return (await target(root)) !== undefined;
}

/** A broken link with a log's name is reported when it is opened. */
async function leadsToFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await target(path))?.isDirectory() ?? false;
}

/** The target of a path; undefined if there is none. */
async function target(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw unreadableLog(path, error);
  }
}

function look(path: string): Promise<Stats> {
  return stat(path).catch((error: unknown) => {
    throw unreadableLog(path, error);
  });
}

function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableLog(folder, error);
  });
}
