import { describe, expect, test } from "vitest";
import { busyAgents, filteredLists, NO_LISTS, selectable, shownLists, sortTickets } from "../../src/store/lists.ts";
import { outcomeLines } from "../../src/store/results/outcome-lines.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";
import { plumbing } from "./scenes.ts";

test("every ticket stands in exactly one list", () => {
  const run = plumbing();
  const lists = sortTickets(run.state, NO_LISTS);
  expect(lists).toEqual({
    slots: ["T-7", "T-6", "T-4", null],
    finishing: [],
    landed: [],
    needs: [expect.objectContaining({ kind: "step", ticket: "T-5" })],
    needsYou: ["T-5"],
    waiting: ["T-8", "T-10", "T-9", "T-11"],
    done: ["T-3", "T-2", "T-1"],
    outcomes: outcomeLines(run.state),
  });
  const all = selectable(lists);
  expect(new Set(all).size).toBe(run.state.plan.tickets.length);
  expect(all).toHaveLength(run.state.plan.tickets.length);
});

test("what an agent prints changes no list", () => {
  const run = plumbing();
  const before = sortTickets(run.state, NO_LISTS);
  run.of("T-7", { type: "activity", text: "more", lines: 1 });
  const after = sortTickets(run.state, before);
  for (const key of ["slots", "finishing", "needs", "needsYou", "waiting", "done"] as const) expect(after[key]).toBe(before[key]);
});

test("a list that changes leaves the others what they are", () => {
  const run = plumbing();
  const before = sortTickets(run.state, NO_LISTS);
  run.working("T-8");
  const after = sortTickets(run.state, before);
  expect(after.slots).toEqual(["T-7", "T-6", "T-8", null]);
  expect(after.finishing).toEqual(["T-4"]);
  expect(after.waiting).toEqual(["T-10", "T-9", "T-11"]);
  expect(after.done).toBe(before.done);
  expect(after.needsYou).toBe(before.needsYou);
});

describe("a ticket on the finish line", () => {
  const run = () =>
    new RunBuilder(batchOf({ tickets: ["A", "B", "C", "D", "E"].map((id) => ({ id })), limits: { workers: 2 } })).wait(1);
  const rows = (runBuilder: RunBuilder) => {
    const lists = sortTickets(runBuilder.state, NO_LISTS);
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
    expect(sortTickets(of.state, NO_LISTS).done).toEqual(["A"]);
  });
});

describe("a filter", () => {
  const filtered = (text: string, run = plumbing()) => {
    const lists = sortTickets(run.state, NO_LISTS);
    return { lists, found: filteredLists({ run: run.state, lists, ui: { filter: text } }) };
  };

  test.each([
    ["t-1", ["T-10", "T-11", "T-1"]],
    ["KEYS", ["T-4"]],
    ["infra", ["T-5", "T-6", "T-10", "T-2"]],
    ["human-gated", ["T-5"]],
    ["registrar", ["T-5"]],
    ["done", ["T-3", "T-2", "T-1"]],
    ["waits for", ["T-9", "T-11"]],
    ["held by", ["T-10"]],
    ["bucket infra lock", ["T-10"]],
    ["nothing has this", []],
  ])("%s: in id, title, repository, state or reason, each word of it, case aside", (text, ids) => {
    const { found } = filtered(text);
    expect(found && selectable(found.lists)).toEqual(ids);
    expect(found).toMatchObject({ shown: ids.length, all: 11 });
  });

  test("of blanks is none, and none is asked of what is not there", () => {
    expect(filtered("  ").found).toBeUndefined();
    expect(filteredLists({ lists: NO_LISTS, ui: { filter: "x" } })).toBeUndefined();
    const { lists } = filtered("");
    expect(shownLists({ run: plumbing().state, lists, ui: { filter: "" } })).toBe(lists);
  });

  test("asked the same again it gives the same, and keeps what an event does not change", () => {
    const run = plumbing();
    const lists = sortTickets(run.state, NO_LISTS);
    const ask = (options: typeof lists) => filteredLists({ run: run.state, lists: options, ui: { filter: "infra" } });
    const first = ask(lists);
    expect(ask(lists)).toBe(first);
    run.of("T-7", { type: "activity", text: "more", lines: 1 });
    const second = ask(sortTickets(run.state, lists));
    expect(second).not.toBe(first);
    expect(second?.lists.slots).toBe(first?.lists.slots);
    expect(second?.lists.waiting).toBe(first?.lists.waiting);
  });
});
