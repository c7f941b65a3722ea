import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { axisTicks, timeColumn, timeFrame } from "../../../../components/views/timeline/time-frame.ts";

const ZONE = process.env["TZ"];
afterEach(() => {
  if (ZONE === undefined) delete process.env["TZ"];
  else process.env["TZ"] = ZONE;
});

const NOON = Date.UTC(2026, 4, 4, 12, 0, 0);
const HOUR = 3_600_000;
const whole = { zoom: 0 } as const;

describe("what is shown of time", () => {
  test("without zoom it is always the whole run, however long and on any width", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 24 * 3_600 }), fc.integer({ min: 20, max: 300 }), (seconds, columns) => {
        const until = NOON + seconds * 1000;
        const { start, ms, now } = timeFrame({ startedAt: NOON, until, columns, ui: whole });
        expect(start).toBeLessThanOrEqual(NOON);
        expect(now).toBe(timeColumn(until, start, ms));
        expect(now).toBeLessThan(columns);
        expect(now).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("the run takes more than nine tenths of the width once it has outgrown a second a column, and stands still for a while", () => {
    const at = (seconds: number) => timeFrame({ startedAt: NOON, until: NOON + seconds * 1_000, columns: 100, ui: whole });
    for (let seconds = 1; seconds < 5_000; seconds += 7) expect(at(seconds).now).toBeGreaterThanOrEqual(90);
    const lengths = new Set(Array.from({ length: 600 }, (_, i) => at(3_000 + i).ms));
    expect(lengths.size).toBeLessThan(5);
  });

  test("nearer, the present is in sight, and the page turns by quarters", () => {
    const of = (seconds: number) =>
      timeFrame({ startedAt: NOON, until: NOON + 6.2 * HOUR + seconds * 500, columns: 80, ui: { zoom: 5 } });
    const starts = new Set(
      Array.from({ length: 600 }, (_, i) => of(i)).map(({ start, now, columns }) => {
        expect(now).toBeGreaterThanOrEqual(0);
        expect(now).toBeLessThan(columns);
        return start;
      }),
    );
    const { ms } = of(0);
    expect(of(599).ms).toBe(ms);
    const turns = [...starts].slice(1).map((start, i) => (start - ([...starts][i] ?? 0)) / ms);
    expect(turns.length).toBeGreaterThan(0);
    for (const turn of turns) expect(turn).toBeCloseTo(20);
  });

  test("what a person has gone to stays where it is while time goes on, and is never before the start", () => {
    const ui = { zoom: 5, end: NOON + 2 * HOUR };
    const a = timeFrame({ startedAt: NOON, until: NOON + 6 * HOUR, columns: 80, ui });
    const b = timeFrame({ startedAt: NOON, until: NOON + 7 * HOUR, columns: 80, ui });
    for (const { start, ms } of [a, b]) expect(start + 80 * ms).toBeCloseTo(NOON + 2 * HOUR);
    expect(timeFrame({ startedAt: NOON, until: NOON + 6 * HOUR, columns: 80, ui: { zoom: 5, end: NOON } }).start).toBe(NOON);
  });
});

describe("the clock over it", () => {
  const zones = ["UTC", "Asia/Kolkata", "America/St_Johns", "Asia/Kathmandu", "Pacific/Auckland"];

  test.each(zones)("every label is the local time of its column, on a full step: %s", (zone) => {
    process.env["TZ"] = zone;
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 3 * 24 * 3_600 }), fc.integer({ min: 40, max: 200 }), (seconds, columns) => {
        const frame = timeFrame({ startedAt: NOON + 12_345, until: NOON + seconds * 1000, columns, ui: whole });
        for (const { column, label } of axisTicks(frame)) {
          const times = Array.from({ length: 202 }, (_, i) => new Date(frame.start + (column + i / 200) * frame.ms + 1));
          const clocks = times.map((at) => wallClock(at, label));
          expect(clocks).toContain(label);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("labels never run into each other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 24 * 3_600 }), fc.integer({ min: 20, max: 300 }), (seconds, columns) => {
        const ticks = axisTicks(timeFrame({ startedAt: NOON, until: NOON + seconds * 1000, columns, ui: whole }));
        ticks.slice(1).forEach(({ column }, i) => {
          const before = ticks[i];
          expect(column).toBeGreaterThan((before?.column ?? 0) + 1 + (before?.label.length ?? 0));
        });
      }),
    );
  });

  test("across the change to summer time the labels are still those of the clock on the wall", () => {
    process.env["TZ"] = "Europe/Berlin";
    const startedAt = Date.UTC(2026, 2, 28, 22, 0, 0);
    const frame = timeFrame({ startedAt, until: startedAt + 8 * HOUR, columns: 100, ui: whole });
    for (const { column, label } of axisTicks(frame)) {
      const clock = wallClock(new Date(frame.start + (column + 1) * frame.ms), label);
      expect(
        [clock, wallClock(new Date(frame.start + column * frame.ms), label), "03-29"].some(
          (each) => each.slice(0, 2) === label.slice(0, 2) || label === "03-29",
        ),
      ).toBe(true);
    }
  });
});

/** A time in the form of a label: a day, hours and minutes, or seconds too. */
function wallClock(at: Date, label: string): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  if (!label.includes(":")) return `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return [at.getHours(), at.getMinutes(), at.getSeconds()].slice(0, label.split(":").length).map(two).join(":");
}
