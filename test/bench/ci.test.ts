import { describe, expect, it } from "vitest";
import { countItems } from "../../bench/ci.ts";
import { noteFigure, ratioFigure, valueFigure, widenBound } from "../../bench/figure.ts";

const FLOOR = { what: "bare", value: 100 };
const SLOW = ratioFigure({ item: "start", what: "first frame", value: 250, unit: "ms", floor: FLOOR, max: 1.5 });
const MANY = valueFigure({ item: "suite", what: "runs", value: 10, unit: "runs", max: 9 });

describe("widenBound", () => {
  it("doubles the bound of a time and keeps that of a count", () => {
    expect(SLOW.pass).toBe(false);
    expect(widenBound(SLOW)).toEqual({ ...SLOW, bound: { on: "ratio", max: 3 }, pass: true });
    expect(widenBound(MANY)).toEqual(MANY);
  });

  it("still fails what is over the wider bound", () => {
    expect(widenBound(ratioFigure({ ...SLOW, floor: FLOOR, value: 301, max: 1.5 })).pass).toBe(false);
  });

  it("leaves a figure without a bound as it is", () => {
    const note = noteFigure({ item: "start", what: "memory", value: 1, unit: "MB" });
    expect(widenBound(note)).toEqual(note);
  });
});

describe("countItems", () => {
  it("counts an item once, however many of its figures are over their bounds", () => {
    const failures = [{ item: "idle", problem: "no terminal" }];
    expect(countItems({ items: ["start", "suite", "idle", "refill"], figures: [SLOW, SLOW, MANY], failures })).toEqual({
      numbers: "1 passed, 3 failed\n",
      reasons: [
        "bench idle: did not run: no terminal\n",
        "bench start: first frame is 2.50 times its floor, at most 1.5\n",
        "bench start: first frame is 2.50 times its floor, at most 1.5\n",
        "bench suite: runs is 10 runs, at most 9\n",
      ].join(""),
    });
  });
});
