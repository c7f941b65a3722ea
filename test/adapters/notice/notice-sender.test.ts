import { describe, expect, test } from "vitest";
import { NoticeSender, type NoticeTrouble } from "../../../src/adapters/notice/notice-sender.ts";
import { NoticeFailed } from "../../../src/adapters/notice/post-notice.ts";
import type { NotifyRoute } from "../../../src/domain/batch/notify-spec.ts";
import type { Notice } from "../../../src/domain/notice/notices.ts";
import { FakeClock } from "../../loop/fake-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A route of ntfy that is told `on`, and fails while `failing` has an error. */
function stage(over: Partial<NotifyRoute> = {}) {
  const clock = new FakeClock();
  const told = new Set<string>();
  const texts: string[] = [];
  const troubles: NoticeTrouble[] = [];
  const state: { failing: Error | undefined } = { failing: undefined };
  const spec = { kind: "ntfy", url: "http://x/t", on: ["landed", "needs-you", "ended"], ...over } as NotifyRoute;
  const sender = new NoticeSender({
    routes: [{ name: "ntfy 1", spec }],
    about: { run: "r-1", batch: "b" },
    told: {
      has: (_, key) => told.has(key),
      add: (_, keys) => {
        for (const key of keys) told.add(key);
      },
    },
    clock,
    post: (_, { text }) => {
      if (state.failing !== undefined) return Promise.reject(state.failing);
      texts.push(text);
      return Promise.resolve();
    },
    onTrouble: (trouble) => void troubles.push(trouble),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { sender, clock, texts, told, troubles, state, pass };
}

const notice = (key: string, kind: Notice["kind"] = "landed"): Notice => ({ key, kind, says: `${key} is so` });

describe("a sender of notices", () => {
  test("puts what comes together into one message, once, and only the kinds that the route wants", async () => {
    const { sender, texts, pass } = stage();
    sender.look([notice("a")]);
    sender.look([notice("a"), notice("b"), notice("c", "slept")]);
    await pass(3_000);
    sender.look([notice("a"), notice("b")]);
    await pass(60_000);
    expect(texts).toEqual(["loopdash b: 2 landed\na is so\nb is so\nloopdash attach r-1"]);
  });

  test("does not tell what is no longer so", async () => {
    const { sender, texts, pass } = stage();
    sender.look([notice("a", "needs-you")]);
    sender.look([]);
    await pass(60_000);
    expect(texts).toEqual([]);
  });

  test("tries again with waits that double, or as long as the receiver asks, and loses nothing", async () => {
    const { sender, texts, troubles, state, pass } = stage();
    state.failing = new NoticeFailed("it answered 503");
    sender.look([notice("a")]);
    await pass(3_000);
    await pass(5_000);
    await pass(9_999);
    expect(troubles.map(({ why, left }) => `${why} ${left}`)).toEqual(["it answered 503 1", "it answered 503 1"]);
    state.failing = new NoticeFailed("it answered 429", 120_000);
    await pass(1);
    sender.look([notice("a"), notice("b")]);
    state.failing = undefined;
    await pass(119_999);
    expect(texts).toEqual([]);
    await pass(1);
    expect(texts).toEqual(["loopdash b: 2 landed\na is so\nb is so\nloopdash attach r-1"]);
  });

  test("at the end sends at once what waited for more, and settles once it was taken", async () => {
    const { sender, texts, pass } = stage();
    sender.look([notice("a", "ended")]);
    const over = sender.finish();
    await pass(0);
    await over;
    expect(texts).toHaveLength(1);
  });

  test("tells nothing twice where it cannot record what it told", async () => {
    const { sender, texts, told, troubles, pass } = stage();
    const add = told.add.bind(told);
    told.add = (key) => {
      add(key);
      throw new Error("ENOSPC");
    };
    sender.look([notice("a")]);
    await pass(3_000);
    sender.look([notice("a")]);
    await pass(60_000);
    expect(texts).toHaveLength(1);
    expect(troubles.map(({ why }) => why)).toEqual(["what it was told could not be recorded: ENOSPC"]);
  });

  test("holds its message through quiet hours", async () => {
    const { sender, texts, clock, pass } = stage({ quiet: "00:00-23:59" });
    sender.look([notice("a")]);
    const start = new Date(clock.now());
    const end = new Date(start).setHours(23, 59, 0, 0);
    await pass(end - clock.now() - 1);
    const wasInTime = texts.length;
    await pass(60_000);
    expect([wasInTime, texts.length]).toEqual([0, 1]);
  });

  test("counts what does not fit into 500 characters", async () => {
    const { sender, texts, pass } = stage();
    sender.look(Array.from({ length: 40 }, (_, i) => notice(`ticket-${i}-with-a-name-that-takes-its-room`)));
    await pass(3_000);
    const [text = ""] = texts;
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text).toMatch(/\nand \d+ more\nloopdash attach r-1$/);
  });
});
