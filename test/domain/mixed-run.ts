import type { Ticket } from "../../src/domain/batch/schema.ts";
import type { AttemptOutcome } from "../../src/domain/run/attempt-fact.ts";
import { type Fence, TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

/** One attempt, whole: for 0.25 dollars. */
export function attempt(sim: Simulation, ticket: TicketId, outcome: AttemptOutcome): void {
  const fence = (sim.state.lastFence + 1) as Fence;
  sim.report({ type: "attempt-claimed", ticket, fence, attempt: 1, slot: 0, reservedUsd: 0.25 });
  sim.endAttempt(ticket, outcome);
}

/** Shipped at the second try, gated, stalled, and one that waits for the stalled one. */
export function mixed(over: Partial<Ticket> = {}): Simulation {
  const tickets = [
    ticketOf("T-1", { title: "Add the parser" }),
    ticketOf("T-2", { title: "Point the domain", ...over }),
    ticketOf("T-3", { title: "Hard one" }),
    ticketOf("T-4", { title: "After it", dependsOn: [T3] }),
  ];
  const sim = new Simulation(batchOf(tickets, { attempts: 1, workers: 1 }));
  attempt(sim, T1, "failed");
  attempt(sim, T1, "done");
  sim.report({ type: "intervention", class: "I7", target: "T-2", note: "gated" });
  sim.report({ type: "ticket-gated", ticket: T2, step: "set the DNS record" });
  attempt(sim, T3, "silent");
  sim.report({ type: "ticket-stalled", ticket: T3, reason: "broken · 1 attempt failed" });
  return sim;
}
