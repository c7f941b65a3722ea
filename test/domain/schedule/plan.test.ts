import { describe, expect, test } from "vitest";
import { planBatch, plannedTicket, topologicalOrder } from "../../../src/domain/schedule/plan.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { ticketOf } from "../simulate.ts";

const [T1, T2, T3] = ["T-1", "T-2", "T-3"].map((name) => TicketId.parse(name)) as [TicketId, TicketId, TicketId];

describe("the plan", () => {
  const tickets = [
    ticketOf("T-1"),
    ticketOf("T-2", { dependsOn: [T1] }),
    ticketOf("T-3", { dependsOn: [T1] }),
    ticketOf("T-4", { dependsOn: [T2, T3] }),
  ];

  test("knows who waits for whom, and how much work hangs on each", () => {
    const plan = planBatch(tickets, {});
    expect(plan.index).toEqual({ "T-1": 0, "T-2": 1, "T-3": 2, "T-4": 3 });
    expect(plan.dependents).toEqual([[1, 2], [3], [3], []]);
    expect(plan.rank).toEqual([180_000, 120_000, 120_000, 60_000]);
  });

  test("known durations count, and unknown ones are their upper median; inherited names are nobody's", () => {
    expect(planBatch(tickets, { "T-2": 5_000, "T-3": 1_000, "T-1": 3_000 }).rank).toEqual([11_000, 8_000, 4_000, 3_000]);
    expect(planBatch([ticketOf("toString")], {}).rank).toEqual([60_000]);
  });

  test("a cycle throws, and every order puts a ticket after all it needs", () => {
    const loop = [ticketOf("T-1", { dependsOn: [T2] }), ticketOf("T-2", { dependsOn: [T1] })];
    expect(() => planBatch(loop, {})).toThrow("in a cycle");
    expect(topologicalOrder(tickets, planBatch(tickets, {}).dependents)).toEqual([0, 1, 2, 3]);
    expect(topologicalOrder(tickets.toReversed(), [[], [0], [0], [1, 2]])).toEqual([3, 1, 2, 0]);
  });
});

test("a ticket is found by its id, and an id that the batch does not have throws", () => {
  const plan = planBatch([ticketOf("T-1"), ticketOf("T-2")], {});
  expect(plannedTicket(plan, "T-2").id).toBe("T-2");
  for (const id of ["T-3", "", "constructor", "__proto__"]) expect(() => plannedTicket(plan, id)).toThrow(RangeError);
});
