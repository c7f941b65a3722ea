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

  test("it stands still until the run has outgrown it", () => {
    const at = (minutes: number) => timeFrame({ startedAt: NOON, until: NOON + minutes * 60_000, columns: 100, ui: whole });
    expect(at(31).ms).toBe(30_000);
    expect(at(49)).toEqual({ ...at(31), now: 98 });
    expect(at(51).ms).toBe(60_000);
  });

  test("nearer, the present is in sight, and the page turns by quarters", () => {
    const of = (seconds: number) =>
      timeFrame({ startedAt: NOON, until: NOON + 6 * HOUR + seconds * 1000, columns: 80, ui: { zoom: 5 } });
    const starts = new Set(
      Array.from({ length: 600 }, (_, i) => of(i)).map(({ start, now, columns }) => {
        expect(now).toBeGreaterThanOrEqual(0);
        expect(now).toBeLessThan(columns);
        return start;
      }),
    );
    const { ms } = of(0);
    const turns = [...starts].slice(1).map((start, i) => (start - ([...starts][i] ?? 0)) / ms);
    expect(turns.length).toBeGreaterThan(0);
    for (const turn of turns) expect(turn).toBe(20);
  });

  test("what a person has gone to stays where it is while time goes on, and is never before the start", () => {
    const ui = { zoom: 5, end: NOON + 2 * HOUR };
    const a = timeFrame({ startedAt: NOON, until: NOON + 6 * HOUR, columns: 80, ui });
    const b = timeFrame({ startedAt: NOON, until: NOON + 6 * HOUR + 600_000, columns: 80, ui });
    expect(b.start).toBe(a.start);
    expect(a.start + 80 * a.ms).toBe(NOON + 2 * HOUR);
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
          const at = new Date(frame.start + column * frame.ms);
          const [hour, minute, second] = label.split(":").map(Number);
          if (!label.includes(":")) {
            expect(label).toBe(`${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`);
            continue;
          }
          expect([at.getHours(), at.getMinutes(), at.getSeconds()]).toEqual([hour, minute, second ?? 0]);
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
      const at = new Date(frame.start + column * frame.ms);
      const clock = `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
      expect([clock, "03-29"]).toContain(label);
    }
  });
});
