import { TrackerBusy } from "../../../../ports/tracker.ts";
import type { Budget } from "../../../github/budget.ts";

/** After so long, a read shows a write whose answer was lost, if it was carried out. Milliseconds. */
const SETTLED_MS = 10_000;

/**
 * Things that may have been made, although no answer came. GitHub answers reads from copies that may lag behind, so a read that does
 * not show such a comment or issue says little at first: it is not made again before a read that is 10 s younger than the loss, by
 * GitHub's own clock (`Date`). Should two come up all the same, the next write removes one.
 */
export class UnconfirmedWrites {
  readonly #budget: Budget;
  /** The server's time from which on a read tells, by what was written. */
  readonly #until = new Map<string, number>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** The answer to making it was lost. */
  add(name: string): void {
    this.#until.set(name, this.#budget.serverNow() + SETTLED_MS);
  }

  /** A read shows it, or it was made. */
  clear(name: string): void {
    this.#until.delete(name);
  }

  /** Throws a TrackerBusy if the last read is too old to tell that it was not made. */
  mustBeSettled(name: string): void {
    const until = this.#until.get(name);
    if (until === undefined || this.#budget.serverNow() >= until) return;
    const why = "an answer of GitHub was lost, and a read does not tell yet whether the write was carried out";
    throw new TrackerBusy(why, this.#budget.localTime(until));
  }
}
