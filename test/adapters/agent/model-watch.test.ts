import { describe, expect, test } from "vitest";
import { ModelWatch } from "../../../src/adapters/agent/model-watch.ts";

const USAGE = { model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0, usd: 0, countedUsd: 0 };

/** A watch, with how often it called the work useless. */
function watching(turns?: number) {
  let useless = 0;
  const watch = new ModelWatch(turns, () => (useless += 1));
  return { watch, useless: () => useless };
}

describe("what ends an attempt at the gateway", () => {
  test.each([
    [401, "authentication"],
    [403, "permission"],
  ])("two answers %i in a row: %s", (status, kind) => {
    const { watch, useless } = watching();
    watch.onAnswer({ status });
    watch.onAnswer({ status: 200 });
    watch.onAnswer({ status });
    expect(watch.stop).toBeUndefined();
    watch.onAnswer({ status });
    expect(watch.stop).toMatchObject({ kind });
    watch.onAnswer({ status });
    expect(useless()).toBe(1);
  });

  test("a limit that is used up for longer than a minute, and no shorter wait", () => {
    const { watch } = watching();
    watch.onAnswer({ status: 429 });
    watch.onAnswer({ status: 429, retryAfterMs: 60_000 });
    watch.onAnswer({ status: 503, retryAfterMs: 3_600_000 });
    expect(watch.stop).toBeUndefined();
    watch.onAnswer({ status: 429, retryAfterMs: 60_001 });
    expect(watch.stop).toMatchObject({ kind: "rate-limited", retryAfterMs: 60_001, says: expect.stringContaining("2 minutes") });
  });

  test("one turn more than there are; none where there is no bound", () => {
    const { watch } = watching(2);
    const free = watching();
    for (let n = 0; n < 2; n += 1) watch.onUsage(USAGE);
    expect(watch.stop).toBeUndefined();
    watch.onUsage(USAGE);
    expect(watch.stop).toMatchObject({ kind: "turns" });
    for (let n = 0; n < 10_000; n += 1) free.watch.onUsage(USAGE);
    expect(free.watch.stop).toBeUndefined();
  });
});
