import type { AgentStop } from "../run/agent-event.ts";
import { formatUtc } from "../values/time.ts";
import type { UsageLimit } from "./schema.ts";

/** The most that a limit is believed to last. Milliseconds: seven days. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** The stop of an agent that says it met a usage limit. A time too far ahead is refused: then nobody knows how long it lasts. */
export function stopByLimit({ until, reason }: UsageLimit, now: number): { readonly stop: AgentStop; readonly refused?: string } {
  const stop = { kind: "rate-limited", says: reason ?? "the agent met a usage limit (limit.json)" } as const;
  if (until === undefined) return { stop };
  const ms = Date.parse(until) - now;
  if (ms > LONGEST_MS) return { stop, refused: `"until" is later than ${formatUtc(now + LONGEST_MS)}, seven days from now` };
  return { stop: { ...stop, retryAfterMs: Math.max(0, ms) } };
}
