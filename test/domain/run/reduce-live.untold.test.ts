import { expect, test } from "vitest";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { waitsForBase } from "../../../src/domain/schedule/freeze.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { landNotLive } from "../play-live.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const T1 = TicketId.parse("T-1");
const CHECK = { ticket: T1, summary: "T-1 cannot be judged: the tracker lacks it", detail: "", ok: false } as const;

/** A run whose first ticket has landed and is not live. */
function landed(): Simulation {
  const finish = [{ step: "merge" }, { step: "verify", name: "live", command: ["true"] }, { step: "assert" }] as const;
  const sim = new Simulation(batchOf([ticketOf("T-1", { finish: [...finish] }), ticketOf("T-2")]));
  sim.decide();
  landNotLive(sim, T1);
  return sim;
}

test("a check that passes makes the base whole, although the tracker cannot be told, until it fails again", () => {
  const sim = landed();
  expect(sim.state.brokenBases).toHaveProperty("app");
  sim.report({ type: "live-check-started", ticket: T1, why: "due" });
  sim.report({ type: "live-check-ended", ...CHECK, problem: "untold" });
  expect(sim.state.brokenBases).toEqual({});
  expect(waitsForBase(sim.state, 1)).toBeUndefined();
  expect(stateOf(sim.state, T1)).toMatchObject({ phase: "landed", live: { untold: true } });
  const why = whyNot(sim.state, 0);
  expect(describeReason(why)).toMatch(/its live check passes; the tracker cannot be told: T-1 cannot be judged/);
  sim.report({ type: "live-check-started", ticket: T1, why: "due" });
  sim.report({ type: "live-check-ended", ...CHECK, problem: "inconclusive" });
  expect(sim.state.brokenBases).toEqual({});
  sim.report({ type: "live-check-started", ticket: T1, why: "due" });
  sim.report({ type: "live-check-ended", ...CHECK, check: "live" });
  expect(sim.state.brokenBases).toHaveProperty("app");
});
