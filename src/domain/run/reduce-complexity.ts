import type { Batch, Ticket } from "../batch/schema.ts";
import { hardestRuling } from "../complexity/classes.ts";
import { complexityOfTicket } from "../complexity/of-ticket.ts";
import type { ComplexityFact } from "./complexity-fact.ts";
import type { TicketState } from "./ticket-state.ts";

type Rated = Pick<TicketState, "complexity">;

/** The class of a ticket that joins the run. One that a worker found is at least as hard as the ticket of its finder (`finder`). */
export function firstComplexity(
  { complexity, bounds = {} }: Pick<Batch, "complexity" | "bounds">,
  ticket: Ticket,
  finder?: Rated,
): Rated {
  if (complexity === undefined) return {};
  const zones = Object.hasOwn(bounds, ticket.repo) ? (bounds[ticket.repo]?.zones ?? []) : [];
  const own = complexityOfTicket(ticket, zones);
  return { complexity: finder?.complexity === undefined ? own : hardestRuling(own, inherited(ticket, finder.complexity)) };
}

function inherited({ foundBy }: Ticket, { class: is }: NonNullable<Rated["complexity"]>): NonNullable<Rated["complexity"]> {
  return { class: is, why: `the worker on ${foundBy}, which is ${is}, found it` };
}

/** The class after a change: it never falls, whatever a journal says. */
export function raisedComplexity({ complexity }: Rated, { to, why }: ComplexityFact): Rated {
  const now = { class: to, why };
  return { complexity: complexity === undefined ? now : hardestRuling(complexity, now) };
}
