import type { Question } from "../../domain/run/attempt-fact.ts";
import type { RunFact } from "../../domain/run/event.ts";
import type { Fence } from "../../domain/values/ids.ts";
import type { DayBudget } from "../../ports/day-budget.ts";

type DayMoneyFact = Extract<RunFact, { type: "day-spend-unknown" | "others-spent-today" }>;

/** `unknown` is set if the cost of other sessions cannot be read; otherwise others left too little for today. */
export type Reserved = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly unknown: boolean };

/**
 * Reserves the day's money for an agent or a question just before it starts: others may have spent it since the start was
 * decided. A refusal is reported as a fact, after which nothing else of the run starts that costs money (law 4 if it is unknown).
 */
export async function reserveMoney(
  dayBudget: DayBudget,
  report: (fact: DayMoneyFact) => unknown,
  { fence, usd, question }: { readonly fence: Fence; readonly usd: number; readonly question?: Question },
): Promise<Reserved> {
  const unknown = await dayBudget.look?.();
  if (unknown !== undefined) {
    report({ type: "day-spend-unknown", why: unknown });
    return { ok: false, why: unknown, unknown: true };
  }
  const taken = dayBudget.take(fence, usd, question);
  if (taken.ok) return taken;
  report({ type: "others-spent-today", usd: taken.othersUsd });
  return { ok: false, why: "other runs have spent the day's money", unknown: false };
}
