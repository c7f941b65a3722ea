import type { Batch } from "../batch/schema.ts";
import { MOST_PLANS } from "../run/plan-fact.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { ticketRoute } from "./route.ts";

type Routed = Pick<Batch, "complexity">;
type Planned = Pick<TicketState, "complexity" | "plan">;

/** True for a ticket whose class is planned first and that has no approved plan: nothing of it may land, and no agent works on it. */
export function lacksPlan(batch: Routed, ticket: Planned): boolean {
  return ticketRoute(batch, ticket).plan === true && ticket.plan?.state !== "approved";
}

/** The plan that waits for its verdict; undefined if there is none, or if the ticket has finished work to go on with. */
export function planToJudge(
  batch: Routed,
  ticket: Planned & Pick<TicketState, "pendingWork">,
): { readonly text: string; readonly digest: string } | undefined {
  const { text, digest, state } = ticket.plan ?? {};
  if (state !== "written" || text === undefined || digest === undefined) return undefined;
  return lacksPlan(batch, ticket) && ticket.pendingWork === undefined ? { text, digest } : undefined;
}

/** The reason why a ticket gets no more plans, in words; undefined if it does. */
export function plansUsedUp({ plan }: Pick<TicketState, "plan">): string | undefined {
  if (plan === undefined || plan.refusals < MOST_PLANS) return undefined;
  return `plan: ${plan.refusals} plans were refused; the last: ${plan.summary ?? "no reason given"}`;
}
