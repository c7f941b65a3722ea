import type { Judgement } from "../../src/domain/run/event.ts";
import { errorMessage } from "../../src/domain/values/text.ts";
import type { Tracker } from "../../src/ports/tracker.ts";

/** What an honest oracle says of this tracker. */
export async function judgeBy(tracker: Tracker): Promise<Judgement> {
  const tickets = await tracker.snapshot().catch((error: unknown) => errorMessage(error));
  const nothing = { done: 0, gated: 0, open: 0 };
  if (typeof tickets === "string") return { verdict: "unjudged", counts: nothing, open: [], problem: tickets, durationMs: 1 };
  const count = (as: string) => tickets.filter((t) => t.state.as === as).length;
  const open = tickets.filter((t) => t.state.as === "open").map((t) => t.id);
  const counts = { done: count("done"), gated: count("human-gated"), open: open.length };
  return { verdict: open.length === 0 ? "done" : "not-done", counts, open, durationMs: 1 };
}
