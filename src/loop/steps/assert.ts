import type { TrackerState } from "../../domain/run/drift-fact.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { TicketMoved } from "../../ports/tracker.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepContext, StepResult } from "./step.ts";

/** Waits between retries of a tracker write. Milliseconds. */
const BACKOFF_MS = [250, 1_000, 4_000];

/**
 * Sets the ticket's state in the tracker and reads it back. Retries a few times if the tracker fails, unless there is a stop. If
 * the tracker stays down, the next attempt continues from the landing.
 */
export async function assertTracker(
  ctx: Pick<StepContext, "clock" | "tracker">,
  options: { ticket: TicketId; state: TrackerState; note: string; signal: AbortSignal },
): Promise<StepResult> {
  const problem = await tellTracker(ctx, options.signal, () => ctx.tracker.set(options.ticket, options.state, options.note));
  if (problem === undefined) return { ok: true, summary: `tracker says ${options.state.as}` };
  const summary = `the tracker could not be set to ${options.state.as}`;
  return { ok: false, evidence: { step: "assert", name: "assert", summary: `${summary}: ${problem}`, detail: problem } };
}

/**
 * Writes to the tracker, with a few retries, unless there is a stop. Gives its last problem, safe for a terminal; undefined if
 * the write succeeded.
 */
export async function tellTracker(
  { clock }: Pick<StepContext, "clock">,
  signal: AbortSignal,
  write: () => Promise<unknown>,
): Promise<string | undefined> {
  let problem = "";
  for (const wait of [0, ...BACKOFF_MS]) {
    if (wait > 0) await pause(clock, wait, signal);
    if (wait > 0 && signal.aborted) break;
    try {
      await write();
      return undefined;
    } catch (error) {
      problem = plainText(errorMessage(error), 500);
      // A person's act is no outage.
      if (error instanceof TicketMoved) break;
    }
  }
  return problem;
}
