import { describe, expect, test } from "vitest";
import { computeTrend, type TrendPoint } from "../../../src/domain/results/trend.ts";
import { sparkline, trendLine } from "../../../src/store/results/trend-text.ts";
import { earlierRuns } from "../../report/pages.ts";
import { plumbingEnded } from "../scenes.ts";

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
  test("in one line marks what says little, and is no line where there is one run", () => {
    const { state } = plumbingEnded();
    expect(trendLine(computeTrend(state, []))).toBeUndefined();
    expect(trendLine(computeTrend(state, earlierRuns()))).toBe(
      "last 5 runs: interventions ?█×▅▂  ? 6 (1) 3 1 · cost $ ?█×▆▆  ? 5.25 (0.90) 4.10 3.74 · × and (): not complete",
    );
  });

  test("of two complete runs is a line that marks nothing", () => {
    expect(trendLine([point(2), point(1)])).toBe("last 2 runs: interventions █▅  2 1 · cost $ █▅  2.00 1.00");
  });
});
