import { describe, expect, it } from "vitest";
import { decide } from "../../../src/domain/schedule/decide.ts";
import { describeReason, whyNot } from "../../../src/domain/schedule/why-not.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2] = [TicketId.parse("T-1"), TicketId.parse("T-2")];

/** A run of two tickets, of which the second waits for a name that another run holds. */
function waiting(): Simulation {
  const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { exclusive: ["db"] })]));
  sim.report({ type: "exclusive-awaited", ticket: T2, name: "db", by: "other-run" });
  return sim;
}

const started = (sim: Simulation) => sim.decide().flatMap((action) => (action.do === "start" ? [action.ticket] : []));

describe("an exclusive name that another run holds", () => {
  it("keeps back its ticket alone, which says whom it waits for", () => {
    const sim = waiting();
    expect(started(sim)).toEqual([T1]);
    expect(describeReason(whyNot(sim.state, 1))).toBe("db is held by the run other-run");
  });

  it("does not end the run, and costs no attempt: once it is free, the ticket starts", () => {
    const sim = waiting();
    sim.decide();
    sim.endAttempt(T1, "done");
    const kinds = sim.decide().map((action) => action.do);
    expect(kinds).not.toContain("reverify");
    expect(kinds).not.toContain("start");
    sim.report({ type: "exclusive-freed", name: "db" });
    expect(started(sim)).toEqual([T2]);
    expect(sim.state.heldElsewhere).toEqual({});
  });

  it("is asked for again by the run's next engine, and does not keep up a run in which nothing waits for it", () => {
    const sim = waiting();
    sim.report({ type: "ticket-gated", ticket: T2, step: "by hand" });
    sim.decide();
    sim.endAttempt(T1, "done");
    expect(decide(sim.state, sim.now + 60_000).map((action) => action.do)).toContain("reverify");
    const resumed = waiting();
    resumed.report({ type: "run-resumed", orphansKilled: 0 });
    expect(resumed.state.heldElsewhere).toEqual({});
  });

  it("keeps when it was first found held", () => {
    const sim = waiting();
    const since = sim.state.heldElsewhere["db"]?.since;
    sim.report({ type: "exclusive-awaited", ticket: T2, name: "db" });
    expect(sim.state.heldElsewhere).toEqual({ db: { since } });
    expect(describeReason(whyNot(sim.state, 1))).toBe("db is held by another run");
  });
});
