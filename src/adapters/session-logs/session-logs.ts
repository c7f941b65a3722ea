import { setTimeout as pause } from "node:timers/promises";
import type { BilledTokens } from "../../ports/gateway.ts";
import {
  type LoggedUse,
  NotUnderstood,
  type SessionLogFormat,
  type SessionLogs,
  type SessionSpend,
} from "../../ports/session-logs.ts";
import { findLogs, type SessionLogFile } from "./find-logs.ts";
import { readObjects, Unreadable } from "./read-lines.ts";

/** The logs of one program, and what they come to. */
export interface SessionLogsOptions extends SessionLogFormat {
  /** Dollars that tokens of a model cost; undefined where it has no price. */
  readonly cost: (model: string, tokens: BilledTokens) => number | undefined;
}

/** Somebody who writes a line has done so in this time. Milliseconds between tries, and tries. */
const AGAIN_MS = 100;
const TRIES = 20;
/** Answers of one day that are kept in memory, at most. */
const MOST_USES = 1_000_000;

/** An answer, and where it was told. */
interface Logged {
  readonly use: LoggedUse;
  readonly path: string;
}

/** What is known of a log that has not changed since. */
interface Known {
  readonly file: SessionLogFile;
  readonly uses: readonly LoggedUse[];
}

/**
 * Sums what a program's logs tell. A log that has not changed is not read again. What was spent is never taken back: a log that was
 * removed has been paid for. `wait` lets milliseconds pass.
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
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unreadable && error.passes) || tries === TRIES) throw error;
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
  return once(all).reduce((usd, logged) => usd + costOf(options, logged), 0);
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

/** What is told again has grown, or is the same: the greater of each counts. */
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

function costOf(options: SessionLogsOptions, { use: { model, tokens, alsoUsd }, path }: Logged): number {
  // Programs log messages of their own making as those of a model that is none.
  if (Object.values(tokens).every((count) => count === 0)) return alsoUsd;
  const usd = options.cost(model, tokens);
  if (usd === undefined)
    throw new Unreadable(path, `no price is known for the model "${model}"; the batch can name one under prices`);
  return usd + alsoUsd;
}
