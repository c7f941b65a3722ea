import { describe, expect, test } from "vitest";
import type { ServerMessage } from "../../src/domain/run/wire.ts";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { ACTIVITY_FLUSH_MS, createFeed, FEED_LIMIT, FLUSH_MS } from "../../src/store/feed.ts";
import { runLabel } from "../../src/store/labels/run-label.ts";
import type { RunBuilder } from "./run-builder.ts";
import { plumbing } from "./scenes.ts";

/** A clock and a timer that move only when told to. */
function bench(run: RunBuilder) {
  let now = 1_000_000;
  let timers: { at: number; task: () => void }[] = [];
  const store = createDashboardStore();
  let updates = 0;
  store.subscribe(() => {
    updates += 1;
  });
  const schedule = (task: () => void, ms: number) => {
    const timer = { at: now + ms, task };
    timers.push(timer);
    return () => {
      timers = timers.filter((t) => t !== timer);
    };
  };
  const feed = createFeed(store, { now: () => now, schedule });
  const pass = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      timers = timers.filter((t) => t !== next);
      now = next.at;
      next.task();
    }
    now = end;
  };
  const since = run.events.length;
  const snapshot: ServerMessage = { kind: "snapshot", state: run.state, recent: run.events.slice(-200) };
  const sendAll = (): void => {
    for (const event of run.events.slice(since)) feed.take({ kind: "event", event });
  };
  return { store, feed, snapshot, pass, sendAll, updates: () => updates, timers: () => timers.length };
}

describe("a snapshot", () => {
  test("is shown at once, with what happened before it, and makes the connection live", () => {
    const run = plumbing();
    const b = bench(run);
    expect(b.feed.take(b.snapshot)).toBe("taken");
    const state = b.store.getState();
    expect(state.run).toBe(run.state);
    expect(state.lists.rows).toEqual(["T-7", "T-6", "T-4"]);
    expect(state.feed.at(-1)?.text).toContain("oracle: not done");
    expect(state.ui.connection).toEqual({ state: "live" });
    expect(state.now).toBe(1_000_000);
  });

  test("closes the question how to leave once the run has ended", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    b.store.dispatch({ type: "open", modal: { kind: "leave" } });
    run.play({ type: "stop-requested", by: "person" });
    b.sendAll();
    b.feed.flush();
    expect(b.store.getState().ui.modal).toEqual({ kind: "leave" });
    run.play({ type: "run-ended", kind: "interrupted", verdict: "unjudged", exitCode: 130, reason: "a person stopped the run" });
    b.sendAll();
    b.feed.flush();
    expect(b.store.getState().ui.modal).toBeUndefined();
  });

  test("raises no message for what was refused long ago", () => {
    const run = plumbing();
    run.play({ type: "command-refused", command: { type: "pause" }, reason: "the run is stopping" });
    const b = bench(run);
    b.feed.take(b.snapshot);
    expect(b.store.getState().ui.toast).toBeUndefined();
  });

  test("of a run whose journal cannot be written says so, once, and why", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const at = run.state.lastEventAt;
    const journal = { since: at, why: "the disk is full", nextAt: at + 2_000, until: at + 60_000 };
    b.feed.take({ kind: "snapshot", state: { ...run.state, outages: { journal } }, recent: run.events });
    b.feed.take({ kind: "snapshot", state: { ...run.state, outages: { journal } }, recent: run.events });
    const { lists, run: shown } = b.store.getState();
    expect(
      lists.outcomes.filter(({ text }) => text.includes("cannot be written, so nothing runs: the disk is full")),
    ).toHaveLength(1);
    expect(runLabel(shown, { state: "live" })).toMatchObject({ word: "HELD" });
    b.feed.take(b.snapshot);
    expect(b.store.getState().lists.outcomes.some(({ text }) => text.includes("cannot be written"))).toBe(false);
  });

  test("of a reconnect takes the place of all that was there", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const before = b.store.getState().feed.length;
    b.feed.take(b.snapshot);
    expect(b.store.getState().feed).toHaveLength(before);
  });
});

