import type { AgentStop } from "../domain/run/agent-event.ts";
import type { SanitizedStop } from "../domain/run/event.ts";
import { plainText } from "../domain/values/text.ts";

/** A longer wait than this is no time that anybody waits for, and more than a date can hold. Milliseconds: a year. */
const LONGEST_WAIT_MS = 365 * 24 * 3_600_000;

/** What a program says of its stop, safe to be shown and kept. */
export function sanitizeStopReason({ kind, says, retryAfterMs }: AgentStop): SanitizedStop {
  const told = retryAfterMs !== undefined && retryAfterMs >= 0;
  return { kind, says: plainText(says, 300), ...(told ? { retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) } : {}) };
}
