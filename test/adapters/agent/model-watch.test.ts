import { describe, expect, test } from "vitest";
import { LoginRequired } from "../../../src/adapters/agent/logins/login.ts";
import { ModelWatch, type WatchBounds } from "../../../src/adapters/agent/model-watch.ts";

const USAGE = { model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0, usd: 0, countedUsd: 0 };

/** A watch, with how often it called the work useless. */
function watching(bounds: WatchBounds = {}) {
  let useless = 0;
  const watch = new ModelWatch(bounds, () => (useless += 1));
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

  test("an API that cannot be reached is no answer, until it answers again", () => {
    const { watch, useless } = watching();
    watch.onUnreachable("ECONNREFUSED");
    expect(watch.last).toEqual({ kind: "unreachable", says: "the model's API cannot be reached (ECONNREFUSED)" });
    expect([watch.hasAnswered, watch.stop, useless()]).toEqual([false, undefined, 0]);
    watch.onAnswer({ status: 200 });
    watch.onUsage(USAGE);
    expect([watch.last, watch.hasAnswered]).toEqual([undefined, true]);
  });

  test("a program that would retry for ever ends after so many requests that reached nothing", () => {
    const { watch } = watching({ failures: 2 });
    watch.onUnreachable("ECONNREFUSED");
    watch.onUnreachable("ECONNREFUSED");
    expect(watch.stop).toMatchObject({ kind: "unreachable" });
  });

  test("one turn more than there are; none where there is no bound", () => {
    const { watch } = watching({ turns: 2 });
    const free = watching();
    for (let n = 0; n < 2; n += 1) watch.onUsage(USAGE);
    expect(watch.stop).toBeUndefined();
    watch.onUsage(USAGE);
    expect(watch.stop).toMatchObject({ kind: "turns" });
    for (let n = 0; n < 10_000; n += 1) free.watch.onUsage(USAGE);
    expect(free.watch.stop).toBeUndefined();
  });

  test("failures in a row, of any kind, for a program that never gives up; an answer in between begins again", () => {
    const { watch, useless } = watching({ failures: 3 });
    const broken = () => {
      watch.onAnswer({ status: 200 });
      watch.onUsage({ ...USAGE, output: 0 });
    };
    watch.onAnswer({ status: 500 });
    broken();
    watch.onAnswer({ status: 200 });
    watch.onUsage(USAGE);
    watch.onAnswer({ status: 500 });
    broken();
    expect(watch.stop).toBeUndefined();
    watch.onAnswer({ status: 529 });
    expect(watch.stop).toMatchObject({ kind: "overloaded" });
    expect(useless()).toBe(1);
    const cut = watching({ failures: 1 });
    cut.watch.onUsage({ ...USAGE, output: 0 });
    expect(cut.watch.stop).toMatchObject({ kind: "unfinished" });
  });

  test("a key that is not to be had: a secret passes, a lost login needs a person", () => {
    const { watch, useless } = watching();
    watch.onKeyMissing(new Error("the command failed"));
    expect(watch.stop).toMatchObject({ kind: "overloaded", says: expect.stringContaining("the command failed") });
    const other = watching();
    other.watch.onKeyMissing(new LoginRequired("Run codex login"));
    expect(other.watch.stop).toEqual({ kind: "authentication", says: "Run codex login" });
    expect([useless(), other.useless()]).toEqual([1, 1]);
  });

  test("tells what the last answer was, where it was an error", () => {
    const { watch } = watching();
    watch.onAnswer({ status: 404 });
    expect(watch.last).toMatchObject({ kind: "model" });
    watch.onAnswer({ status: 429, retryAfterMs: 5_000 });
    expect(watch.last).toMatchObject({ kind: "rate-limited", retryAfterMs: 5_000 });
    watch.onAnswer({ status: 200 });
    expect(watch.last).toBeUndefined();
    expect(watch.stop).toBeUndefined();
  });
});
