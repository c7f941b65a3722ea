import { describe, expect, test } from "vitest";
import { busyAgents, listsOf, NO_LISTS, selectable } from "../../src/store/lists.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";
import { plumbing } from "./scenes.ts";

test("every ticket stands in exactly one list", () => {
  const run = plumbing();
  const lists = listsOf(run.state, NO_LISTS);
  expect(lists).toEqual({
    slots: ["T-7", "T-6", "T-4", null],
    finishing: [],
    needsYou: ["T-5"],
    stalled: [],
    waiting: ["T-8", "T-10", "T-9", "T-11"],
    done: ["T-3", "T-2", "T-1"],
  });
  const all = selectable(lists);
  expect(new Set(all).size).toBe(run.state.plan.tickets.length);
  expect(all).toHaveLength(run.state.plan.tickets.length);
});

test("what an agent prints changes no list", () => {
  const run = plumbing();
  const before = listsOf(run.state, NO_LISTS);
  run.of("T-7", { type: "activity", text: "more", lines: 1 });
  const after = listsOf(run.state, before);
  for (const key of ["slots", "finishing", "needsYou", "stalled", "waiting", "done"] as const)
    expect(after[key]).toBe(before[key]);
});

test("a list that changes leaves the others what they are", () => {
  const run = plumbing();
  const before = listsOf(run.state, NO_LISTS);
  run.working("T-8");
  const after = listsOf(run.state, before);
  expect(after.slots).toEqual(["T-7", "T-6", "T-8", null]);
  expect(after.finishing).toEqual(["T-4"]);
  expect(after.waiting).toEqual(["T-10", "T-9", "T-11"]);
  expect(after.done).toBe(before.done);
  expect(after.needsYou).toBe(before.needsYou);
});

describe("a ticket on the finish line", () => {
  const run = () =>
    new RunBuilder(batchOf({ tickets: ["A", "B", "C", "D", "E"].map((id) => ({ id })), limits: { workers: 2 } })).wait(1);
  const rows = (of: RunBuilder) => {
    const lists = listsOf(of.state, NO_LISTS);
    expect(selectable(lists)).toHaveLength(5);
    expect(new Set(selectable(lists)).size).toBe(5);
    return { slots: lists.slots, finishing: lists.finishing };
  };

  test("keeps the row of its slot until another agent needs it, and is no busy agent there", () => {
    const of = run().working("A").wait(5).working("B").wait(5).claims("A");
    expect(rows(of)).toEqual({ slots: ["A", "B"], finishing: [] });
    expect(busyAgents(of.state)).toBe(1);
    of.wait(1).working("C");
    expect(rows(of)).toEqual({ slots: ["C", "B"], finishing: ["A"] });
    expect(busyAgents(of.state)).toBe(2);
  });

  test("leaves the row to who left the slot after it, and stands in the order in which they left", () => {
    const of = run().working("A").working("B").wait(5).claims("B").wait(5).claims("A").wait(1).working("C").working("D");
    expect(rows(of)).toEqual({ slots: ["C", "D"], finishing: ["B", "A"] });
    of.wait(5).claims("C").wait(5).claims("D");
    expect(rows(of)).toEqual({ slots: ["C", "D"], finishing: ["B", "A"] });
    expect(busyAgents(of.state)).toBe(0);
  });

  test("never comes back to a row that it has lost", () => {
    const of = run().working("A").wait(5).working("B").wait(5).claims("A").wait(1).working("C");
    of.wait(5).fails("C");
    expect(rows(of)).toEqual({ slots: [null, "B"], finishing: ["A"] });
    of.wait(1).working("D").ships("D");
    expect(rows(of)).toEqual({ slots: [null, "B"], finishing: ["A"] });
  });

  test("stands nowhere but among the done once it is", () => {
    const of = run().working("A").wait(5).claims("A").wait(1).working("B");
    expect(rows(of)).toEqual({ slots: ["B", null], finishing: ["A"] });
    of.ships("A");
    expect(rows(of)).toEqual({ slots: ["B", null], finishing: [] });
    expect(listsOf(of.state, NO_LISTS).done).toEqual(["A"]);
  });
});
