import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";

const DAY = 24 * 60 * 60 * 1_000;

describe("after", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("calls once, at its time", () => {
    const then = vi.fn();
    systemClock.after(100, then);
    vi.advanceTimersByTime(99);
    expect(then).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(then).toHaveBeenCalledTimes(1);
  });

  test("can be cancelled", () => {
    const then = vi.fn();
    systemClock.after(100, then)();
    vi.advanceTimersByTime(10_000);
    expect(then).not.toHaveBeenCalled();
  });

  test.for([30, 100])("holds for %d days, more than one timer can", (days) => {
    const [then, never] = [vi.fn(), vi.fn()];
    systemClock.after(days * DAY, then);
    const callOff = systemClock.after(days * DAY, never);
    vi.advanceTimersByTime(days * DAY - 1);
    expect(then).not.toHaveBeenCalled();
    callOff();
    vi.advanceTimersByTime(DAY);
    expect(then).toHaveBeenCalledTimes(1);
    expect(never).not.toHaveBeenCalled();
  });
});

test("now is the time of day in milliseconds", () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
});

test("a timer that waits does not keep the process alive", () => {
  const clock = join(import.meta.dirname, "../../../src/adapters/clock/system-clock.ts");
  const script = `import { systemClock } from ${JSON.stringify(clock)}; systemClock.after(3_600_000, () => undefined);`;
  expect(() => execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000 })).not.toThrow();
});
