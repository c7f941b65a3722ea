import { expect, test } from "vitest";
import type { Intervention } from "../../../src/domain/results/intervention.ts";
import { computeLedger } from "../../../src/domain/results/ledger.ts";
import { ticketsFrom } from "../../../src/domain/results/linked-tickets.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const noted = (note: string, target = "run"): Intervention => ({ at: 1, class: "I3", target, note });

test("an intervention is linked with the tickets that joined the run and that it names", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  const of = { ticket: TicketId.parse("T-1"), fence: 1 as Fence };
  sim.report({ type: "attempt-claimed", ...of, attempt: 1, slot: 0, reservedUsd: 0 });
  for (const id of ["T-1-d1", "T-1-d2"])
    sim.report({ type: "ticket-discovered", ...of, discovered: ticketOf(id), reason: "seen", blocks: false });
  const linked = (intervention: Intervention) => ticketsFrom(sim.state, intervention);
  expect(linked(noted("filed the leak as T-1-d2."))).toEqual(["T-1-d2"]);
  expect(linked(noted("see T-1-d1, T-1-d2 and T-1"))).toEqual(["T-1-d1", "T-1-d2"]);
  expect(linked(noted("added", "T-1-d1"))).toEqual(["T-1-d1"]);
  expect(linked(noted("mended T-1, not XT-1-d1 or T-1-d11"))).toEqual([]);
  sim.report({ type: "intervention", class: "I3", target: "run", note: "filed as T-1-d1", noted: true });
  sim.report({ type: "intervention", class: "I4", target: "run", note: "merged by hand", noted: true });
  expect(computeLedger(sim.state).interventions).toMatchObject({ total: 2, becameTickets: 1 });
});
