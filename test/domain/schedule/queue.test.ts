import { describe, expect, test } from "vitest";
import { ticketById as stateOf } from "../../../src/domain/run/state.ts";
import { dequeue, enqueue, requeue } from "../../../src/domain/schedule/queue.ts";
import { type Fence, TicketId } from "../../../src/domain/values/ids.ts";
import { batchOf, Simulation, ticketOf } from "../simulate.ts";

const [T1, T2, _T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];
const F1 = 1 as Fence;

describe("the ready list", () => {
  test("is ordered by remaining work, then by place in the batch; nobody is in it twice", () => {
    const tickets = [ticketOf("T-1"), ticketOf("T-2"), ticketOf("T-3"), ticketOf("T-4", { dependsOn: [T2] })];
    const { state } = new Simulation(batchOf(tickets));
    expect(state.ready).toEqual([1, 0, 2]);
    expect(enqueue(state, 0)).toBe(state);
    expect(enqueue(state, 2)).toBe(state);
    const without = dequeue(state, 0);
    expect(without.ready).toEqual([1, 2]);
    expect(dequeue(without, 0)).toBe(without);
    expect(enqueue(without, 0).ready).toEqual([1, 0, 2]);
    expect(enqueue(dequeue(state, 1), 1).ready).toEqual([1, 0, 2]);
  });

  test("a ticket that is gated, settled, blocked or out of attempts does not come back into it", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })], { attempts: 1 }));
    expect(requeue(sim.state, 1)).toBe(sim.state);
    sim.report({ type: "gate-requested", ticket: T1, step: "x" });
    expect(requeue(sim.state, 0)).toBe(sim.state);
    sim.report({ type: "ticket-gated", ticket: T1, step: "x" });
    expect(requeue(sim.state, 0)).toBe(sim.state);
    const out = new Simulation(batchOf([ticketOf("T-1")], { attempts: 1 }));
    out.report({ type: "attempt-claimed", ticket: T1, fence: F1, attempt: 1, slot: 0, reservedUsd: 0 });
    out.report({ type: "attempt-ended", ticket: T1, fence: F1, outcome: "failed" });
    expect(out.state).toMatchObject({ ready: [], exhausted: [0] });
    expect(requeue(out.state, 0)).toBe(out.state);
  });

  test("a gated dependent is not freed by its dependency", () => {
    const sim = new Simulation(batchOf([ticketOf("T-1"), ticketOf("T-2", { dependsOn: [T1] })]));
    sim.report({ type: "gate-requested", ticket: T2, step: "x" });
    sim.decide();
    sim.report({ type: "attempt-ended", ticket: T1, fence: F1, outcome: "done" });
    expect(sim.state.ready).toEqual([]);
    expect(stateOf(sim.state, T2).openDeps).toBe(0);
  });
});
