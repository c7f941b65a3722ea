import { type Fence, TicketId } from "../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "./simulate.ts";

const T1 = TicketId.parse("T-1");
const of = { ticket: T1, fence: 1 as Fence };

/** A run whose first ticket is claimed for 2 dollars. */
export function claimed(tickets = [ticketOf("T-1", { exclusive: ["db"] }), ticketOf("T-2", { dependsOn: [T1] })]): Simulation {
  const sim = new Simulation(batchOf(tickets, { attempts: 2 }));
  sim.report({ type: "attempt-claimed", ...of, attempt: 1, slot: 1, reservedUsd: 2 });
  return sim;
}
