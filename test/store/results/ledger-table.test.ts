import { describe, expect, test } from "vitest";
import type { EarlierRun } from "../../../src/domain/results/trend.ts";
import { vecFrom, vecItems } from "../../../src/domain/values/vec.ts";
import { ledgerTable } from "../../../src/store/results/ledger-table.ts";
import { earlierRuns } from "../../report/pages.ts";
import { plumbing, plumbingEnded } from "../scenes.ts";

/** A run that found every ticket settled. */
function nothingToDo() {
  const { state } = plumbingEnded();
  const tickets = [...vecItems(state.tickets)].map((ticket) => ({ ...ticket, history: [] }));
  return { ...state, tickets: vecFrom(tickets) };
}

describe("the ledger beside earlier runs", () => {
  const whole = earlierRuns()[0] as EarlierRun;
  const row = (table: ReturnType<typeof ledgerTable>, name: string) =>
    table.groups.flatMap(({ rows }) => rows).find((r) => r.name === name);

  test("holds a complete run against the newest complete one of the same batch file, and says which way is better", () => {
    const early = { ...whole, run: "left", verdict: "not-done" as const };
    const table = ledgerTable(plumbingEnded().state, [early, { ...whole, sameBatch: false }, whole]);
    expect(table.against).toBe(whole);
    expect(row(table, "interventions")).toMatchObject({ now: "1", change: { text: "−2", good: true }, earlier: ["3", "3", "3"] });
    expect(row(table, "in the batch")?.change).toEqual({ text: "=", good: undefined });
  });

  test.each([
    ["this run has not ended", plumbing().state, [whole]],
    ["this run is not complete", plumbingEnded("not-done").state, [whole]],
    ["this run is not complete", plumbingEnded("stopped").state, [whole]],
    ["this run had nothing to work on", nothingToDo(), [whole]],
    ["no earlier run was complete", plumbingEnded().state, [{ ...whole, verdict: "not-done" as const }]],
    ["the batch file was another one", plumbingEnded().state, [{ ...whole, sameBatch: false }]],
  ])("shows no change where %s", (why, state, earlier) => {
    const table = ledgerTable(state, earlier);
    expect(table.whyNone).toContain(why);
    expect(table.groups.flatMap(({ rows }) => rows).every(({ change }) => change === undefined)).toBe(true);
  });

  test("what is not known of a run is not 0, and a share of nothing is not known", () => {
    const table = ledgerTable(plumbingEnded().state, [
      { run: "old", startedAt: 0, sameBatch: true, verdict: "done", numbers: { costUsd: 2, "tickets.shipped": 0 } },
      { run: "older", startedAt: 0, sameBatch: true },
    ]);
    expect(row(table, "cost")?.earlier).toEqual(["$2.00", "–"]);
    expect(row(table, "cost per shipped ticket")?.earlier).toEqual(["–", "–"]);
    expect(row(table, "interventions")).toMatchObject({ now: "1", earlier: ["–", "–"] });
    expect(row(table, "interventions")?.change).toBeUndefined();
  });

  test("rows that are 0 everywhere are left out, but for those that never are", () => {
    const names = ledgerTable(plumbingEnded().state, []).groups.flatMap(({ rows }) => rows.map(({ name }) => name));
    expect(names).toContain("heals");
    expect(names).not.toContain("blocker claims");
    expect(names).not.toContain("unblocked or answered");
  });

  test("rows are there that are not 0 in one of the runs, and groups that have a row", () => {
    const { state } = plumbingEnded();
    const table = ledgerTable(state, [
      { ...whole, numbers: { "blockers.claimed": 2 } },
      { ...whole, numbers: {} },
    ]);
    expect(row(table, "blocker claims")).toMatchObject({ now: "0", earlier: ["2", "–"] });
    expect(row(table, "killed, stopped or resumed")).toMatchObject({ now: "1", earlier: ["–", "–"] });
    expect(table.groups.at(-1)?.title).toBe("What was checked");
    const checks = { ...state.checks, "exit-code": 0 };
    expect(ledgerTable({ ...state, checks }, []).groups.map(({ title }) => title)).not.toContain("What was checked");
  });

  test("beside none there is nothing to explain", () => {
    const table = ledgerTable(plumbing().state, []);
    expect(table).not.toHaveProperty("against");
    expect(table).not.toHaveProperty("whyNone");
    expect(row(table, "in the batch")?.change).toBeUndefined();
  });

  test("a run of which no numbers were kept is passed over", () => {
    const { numbers: _, ...bare } = whole;
    expect(ledgerTable(plumbingEnded().state, [bare, whole]).against).toBe(whole);
  });

  test("shares, times and money are told as such, each held against what was", () => {
    const before = { "tickets.shipped": 10, "interventions.total": 4, agentMs: 60_000, elapsedMs: 120_000, costUsd: 1 };
    const numbers = { ...whole.numbers, ...before, "interventions.work": 2, "interventions.harness": 0 };
    const table = ledgerTable(plumbingEnded().state, [{ ...whole, numbers }]);
    expect(row(table, "per 10 shipped tickets")).toMatchObject({
      now: "1.1",
      earlier: ["4.0"],
      change: { text: "−2.9", good: true },
    });
    expect(row(table, "attempts at once, on average")).toMatchObject({ now: "1.3", earlier: ["0.5"], change: { text: "+0.8" } });
    expect(row(table, "time")).toMatchObject({ now: "1:35:37", earlier: ["2:00"], change: { text: "+1:33:37", good: false } });
    expect(row(table, "cost per shipped ticket")).toMatchObject({ now: "$0.42", earlier: ["$0.10"], change: { good: false } });
    expect(row(table, "shipped")?.change).toEqual({ text: "−1", good: false });
    expect(row(table, "on the tickets' work")?.change).toEqual({ text: "−2", good: undefined });
    expect(row(table, "on the harness")?.change).toEqual({ text: "+1", good: undefined });
    const fewer = ledgerTable(plumbingEnded().state, [{ ...whole, numbers: { ...numbers, "tickets.shipped": 8 } }]);
    expect(row(fewer, "shipped")?.change).toEqual({ text: "+1", good: true });
  });

  test("a share is not known where either of its numbers is not, and has no change then", () => {
    const { state } = plumbingEnded();
    const none = {
      ...state,
      tickets: vecFrom([...vecItems(state.tickets)].map((ticket) => ({ ...ticket, phase: "waiting" as const }))),
    };
    const { "tickets.shipped": _, ...unknown } = whole.numbers ?? {};
    const table = ledgerTable(none, [whole, { ...whole, numbers: unknown }, { ...whole, numbers: { "tickets.shipped": 2 } }]);
    expect(row(table, "cost per shipped ticket")).toMatchObject({ now: "–", earlier: ["$0.46", "–", "–"] });
    expect(row(table, "cost per shipped ticket")?.change).toBeUndefined();
  });
});
