import { describe, expect, test } from "vitest";
import { INITIAL_TIMELINE, reduceTimeline, type TimelineAction, type TimelineUi } from "../../../src/store/views/timeline.ts";
import { START } from "../run-builder.ts";

const MINUTE = 60_000;
const FIRST = START;
const LAST = START + 60 * MINUTE;

function after(...actions: readonly TimelineAction[]): TimelineUi {
  return actions.reduce(reduceTimeline, { ...INITIAL_TIMELINE, span: 10 * MINUTE });
}

const pan = (share: number): TimelineAction => ({ type: "pan", share, first: FIRST, last: LAST });
const nearer: TimelineAction = { type: "zoom", by: 1 };

describe("moving in time", () => {
  test("the whole run is in sight at first: there is nowhere to go", () => {
    expect(after(pan(-0.5))).toEqual({ zoom: 0, span: 10 * MINUTE });
    expect(after({ type: "to", place: "start", first: FIRST })).toEqual({ zoom: 0, span: 10 * MINUTE });
  });

  test("back from now, on again, and no further than now: then it follows", () => {
    expect(after(nearer, pan(-0.5)).end).toBe(LAST - 5 * MINUTE);
    expect(after(nearer, pan(-0.5), pan(-0.5), pan(0.5)).end).toBe(LAST - 5 * MINUTE);
    expect(after(nearer, pan(-0.5), pan(0.5))).toEqual({ zoom: 1, span: 10 * MINUTE });
  });

  test("never before the start of the run", () => {
    expect(after(nearer, pan(-99)).end).toBe(FIRST + 10 * MINUTE);
    expect(after(nearer, { type: "to", place: "start", first: FIRST }).end).toBe(FIRST + 10 * MINUTE);
  });

  test("zooming is bounded, and all the way out it follows again", () => {
    expect(after(...Array.from({ length: 40 }, () => nearer)).zoom).toBe(12);
    expect(after(nearer, pan(-1), { type: "zoom", by: -1 })).toEqual({ zoom: 0, span: 10 * MINUTE });
    expect(after(nearer, nearer, pan(-1), { type: "to", place: "now", first: FIRST })).toEqual({ zoom: 2, span: 10 * MINUTE });
    expect(after(nearer, pan(-1), { type: "to", place: "whole", first: FIRST })).toEqual({ zoom: 0, span: 10 * MINUTE });
  });

  test("nothing new is the same object", () => {
    const ui = after(nearer);
    expect(reduceTimeline(ui, { type: "span", ms: 10 * MINUTE })).toBe(ui);
    expect(reduceTimeline(INITIAL_TIMELINE, { type: "zoom", by: -1 })).toBe(INITIAL_TIMELINE);
  });
});
