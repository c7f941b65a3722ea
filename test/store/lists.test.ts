import { describe, expect, test } from "vitest";
import { busyAgents, filteredLists, NO_LISTS, selectable, shownLists, sortTickets } from "../../src/store/lists.ts";
import { outcomeLines } from "../../src/store/results/outcome-lines.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";
import { plumbing } from "./scenes.ts";

test("every ticket stands in exactly one list", () => {
  const run = plumbing();
  const lists = sortTickets(run.state, NO_LISTS);
  expect(lists).toEqual({
    rows: ["T-7", "T-6", "T-4"],
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
  for (const key of ["rows", "needs", "needsYou", "waiting", "done"] as const) expect(after[key]).toBe(before[key]);
});

test("a list that changes leaves the others what they are", () => {
  const run = plumbing();
  const before = sortTickets(run.state, NO_LISTS);
  run.working("T-8");
  const after = sortTickets(run.state, before);
  expect(after.rows).toEqual(["T-7", "T-6", "T-4", "T-8"]);
  expect(after.waiting).toEqual(["T-10", "T-9", "T-11"]);
  expect(after.done).toBe(before.done);
  expect(after.needsYou).toBe(before.needsYou);
});

describe("the row of an attempt", () => {
  const bench = () => {
    const run = new RunBuilder(
      batchOf({ tickets: ["A", "B", "C", "D", "E"].map((id) => ({ id })), limits: { workers: 2 } }),
    ).wait(1);
    let lists = NO_LISTS;
    const rows = () => {
      lists = sortTickets(run.state, lists);
      expect(selectable(lists)).toHaveLength(5);
      expect(new Set(selectable(lists)).size).toBe(5);
      return lists.rows;
    };
    return { run, rows };
  };

  test("is its own until it ends, with an agent and without", () => {
    const { run, rows } = bench();
    run.working("A").wait(5).working("B").wait(5).claims("A");
    expect(rows()).toEqual(["A", "B"]);
    expect(busyAgents(run.state)).toBe(1);
    run.wait(1).working("C");
    expect(rows()).toEqual(["A", "B", "C"]);
    expect(busyAgents(run.state)).toBe(2);
    run.ships("A");
    expect(rows()).toEqual([null, "B", "C"]);
    expect(sortTickets(run.state, NO_LISTS).done).toEqual(["A"]);
    run.claims("B").wait(1).working("D");
    expect(rows()).toEqual(["D", "B", "C"]);
  });

  test("stays that of the ticket if its next attempt begins at once", () => {
    const { run, rows } = bench();
    run.working("A").working("B").wait(5);
    expect(rows()).toEqual(["A", "B"]);
    run.fails("A").working("A");
    expect(rows()).toEqual(["A", "B"]);
  });

  test("is the same in a dashboard that has just attached", () => {
    const { run, rows } = bench();
    run.working("A").working("B").claims("A").wait(1).working("C").wait(1).ships("A");
    expect(rows()).toEqual([null, "B", "C"]);
    expect(sortTickets(run.state, NO_LISTS).rows).toEqual([null, "B", "C"]);
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
    expect(second?.lists.rows).toBe(first?.lists.rows);
    expect(second?.lists.waiting).toBe(first?.lists.waiting);
  });
});
