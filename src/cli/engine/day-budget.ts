import type { RunId } from "../../domain/ids.ts";
import type { DayBudget } from "../../loop/context.ts";
import type { RunStore } from "../../ports/run-store.ts";

/** The first moment of the calendar day, where this machine is, in milliseconds. */
export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

/** The day's money as the table of costs has it, which all engines of one LOOPDASH_HOME share. */
export function dayBudgetOf(run: RunId, capUsd: number, store: RunStore): DayBudget {
  return {
    take(fence, usd, question) {
      const at = Date.now();
      const since = startOfDay(at);
      if (usd === 0 || store.reserveCost({ run, fence, question, at, usd, since, capUsd })) return { ok: true };
      return { ok: false, othersUsd: store.spentSince(since, run) };
    },
    settle: (fence, usd, question) => store.settleCost(run, fence, usd, question),
  };
}
