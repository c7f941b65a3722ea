import type { TripwireResult } from "../domain/run/tripwire-result.ts";

/** Proves that the oracle still judges: it must judge a set of trackers with known verdicts correctly. */
export interface Tripwire {
  /**
   * Makes fresh canaries and has all of them judged. Never throws. Undefined if it was cancelled. It gives way to other work
   * unless it is `urgent`, which is asked before each judgement.
   */
  check(signal: AbortSignal, urgent?: () => boolean): Promise<TripwireResult | undefined>;
}
