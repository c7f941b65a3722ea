import type { Batch, Ticket } from "../batch/schema.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";

type Spec = Pick<Ticket, "contract">;

/** Attempts at a ticket that may fail: the batch's, or fewer if its contract says so. */
export function attemptsFor({ limits }: Pick<Batch, "limits">, spec: Spec | undefined): number {
  return Math.min(limits.attempts, spec?.contract?.stopWhen?.attempts ?? limits.attempts);
}

/** The same for the ticket at `index`. */
export function attemptsAt({ batch, plan }: Pick<RunState, "batch" | "plan">, index: number): number {
  return attemptsFor(batch, plan.tickets[index]);
}

/** Dollars that all attempts at a ticket may cost. */
export function usdFor({ limits }: Pick<Batch, "limits">, spec: Spec | undefined): number {
  return Math.min(limits.usdPerTicket, spec?.contract?.stopWhen?.usd ?? limits.usdPerTicket);
}

/** Milliseconds that the agents of a ticket have worked since a person last retried it; those of a running one are not counted. */
export function agentMs({ history, retriedAfter = 0 }: Pick<TicketState, "history" | "retriedAfter">): number {
  return history.slice(retriedAfter).reduce((sum, { startedAt, slotLeftAt }) => sum + Math.max(0, slotLeftAt - startedAt), 0);
}

/** Milliseconds that the next agent of a ticket may work: the batch's, or what its contract leaves. */
export function agentLimitMs({ limits }: Pick<Batch, "limits">, spec: Spec, ticket: TicketState): number {
  const most = limits.minutesPerAttempt * 60_000;
  const own = spec.contract?.stopWhen?.minutes;
  return own === undefined ? most : Math.max(1, Math.min(most, own * 60_000 - agentMs(ticket)));
}

/** The minutes of a contract that are used up, in words; undefined if there are some left, or no bound. */
export function usedUp(spec: Spec | undefined, ticket: TicketState): string | undefined {
  const minutes = spec?.contract?.stopWhen?.minutes;
  if (minutes === undefined || agentMs(ticket) < minutes * 60_000) return undefined;
  return `minutes: its agents have used up the ${minutes} min that its contract gives them`;
}
