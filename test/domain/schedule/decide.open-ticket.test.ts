import { expect, it } from "vitest";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { vecFrom, vecItems } from "../../../src/domain/values/vec.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");

it("a run whose oracle says done while a ticket is open here has no verdict", () => {
  const sim = new Simulation(batchOf([ticketOf("T-1")]));
  sim.decide();
  sim.endAttempt(T1, "done");
  sim.decide();
  sim.report({ type: "reverify-ended", reopened: 0 });
  sim.decide();
  const done = { verdict: "done", counts: { done: 1, gated: 0, open: 0 }, open: [], durationMs: 1 } as const;
  sim.report({ type: "oracle-judged", final: true, judgement: done });
  const tickets = vecFrom([...vecItems(sim.state.tickets)].map((ticket) => ({ ...ticket, phase: "landed" as const })));
  expect(decide(sim.state, 0)).toMatchObject([{ do: "end", kind: "oracle-done", exitCode: 0 }]);
  expect(decide({ ...sim.state, tickets }, 0)).toMatchObject([{ do: "end", kind: "unjudged", exitCode: 3 }]);
});
