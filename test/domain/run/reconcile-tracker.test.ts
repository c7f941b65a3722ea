import { expect, test } from "vitest";
import { reconcileTicket, type TicketNow } from "../../../src/domain/run/reconcile-tracker.ts";
import { ticketOf as stateOf } from "../../../src/domain/run/state.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const OURS = { isOursAlone: false } as const;
const OPEN: TicketNow = { id: T1, title: "T-1", titleSha: "t", bodySha: "b", state: { as: "open" }, revision: "1" };
const DONE: TicketNow = { ...OPEN, state: { as: "done" }, revision: "2" };

/** A run that has read the ticket as open and has announced to set it to done. */
function announced(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.report({ type: "tracker-read", tickets: [OPEN] });
  sim.report({ type: "tracker-writing", ticket: T1, state: { as: "done" } });
  return sim;
}

/** Takes a reading as the engine does. */
function read(sim: Simulation, now: TicketNow): readonly string[] {
  const found = reconcileTicket(sim.state, now, OURS);
  for (const each of found) if (each.do === "report") sim.report(each.fact);
  return found.map((each) => (each.do === "report" ? each.fact.type : each.do));
}

test("a write that was announced and is found is the engine's", () => {
  const sim = announced();
  expect(read(sim, DONE)).toEqual(["tracker-written"]);
  expect(sim.state.interventions).toEqual([]);
});

test("a write that was announced and is not found never happened: the same state, found later, is a person's act", () => {
  const sim = announced();
  expect(read(sim, OPEN)).toEqual(["tracker-not-written"]);
  expect(read(sim, OPEN)).toEqual([]);
  expect(read(sim, DONE)).toEqual(["tracker-drifted"]);
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
  expect(sim.state.interventions).toMatchObject([{ class: "I7", target: T1 }]);
});

test("a write that was announced for a ticket that vanished meanwhile never happened either", () => {
  const sim = announced();
  sim.report({ type: "tracker-drifted", ticket: T1, change: { kind: "vanished", why: "there is no such ticket" } });
  expect(read(sim, DONE)).toEqual(["tracker-drifted", "tracker-drifted"]);
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "done", closedByPerson: "closed" });
});
