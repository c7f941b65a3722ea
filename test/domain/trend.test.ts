import { describe, expect, test } from "vitest";
import { type EarlierRun, numbersOf, sparkline, type TrendPoint, trendLine, trendOf } from "../../src/domain/trend.ts";
import { ledgerTable } from "../../src/domain/trend-rows.ts";
import { earlierRuns } from "../report/pages.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";

const interventions = (point: TrendPoint) => point.interventions;

function point(n: number | null, complete = true): TrendPoint {
  return {
    run: "r",
    startedAt: "2026-05-04T12:00:00.000Z",
    verdict: complete ? "done" : "not-done",
    complete,
    sameBatch: true,
    interventions: n,
    costUsd: n,
    shipped: n,
    tickets: n,
  };
}

describe("the numbers of a run", () => {
  test("are its ledger laid flat, with what it shipped apart from what was settled before", () => {
    const numbers = numbersOf(plumbingEnded().state);
    expect(numbers).toMatchObject({
      "tickets.total": 11,
      "tickets.shipped": 9,
      "tickets.before": 0,
      "tickets.gated": 2,
      "interventions.total": 1,
      "interventions.byClass.I5": 1,
      "claims.gap": 2,
      "secondModel.canaries.seen": 0,
    });
    expect(Object.values(numbers).every(Number.isFinite)).toBe(true);
  });
});

describe("a sparkline", () => {
  test.each([
    [[0, 1, 2, 7], "▁▂▃█"],
    [[0, 0], "▁▁"],
    [[3], "█"],
    [[null, 4], "?█"],
  ])("of %j is %s", (values, drawn) => {
    expect(
      sparkline(
        values.map((value) => point(value)),
        interventions,
      ),
    ).toBe(drawn);
  });

  test("a run that is not complete has no bar, and does not set the scale", () => {
    expect(sparkline([point(99, false), point(2), point(1, false), point(1)], interventions)).toBe("×█×▅");
  });
});

describe("the trend", () => {
  test("is oldest first, and the last is this run", () => {
    const { state } = plumbingEnded();
    const points = trendOf(state, earlierRuns());
    expect(points.map(({ run }) => run.slice(-4))).toEqual(["dddd", "cccc", "bbbb", "aaaa", "k3f9"]);
    expect(points[0]).toMatchObject({ interventions: null, costUsd: null, complete: true, sameBatch: false });
    expect(points.at(-1)).toMatchObject({ interventions: 1, shipped: 9, complete: true, verdict: "done" });
  });

  test("in one line marks what says little, and is no line where there is one run", () => {
    const { state } = plumbingEnded();
    expect(trendLine(trendOf(state, []))).toBeUndefined();
    expect(trendLine(trendOf(state, earlierRuns()))).toBe(
      "last 5 runs: interventions ?█×▅▂  ? 6 (1) 3 1 · cost $ ?█×▆▆  ? 5.25 (0.90) 4.10 3.74 · × and (): not complete",
    );
  });

  test("a run that goes on is not complete", () => {
    expect(trendOf(plumbing().state, [])[0]).toMatchObject({ complete: false, verdict: "unjudged" });
  });
});

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
    expect(names).not.toContain("blockers claimed");
    expect(names).not.toContain("I1 unblocked or answered");
  });
});
