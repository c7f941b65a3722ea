import { setTimeout as pause } from "node:timers/promises";
import type { SessionLogs, SessionSpend, SessionTokens } from "../../ports/session-logs.ts";
import { findLogs, type LogFile } from "./find-logs.ts";
import { readObjects } from "./read-lines.ts";
import { Unreadable } from "./unreadable.ts";

/** One answer of a model, as a log has it. */
export interface LoggedUse {
  /** What is told twice has the same key, in whichever log; absent where nothing is told twice. */
  readonly key?: string;
  readonly model: string;
  readonly tokens: SessionTokens;
  /** Dollars beside the tokens. */
  readonly alsoUsd: number;
}

/** Reads the lines of one log, in order. Gives what it tells of since that moment; throws a text that says what is not understood. */
export type LogReader = (since: number) => (object: Readonly<Record<string, unknown>>) => LoggedUse | undefined;

/** Where a program keeps its logs, and how they are read. */
export interface LogKind {
  /** Folders; those that are not there hold nothing. */
  readonly roots: readonly string[];
  readonly isLog: (name: string) => boolean;
  readonly reader: LogReader;
  /** Dollars that tokens of a model cost; undefined where it has no price. */
  readonly cost: (model: string, tokens: SessionTokens) => number | undefined;
}

/** Somebody who writes a line has done so in this time. Milliseconds between tries, and tries. */
const AGAIN_MS = 100;
const TRIES = 20;
/** Answers of one day that are kept in memory, at most. */
const MOST_USES = 1_000_000;

/** What a line says that is not understood; it is told with the log's name and the line. */
export class NotUnderstood extends Error {
  override readonly name = "NotUnderstood";
}

/** An answer, and where it was told. */
interface Logged {
  readonly use: LoggedUse;
  readonly path: string;
}

/** What is known of a log that has not changed since. */
interface Known {
  readonly file: LogFile;
  readonly uses: readonly LoggedUse[];
}

/**
 * Sums what a program's logs tell. A log that has not changed is not read again. What was spent is never taken back: a log that was
 * removed has been paid for. `wait` lets milliseconds pass.
 */
export function createSessionLogs(kind: LogKind, wait: (ms: number) => Promise<unknown> = pause): SessionLogs {
  let known = new Map<string, Known>();
  let day = { since: Number.NaN, usd: 0 };
  return {
    async spentSince(since): Promise<SessionSpend> {
      if (day.since !== since) {
        known = new Map();
        day = { since, usd: 0 };
      }
      try {
        const usd = await withPatience(() => sum(kind, since, known), wait);
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
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unreadable && error.passes) || tries === TRIES) throw error;
      await wait(AGAIN_MS);
    }
  }
}

async function sum(kind: LogKind, since: number, known: Map<string, Known>): Promise<number> {
  const found: LogFile[] = [];
  for (const root of kind.roots) for (const file of await findLogs(root, { since, isLog: kind.isLog })) found.push(file);
  const all: Logged[] = [];
  for (const file of found) {
    const before = known.get(file.path);
    const same = before?.file.size === file.size && before.file.mtimeMs === file.mtimeMs;
    const now = same ? before : { file, uses: await readLog(kind, file.path, since) };
    known.set(file.path, now);
    for (const use of now.uses) all.push({ use, path: file.path });
    if (all.length > MOST_USES) throw new Unreadable(file.path, `with this log there are more than ${MOST_USES} answers today`);
  }
  return once(all).reduce((usd, logged) => usd + costOf(kind, logged), 0);
}

/** Each answer once, with all that is told of it. */
function once(all: readonly Logged[]): readonly Logged[] {
  const byKey = new Map<unknown, Logged>();
  for (const { use, path } of all) {
    const key = use.key ?? use;
    byKey.set(key, { use: joined(byKey.get(key)?.use, use), path });
  }
  return [...byKey.values()];
}

async function readLog(kind: LogKind, path: string, since: number): Promise<readonly LoggedUse[]> {
  const uses: LoggedUse[] = [];
  const read = kind.reader(since);
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

/** What is told again has grown, or is the same: the greater of each counts. */
function joined(before: LoggedUse | undefined, now: LoggedUse): LoggedUse {
  if (before === undefined) return now;
  const a = before.tokens;
  const b = now.tokens;
  const tokens: SessionTokens = {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWriteHour: Math.max(a.cacheWriteHour, b.cacheWriteHour),
  };
  return { ...now, tokens, alsoUsd: Math.max(before.alsoUsd, now.alsoUsd) };
}

function costOf(kind: LogKind, { use: { model, tokens, alsoUsd }, path }: Logged): number {
  // Programs log messages of their own making as those of a model that is none.
  if (Object.values(tokens).every((count) => count === 0)) return alsoUsd;
  const usd = kind.cost(model, tokens);
  if (usd === undefined)
    throw new Unreadable(path, `no price is known for the model "${model}"; the batch can name one under prices`);
  return usd + alsoUsd;
}
