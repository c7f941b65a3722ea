import type { TrackerState } from "../../domain/run/drift-fact.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { TicketIdTaken, TicketMoved } from "../../ports/tracker.ts";
import type { StepContext, StepResult } from "./step.ts";

/**
 * Sets the ticket's state in the tracker and reads it back. Waits out an outage of the tracker. It fails only after a stop, or
 * once the time for the outage is over; then the next engine continues from the landing.
 */
export async function assertTracker(
  ctx: Pick<StepContext, "outages" | "tracker">,
  options: { ticket: TicketId; state: TrackerState; note: string; signal: AbortSignal },
): Promise<StepResult> {
  const told = await tellTracker(ctx, options.signal, () => ctx.tracker.set(options.ticket, options.state, options.note));
  if (told.ok) return { ok: true, summary: `tracker says ${options.state.as}` };
  const summary = `the tracker could not be set to ${options.state.as}`;
  const { problem } = told;
  return { ok: false, evidence: { step: "assert", name: "assert", summary: `${summary}: ${problem}`, detail: problem } };
}

/** The outcome of a write. `isRefused`: the tracker answered, and would answer the same again. The problem is one safe line. */
export type Told = { readonly ok: true } | { readonly ok: false; readonly problem: string; readonly isRefused: boolean };

/** Writes to the tracker, again and again while it is away, until a stop or until the time for that is over. */
export async function tellTracker(
  { outages }: Pick<StepContext, "outages">,
  signal: AbortSignal,
  write: () => Promise<unknown>,
): Promise<Told> {
  const isRefused = (error: unknown): boolean => error instanceof TicketIdTaken || error instanceof TicketMoved;
  try {
    await outages.persist("tracker", write, { signal, isOutage: (error) => !isRefused(error) });
    return { ok: true };
  } catch (error) {
    return { ok: false, problem: plainText(errorMessage(error), 500), isRefused: isRefused(error) };
  }
}
