import { expect, test } from "vitest";
import { listsOf, NO_LISTS, selectable } from "../../src/store/lists.ts";
import { plumbing } from "./scenes.ts";

test("every ticket stands in exactly one list", () => {
  const run = plumbing();
  const lists = listsOf(run.state, NO_LISTS);
  expect(lists).toEqual({
    slots: ["T-7", "T-6", "T-4", null],
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
  for (const key of ["slots", "needsYou", "stalled", "waiting", "done"] as const) expect(after[key]).toBe(before[key]);
});

test("a list that changes leaves the others what they are", () => {
  const run = plumbing();
  const before = listsOf(run.state, NO_LISTS);
  run.working("T-8");
  const after = listsOf(run.state, before);
  expect(after.slots).toEqual(["T-7", "T-6", "T-4", "T-8"]);
  expect(after.waiting).toEqual(["T-10", "T-9", "T-11"]);
  expect(after.done).toBe(before.done);
  expect(after.needsYou).toBe(before.needsYou);
});
