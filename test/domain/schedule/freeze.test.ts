import { expect, test } from "vitest";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { landNotLive } from "../play-live.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T0, T1, T2, FOUND] = ["T-0", "T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [
  TicketId,
  TicketId,
  TicketId,
  TicketId,
];

test("what a broken base needs starts before a ticket with a longer path", () => {
  const tickets = [ticketOf(T0), ticketOf(T1, { dependsOn: [T0] }), ticketOf(T2)];
  const sim = new Simulation(batchOf(tickets, { workers: 2, discoveries: 1 }), undefined, { [T0]: 1, [T1]: 20, [T2]: 1 });
  sim.decide();
  sim.endAgent(T2);
  const found = { discovered: ticketOf(FOUND), reason: "it is missing", blocks: true };
  sim.report({ type: "ticket-discovered", ...sim.of(T2), ...found });
  landNotLive(sim, T2);
  sim.report({ type: "discovery-filed", ticket: FOUND });
  sim.endAttempt(T0, "done");
  expect(sim.state.ready.map((index) => sim.state.plan.tickets[index]?.id)).toEqual([T1, FOUND]);
  expect(sim.decide().flatMap((action) => (action.do === "start" ? [action.ticket] : []))).toEqual([FOUND, T1]);
});
