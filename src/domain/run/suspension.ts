import { firstFew } from "../values/text.ts";
import { formatDuration, formatUtc } from "../values/time.ts";

/** Time in which no engine ran. Milliseconds since the epoch. */
export interface Suspension {
  readonly from: number;
  readonly to: number;
}

/** The engine found that it had not run for a while: it was stopped or starved, or its machine slept. No limit counts that time. */
export type SuspensionFact = { readonly type: "engine-suspended" } & Suspension;

/** The engine waits for somebody else's program. `text`: what waits for what, and for how long at most; safe for a terminal. */
export interface LongWaitFact {
  readonly type: "engine-waits";
  readonly text: string;
}

export interface Suspended {
  readonly suspensions?: readonly Suspension[];
}

/** Suspensions that a state remembers. */
const MOST = 1_000;

/** A run's suspensions with one more. */
export function withSuspension({ suspensions = [] }: Suspended, { from, to }: Suspension): Required<Suspended> {
  return { suspensions: [...suspensions, { from, to }].slice(-MOST) };
}

/** The moment at which a run's engines have run for `ms` milliseconds since `since`. */
export function runTimeAfter({ suspensions = [] }: Suspended, since: number, ms: number): number {
  return suspensions.reduce((end, { from, to }) => end + (from < end ? Math.max(0, to - Math.max(from, since)) : 0), since + ms);
}

/** Milliseconds between two moments in which an engine ran. */
export function engineMs({ suspensions = [] }: Suspended, since: number, until: number): number {
  const idle = suspensions.reduce((ms, { from, to }) => ms + Math.max(0, Math.min(to, until) - Math.max(from, since)), 0);
  return Math.max(0, until - since - idle);
}

/** A suspension in words. */
export function suspensionText({ from, to }: Suspension): string {
  return `the engine did not run from ${formatUtc(from)} to ${formatUtc(to)} (${formatDuration(to - from)}): no limit counts that time`;
}

/** A run's suspensions, a line each; the last ones are counted if there are many. */
export function suspensionLines({ suspensions = [] }: Suspended): readonly string[] {
  return firstFew(suspensions.map(suspensionText), 20);
}
