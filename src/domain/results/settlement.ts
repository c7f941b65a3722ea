import type { TicketState } from "../run/ticket-state.ts";

/** How a done ticket came to be done: by this run, before it began, or by a person in the tracker. */
export type Settlement = "shipped" | "before" | "by-person";

/**
 * The settlement of a done ticket. What an earlier run had landed and this run found live has shipped now: no run before counted it.
 * What was settled before the run, and only failed a check for a while, has not.
 */
export function ticketSettlement({
  closedByPerson,
  history,
  live,
}: Pick<TicketState, "closedByPerson" | "history" | "live">): Settlement {
  if (closedByPerson === "closed") return "by-person";
  if (history.length > 0) return "shipped";
  return live === undefined || live.reopened > 0 ? "before" : "shipped";
}

/** The done tickets of a run, by settlement. */
export function countSettlements(done: readonly TicketState[]): Readonly<Record<Settlement, number>> {
  const counts = { shipped: 0, before: 0, "by-person": 0 };
  for (const ticket of done) counts[ticketSettlement(ticket)] += 1;
  return counts;
}
