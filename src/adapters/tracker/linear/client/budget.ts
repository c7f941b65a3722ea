import { z } from "zod";
import { HOUR_MS, LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS, UNKNOWN_PAUSE_MS, WHOLE_EVERY } from "../../../reading-pace.ts";

/** The wait after a refusal that says nothing of its end. Milliseconds. */
const BUSY_MS = 60_000;

/** Times below this are in seconds: as milliseconds they would be in 1973. */
const SECONDS_BELOW = 1e11;

const Count = z.coerce.number().nonnegative();

/** What is left of one of the limits of an hour. */
interface Allowance {
  readonly remaining: number;
  /** The whole of it; absent if the answer does not say. */
  readonly limit?: number;
  /** Milliseconds since the epoch, by the local clock. */
  readonly resetAt: number;
}

/** What a reading took. */
export interface Cost {
  readonly requests: number;
  readonly complexity: number;
}

/** What the last answer said of the limits. */
export interface Budget {
  readonly requests?: Allowance;
  readonly complexity?: Allowance;
}

/**
 * The budget that an answer's headers tell of (Linear's documentation, "Rate limiting": X-RateLimit-Requests-*,
 * X-RateLimit-Complexity-*). Times of reset are compared with the answer's own Date, because the local clock may be wrong.
 */
export function readBudget(headers: Headers, now: number): Budget {
  const [requests, complexity] = [readAllowance(headers, "requests", now), readAllowance(headers, "complexity", now)];
  return { requests, complexity };
}

/** The points that a query took; 0 if the answer does not say. */
export function queryComplexity(headers: Headers): number {
  return readCountHeader(headers, "x-complexity") ?? 0;
}

/** The server's time of an answer. Milliseconds since the epoch; undefined if it does not say. */
export function serverTime(headers: Headers): number | undefined {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? undefined : date;
}

/** When a refused request may be repeated, by the headers of the refusal. Milliseconds since the epoch, by the local clock. */
export function retryTime(headers: Headers | undefined, now: number): number {
  if (headers === undefined) return now + BUSY_MS;
  const after = readCountHeader(headers, "retry-after");
  if (after !== undefined) return now + after * 1000;
  const kinds = ["endpoint-requests", "requests", "complexity"].flatMap((kind) => readAllowance(headers, kind, now) ?? []);
  const resets = kinds.filter(({ remaining, resetAt }) => remaining < 1 && resetAt > now).map(({ resetAt }) => resetAt);
  return resets.length > 0 ? Math.max(...resets) : now + BUSY_MS;
}

/**
 * Milliseconds until the next reading, so that readings take at most half of what is left until the limits are reset, and at most
 * half of the limits in any hour. A reading costs the mean of a whole one and the light ones that follow it.
 */
export function readingPause(
  budget: Budget,
  { whole, changes }: { readonly whole?: Cost; readonly changes?: Cost },
  now: number,
): number {
  const pauses = (["requests", "complexity"] as const).flatMap((kind) => {
    const allowance = budget[kind];
    if (allowance === undefined) return [];
    const first = whole?.[kind] ?? 1;
    const round = Math.max(WHOLE_EVERY, first + (WHOLE_EVERY - 1) * (changes?.[kind] ?? first / 10));
    const steady = allowance.limit === undefined ? SHORTEST_PAUSE_MS : steadyPause(allowance.limit, round);
    const left = allowance.resetAt - now;
    if (left <= 0) return [steady];
    return [steady, allowance.remaining < 1 ? LONGEST_PAUSE_MS : (2 * round * left) / WHOLE_EVERY / allowance.remaining];
  });
  return pauses.length === 0 ? UNKNOWN_PAUSE_MS : Math.round(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, ...pauses)));
}

/**
 * The pause with which readings take half of a limit in an hour, as far as whole rounds of `WHOLE_EVERY` readings fit into it: a second
 * whole reading in the same hour could take it all. What is left alone is no measure: half of it, again and again, is nearly all.
 */
function steadyPause(limit: number, round: number): number {
  const rounds = limit / 2 / round;
  return HOUR_MS / WHOLE_EVERY / (rounds < 1 ? rounds : Math.floor(rounds));
}

function readAllowance(headers: Headers, kind: string, now: number): Allowance | undefined {
  const remaining = readCountHeader(headers, `x-ratelimit-${kind}-remaining`);
  const reset = readCountHeader(headers, `x-ratelimit-${kind}-reset`);
  if (remaining === undefined || reset === undefined) return undefined;
  const resetMs = reset < SECONDS_BELOW ? reset * 1000 : reset;
  const limit = readCountHeader(headers, `x-ratelimit-${kind}-limit`);
  return { remaining, resetAt: now + resetMs - (serverTime(headers) ?? now), limit };
}

function readCountHeader(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text === null || text.trim() === "" ? undefined : Count.safeParse(text).data;
}