describe("events", () => {
  test("reach the store in one update, at most every 50 ms", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const before = b.updates();
    run.working("T-8").of("T-8", { type: "kill-requested", ending: "killed-by-person" });
    b.sendAll();
    expect(b.updates()).toBe(before);
    b.pass(FLUSH_MS);
    expect(b.updates()).toBe(before + 1);
    expect(b.store.getState().run).toEqual(run.state);
  });

  test("stay within 20 updates a second, however many there are", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const before = b.updates();
    for (let i = 0; i < 200; i++) {
      b.feed.take({ kind: "event", event: run.play(i % 2 === 0 ? { type: "run-paused" } : { type: "run-unpaused" }) });
      b.pass(5);
    }
    expect(b.updates() - before).toBeLessThanOrEqual(20);
    expect(b.updates() - before).toBeGreaterThan(15);
  });

  test("that are only what agents print wait longer, and are taken along by anything that matters", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const before = b.updates();
    const lists = b.store.getState().lists;
    run.of("T-7", { type: "activity", text: "one", lines: 1 });
    b.sendAll();
    b.pass(ACTIVITY_FLUSH_MS - 1);
    expect(b.updates()).toBe(before);
    b.pass(1);
    expect(b.updates()).toBe(before + 1);
    expect(b.store.getState().lists).toBe(lists);
    run.of("T-7", { type: "activity", text: "two", lines: 1 });
    run.play({ type: "run-paused" });
    b.sendAll();
    b.pass(FLUSH_MS);
    expect(b.updates()).toBe(before + 2);
    expect(b.timers()).toBe(0);
  });

  test("that are held already are passed over", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const last = run.events.at(-1);
    expect(last && b.feed.take({ kind: "event", event: last })).toBe("passed-over");
  });

  test("after a missing one are not guessed about", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    run.play({ type: "run-paused" });
    const late = run.play({ type: "run-unpaused" });
    expect(b.feed.take({ kind: "event", event: late })).toBe("out-of-step");
    b.pass(1000);
    expect(b.store.getState().run?.seq).toBe(run.state.seq - 2);
  });

  test("of a run that has just begun need no snapshot", () => {
    const run = plumbing();
    const b = bench(run);
    for (const event of run.events) expect(b.feed.take({ kind: "event", event })).toBe("taken");
    b.feed.flush();
    expect(b.store.getState().run).toEqual(run.state);
  });

  test("refusing a command say so to the person", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    run.play({ type: "command-refused", command: { type: "judge" }, reason: "the \u001b[31moracle\u001b[0m is at it" });
    b.sendAll();
    b.feed.flush();
    expect(b.store.getState().ui.toast).toMatchObject({ text: "refused: the oracle is at it", tone: "bad" });
  });
});

test("the feed keeps the last 500 lines, oldest first", () => {
  const run = plumbing();
  const b = bench(run);
  b.feed.take(b.snapshot);
  for (let i = 0; i < 1300; i++)
    b.feed.take({ kind: "event", event: run.play({ type: i % 2 === 0 ? "run-paused" : "run-unpaused" }) });
  b.feed.flush();
  const { feed } = b.store.getState();
  expect(feed).toHaveLength(FEED_LIMIT);
  expect(feed.at(-1)?.seq).toBe(run.state.seq);
  expect(feed[0]?.seq).toBe(run.state.seq - FEED_LIMIT + 1);
});

test("a closed feed leaves no timer and changes nothing more", () => {
  const run = plumbing();
  const b = bench(run);
  b.feed.take(b.snapshot);
  run.play({ type: "run-paused" });
  b.sendAll();
  b.feed.close();
  expect(b.timers()).toBe(0);
  b.pass(1000);
  expect(b.store.getState().run?.paused).toBe(false);
});

describe("an outage", () => {
  const away = { what: "tracker", why: "ECONNREFUSED" } as const;
  const tellOf = (run: RunBuilder) => {
    const since = run.now;
    run.play({ type: "outage-started", ...away, nextAt: since + 250, until: since + 900_000 });
    run.play({ type: "run-paused" });
    for (let tries = 2; tries <= 9; tries++)
      run.play({ type: "outage-continues", ...away, nextAt: since + tries * 1_000, until: since + 900_000 });
  };

  test("has one line among the outcomes, which says how often it was tried; each try is an event", () => {
    const run = plumbing();
    const b = bench(run);
    b.feed.take(b.snapshot);
    const begun = run.now;
    tellOf(run);
    b.sendAll();
    b.feed.flush();
    const { feed, lists } = b.store.getState();
    const tells = ({ text }: { readonly text: string }) => text.includes("the tracker is away");
    expect(lists.outcomes.filter(tells)).toEqual([
      expect.objectContaining({
        at: begun,
        text: expect.stringMatching(/^the tracker is away, 9 tries: ECONNREFUSED; gives up at [\d:]+$/),
      }),
    ]);
    expect(feed.filter(tells)).toHaveLength(9);
  });
});

test("the oracle has a line among the outcomes if its count, or its reason, is another one than before", () => {
  const run = plumbing();
  const judge = (problem?: string) => {
    const verdict = problem === undefined ? "not-done" : "unjudged";
    const counts = { done: 2, gated: 0, open: 9 };
    run.play({ type: "oracle-asked", final: false });
    run.play({
      type: "oracle-judged",
      final: false,
      judgement: { verdict, counts, open: [], ms: 1, ...(problem !== undefined && { problem }) } as never,
      oracleSha: "0",
    });
  };
  for (const problem of ["T-5 is gone", "T-5 is gone", "T-5 is gone", undefined, undefined, "T-5 is gone", "it is away"])
    judge(problem);
  const b = bench(run);
  b.feed.take({ kind: "snapshot", state: run.state, recent: [] });
  const lines = b.store.getState().lists.outcomes.filter(({ kind }) => kind === "oracle");
  expect(lines.slice(-4).map(({ text }) => text.replace(/,.*/, ""))).toEqual([
    "oracle cannot judge: T-5 is gone",
    "oracle: not done",
    "oracle cannot judge: T-5 is gone",
    "oracle cannot judge: it is away",
  ]);
});
