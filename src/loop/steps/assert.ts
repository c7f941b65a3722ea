import type { TrackerState } from "../../domain/run/drift-fact.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { TicketConflict, TicketIdTaken } from "../../ports/tracker.ts";
import type { StepContext, StepResult } from "./step.ts";

/**
 * Sets the ticket's state in the tracker and reads it back. Waits out an outage of the tracker. It fails only after a stop, or
 * once the time for the outage is over; then the next engine continues from the landing.
 */
export async function assertTracker(
  ctx: Pick<StepContext, "outages" | "tracker">,
  options: { ticket: TicketId; state: TrackerState; note: string; signal: AbortSignal },
): Promise<StepResult> {
  const result = await writeTracker(ctx, options.signal, () => ctx.tracker.set(options.ticket, options.state, options.note));
  if (result.ok) return { ok: true, summary: `tracker says ${options.state.as}` };
  const summary = `the tracker could not be set to ${options.state.as}`;
  const { problem } = result;
  return { ok: false, evidence: { step: "assert", name: "assert", summary: `${summary}: ${problem}`, detail: problem } };
}

/** The outcome of a write. `isRefused`: the tracker answered, and would answer the same again. The problem is one safe line. */
export type TrackerWriteResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly isRefused: boolean };

/** Writes to the tracker, again and again while it is away, until a stop or until the time for that is over. */
export async function writeTracker(
  { outages }: Pick<StepContext, "outages">,
  signal: AbortSignal,
  write: () => Promise<unknown>,
): Promise<TrackerWriteResult> {
  const isRefused = (error: unknown): boolean => error instanceof TicketIdTaken || error instanceof TicketConflict;
  try {
    await outages.persist("tracker", write, { signal, isOutage: (error) => !isRefused(error) });
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: plainText(errorMessage(error), 500), isRefused: isRefused(error) };
  }
}
