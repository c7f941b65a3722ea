import { expect, test } from "vitest";
import { JournalBackoff } from "../../../src/cli/engine/journal-backoff.ts";

const MIN = 60_000;

/** The waits of an outage that begins then and does not end. */
function waitsFrom(backoff: JournalBackoff, at: number): number[] {
  const waits: number[] = [];
  backoff.begin(at);
  for (let now = at; ; ) {
    const wait = backoff.next(now);
    if (wait === undefined) return waits;
    waits.push(wait.ms);
    now += wait.ms;
  }
}

const sum = (waits: readonly number[]) => waits.reduce((a, b) => a + b, 0);

test("waits double up to half a minute, and the last retry is at the end of the time", () => {
  const waits = waitsFrom(new JournalBackoff(2 * MIN), 1_000);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 29_000]);
});

test("a fault that comes back has what is left of the time, and no short waits", () => {
  const backoff = new JournalBackoff(2 * MIN);
  backoff.begin(0);
  backoff.next(0);
  backoff.end(30_000);
  const waits = waitsFrom(backoff, 40_000);
  expect([waits[0], sum(waits)]).toEqual([2_000, 90_000]);
});

test("a fault after a long time without any has the whole time", () => {
  const backoff = new JournalBackoff(2 * MIN);
  backoff.begin(0);
  backoff.next(0);
  backoff.end(30_000);
  const waits = waitsFrom(backoff, 30_000 + 2 * MIN);
  expect([waits[0], sum(waits)]).toEqual([1_000, 2 * MIN]);
});

test("a clock that is set back ends nothing early", () => {
  const backoff = new JournalBackoff(MIN);
  backoff.begin(100_000);
  expect(backoff.next(90_000)).toMatchObject({ ms: 1_000, since: 100_000, until: 160_000 });
});
