import { describe, expect, test } from "vitest";
import { admitCommand, admitFact } from "../../../src/domain/run/admit.ts";
import { isActivity } from "../../../src/domain/run/event.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, _T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const F1 = 1 as Fence;

describe("what may enter the journal", () => {
  test("facts of the attempt that runs, and facts of none; not those of another fence, nor anything after the end", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1")]));
    sim.decide();
    const fact = { type: "agent-launching", ticket: T1, fence: F1 } as const;
    expect(admitFact(sim.state, fact)).toBe(fact);
    const late = { ...fact, fence: 2 as Fence };
    expect(admitFact(sim.state, late)).toEqual({ type: "report-dropped", ticket: T1, fence: 2, what: "agent-launching" });
    expect(admitFact(sim.state, { type: "activity", ticket: T1, fence: 2 as Fence, text: "", lines: 1 })).toBeUndefined();
    const dropped = { type: "report-dropped", ticket: T1, fence: 2 as Fence, what: "x" } as const;
    expect(admitFact(sim.state, dropped)).toBe(dropped);
    expect(isActivity(fact)).toBe(false);
    sim.endAttempt(T1, "failed");
    expect(admitFact(sim.state, fact)).toEqual({ ...late, type: "report-dropped", fence: F1, what: "agent-launching" });
    sim.report({ type: "run-ended", kind: "interrupted", verdict: "not-done", exitCode: 130, reason: "" });
    expect(admitFact(sim.state, fact)).toBeUndefined();
    expect(admitFact(sim.state, { type: "run-resumed", orphansKilled: 0 })).toBeDefined();
    expect(admitCommand(sim.state, { type: "stop" })).toEqual([]);
  });
});
