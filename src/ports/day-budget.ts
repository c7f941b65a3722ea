import type { Question } from "../domain/run/attempt-fact.ts";
import type { Fence } from "../domain/values/ids.ts";

/** The money of the day, which all runs on this machine have together: keeps `limits.usdPerDay` across them. */
export interface DayBudget {
  /**
   * Looks at what is spent beside loopdash's own runs, so that `take` counts it too; absent where that does not count. Why it is not
   * known, where it is not: one line, safe for a terminal.
   */
  look?(): Promise<string | undefined>;
  /**
   * Sets dollars aside for an attempt's agent, or for a question of it to the second model; where they are no longer there, gives
   * what other runs have spent and set aside today.
   */
  take(
    fence: Fence,
    usd: number,
    question?: Question,
  ): { readonly ok: true } | { readonly ok: false; readonly othersUsd: number };
  /** What it did cost. */
  settle(fence: Fence, usd: number, question?: Question): void;
}
