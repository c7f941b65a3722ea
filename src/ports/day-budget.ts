import type { Question } from "../domain/run/attempt-fact.ts";
import type { Fence } from "../domain/values/ids.ts";

/** The money of the day, which all runs on this machine have together: keeps `limits.usdPerDay` across them. */
export interface DayBudget {
  /**
   * Reads the day's cost of sessions outside loopdash, so that `take` counts it. Absent if such sessions do not count. Gives the
   * reason if the cost is unknown: one line, safe for a terminal.
   */
  look?(): Promise<string | undefined>;
  /**
   * Reserves dollars for an attempt's agent, a heal's agent, or an attempt's question to the reviewer. If too little is left, gives
   * the dollars that other runs have spent and reserved today.
   */
  take(
    fence: Fence,
    usd: number,
    question?: Question,
  ): { readonly ok: true } | { readonly ok: false; readonly othersUsd: number };
  /** Replaces the reservation by the cost in dollars. */
  settle(fence: Fence, usd: number, question?: Question): void;
}
