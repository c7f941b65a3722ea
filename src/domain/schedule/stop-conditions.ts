import type { Batch, Ticket } from "../batch/schema.ts";
import { ticketRoute } from "../complexity/route.ts";
import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { vecAt } from "../values/vec.ts";

type Spec = Pick<Ticket, "contract">;

/** The class of a ticket, if the batch has routes. */
type Rated = Pick<TicketState, "complexity">;
type Bounds = Pick<Batch, "limits" | "complexity">;

/** Attempts at a ticket that may fail: the batch's, or fewer if its contract or its class says so. */
export function attemptsFor(batch: Bounds, spec: Spec | undefined, ticket: Rated): number {
  const { attempts } = batch.limits;
  return Math.min(attempts, spec?.contract?.stopWhen?.attempts ?? attempts, ticketRoute(batch, ticket).attempts ?? attempts);
}

/** The same for the ticket at `index`. */
export function attemptsAt({ batch, plan, tickets }: Pick<RunState, "batch" | "plan" | "tickets">, index: number): number {
  return attemptsFor(batch, plan.tickets[index], vecAt(tickets, index));
}

/** Dollars that all attempts at a ticket may cost. */
export function usdFor(batch: Bounds, spec: Spec | undefined, ticket: Rated): number {
  const { usdPerTicket: usd } = batch.limits;
  return Math.min(usd, spec?.contract?.stopWhen?.usd ?? usd, ticketRoute(batch, ticket).usdPerTicket ?? usd);
}

/** Milliseconds that the agents of a ticket have worked since a person last retried it; those of a running one are not counted. */
export function agentMs({ history, retriedAfter = 0 }: Pick<TicketState, "history" | "retriedAfter">): number {
  return history.slice(retriedAfter).reduce((sum, { startedAt, slotLeftAt }) => sum + Math.max(0, slotLeftAt - startedAt), 0);
}

/** Milliseconds that the next agent of a ticket may work: the batch's or its class's, or what its contract leaves. */
export function agentLimitMs(batch: Bounds, spec: Spec, ticket: TicketState): number {
  const { minutesPerAttempt: minutes } = batch.limits;
  const most = Math.min(minutes, ticketRoute(batch, ticket).minutesPerAttempt ?? minutes) * 60_000;
  const own = spec.contract?.stopWhen?.minutes;
  return own === undefined ? most : Math.max(1, Math.min(most, own * 60_000 - agentMs(ticket)));
}

/** The minutes of a contract that are used up, in words; undefined if there are some left, or no bound. */
export function usedUp(spec: Spec | undefined, ticket: TicketState): string | undefined {
  const minutes = spec?.contract?.stopWhen?.minutes;
  if (minutes === undefined || agentMs(ticket) < minutes * 60_000) return undefined;
  return `minutes: its agents have used up the ${minutes} min that its contract gives them`;
}
