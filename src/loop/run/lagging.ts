import type { Batch } from "../../domain/batch/schema.ts";
import type { Clock } from "../../ports/clock.ts";
import { pause } from "../concurrency/wait.ts";

/** After so long, every copy of a service shows a write. Milliseconds; the tracker's adapter waits as long. */
const CAUGHT_UP_MS = 10_000;

/** True if the batch's tracker is a service, which answers readings from copies that may lag behind its writes. */
export function mayLag({ tracker }: Pick<Batch, "tracker">): boolean {
  return tracker.kind === "linear" || tracker.kind === "github";
}

/** Waits until every copy of the tracker shows what was written at a time, in milliseconds since the epoch, or until the signal. */
export async function caughtUp(
  { batch, clock }: { readonly batch: Pick<Batch, "tracker">; readonly clock: Clock },
  writtenAt: number,
  signal: AbortSignal,
): Promise<void> {
  const ms = Math.min(CAUGHT_UP_MS, writtenAt + CAUGHT_UP_MS - clock.now());
  if (mayLag(batch) && ms > 0) await pause(clock, ms, signal);
}
