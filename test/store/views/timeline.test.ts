import { describe, expect, test } from "vitest";
import { INITIAL_TIMELINE, reduceTimeline, type TimelineAction, type TimelineUi } from "../../../src/store/views/timeline.ts";
import { keepBars, timelineBars } from "../../../src/store/views/timeline-bars.ts";
import { batchOf, RunBuilder, START } from "../run-builder.ts";

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

describe("bars", () => {
  const run = () => new RunBuilder(batchOf({ tickets: [{ id: "A" }, { id: "B" }], limits: { workers: 2 } }));

  test("a try is its agent's time in the slot and its finish line's beside it", () => {
    const played = run().working("A").wait(50).claims("A").step("A", 1).wait(9).lands("A").working("B").wait(5);
    const at = (seconds: number) => START + seconds * 1000;
    expect(timelineBars(played.state)).toEqual([
      { slot: 0, ticket: "A", n: 1, part: "agent", from: at(0), to: at(50), outcome: "done" },
      { slot: 0, ticket: "A", n: 1, part: "finish", from: at(50), to: at(60), outcome: "done" },
      { slot: 0, ticket: "B", n: 1, part: "agent", from: at(60) },
    ]);
  });

  test("a try on its finish line has a bar of either kind, of which one goes on", () => {
    const played = run().working("A").wait(50).claims("A");
    expect(timelineBars(played.state).map(({ part, to }) => [part, to === undefined])).toEqual([
      ["agent", false],
      ["finish", true],
    ]);
  });

  test("what an agent prints makes no new list, what ends a try does", () => {
    const played = run().working("A");
    const read = keepBars();
    const before = read(played.state);
    played.of("A", { type: "activity", text: "more", lines: 1 });
    expect(read(played.state)).toBe(before);
    expect(read(played.claims("A").state)).not.toBe(before);
  });
});
