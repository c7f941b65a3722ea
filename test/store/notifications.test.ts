import { expect, test } from "vitest";
import { NO_LISTS, sortTickets } from "../../src/store/lists.ts";
import { NOTHING_NOTIFIED, type NotificationState, nextNotification, terminalStatus } from "../../src/store/notifications.ts";
import { INITIAL_UI } from "../../src/store/ui.ts";
import { batchOf, RunBuilder } from "./run-builder.ts";
import { awaitsApproval, hostile, plumbing, plumbingEnded } from "./scenes.ts";

const LIVE = { ...INITIAL_UI, connection: { state: "live" as const } };
const LOST = { ...INITIAL_UI, connection: { state: "lost" as const, reason: "gone" } };

function seen(run: RunBuilder, ui: NotificationState["ui"] = LIVE): NotificationState {
  return { run: run.state, lists: sortTickets(run.state, NO_LISTS), ui, now: run.now };
}

/** Everything that is called out while a person looks at these, one after the other. */
function notices(...states: readonly NotificationState[]): readonly string[] {
  let told = NOTHING_NOTIFIED;
  return states.flatMap((state) => {
    const news = nextNotification(told, state);
    told = news.told;
    return news.notice ?? [];
  });
}

test("the title says how the run stands, how far it is, and its name", () => {
  expect(terminalStatus({ lists: NO_LISTS, ui: INITIAL_UI, now: 0 }).title).toBe("◌ loopdash");
  expect(terminalStatus(seen(plumbing())).title).toBe("! needs you 4/11 plumbing");
  expect(terminalStatus(seen(plumbingEnded("done"))).title).toBe("✔ done 11/11 plumbing");
  expect(terminalStatus(seen(awaitsApproval())).title).toBe("! needs you 1/3 plumbing");
  expect(terminalStatus(seen(plumbing(), LOST)).title).toBe("✕ lost 4/11 plumbing");
});

test("a batch's name in title and notice is one bounded line that no terminal obeys", () => {
  const run = new RunBuilder(batchOf({ name: `\u001b]0;owned\u0007\u202e${"long ".repeat(40)}`, tickets: [{ id: "T-1" }] }));
  const before = seen(run);
  const text = [terminalStatus(before).title, ...notices(before, seen(run.gates("T-1", "look")))];
  expect(text).toHaveLength(2);
  for (const line of text) {
    expect(line).toMatch(/^[^\p{Cc}\u202e]+$/u);
    expect(line).toContain("long long");
    expect(line).toContain("…");
    expect(line.length).toBeLessThanOrEqual(160);
  }
});

test("the bar: as far as it is, halted, gone wrong, taken away", () => {
  expect(terminalStatus(seen(plumbing())).progress).toEqual({ state: "normal", percent: 36 });
  expect(terminalStatus(seen(plumbing(), LOST)).progress).toEqual({ state: "error", percent: 36 });
  const paused = plumbing();
  paused.play({ type: "run-paused" });
  expect(terminalStatus(seen(paused)).progress).toEqual({ state: "paused", percent: 36 });
  expect(terminalStatus(seen(plumbingEnded("done"))).progress).toEqual({ state: "none" });
  expect(terminalStatus(seen(plumbingEnded("not-done"))).progress).toMatchObject({ state: "error" });
});

test("a ticket that newly needs a person is called out once; one that did already, never", () => {
  const run = plumbing();
  const found = seen(run);
  const gated = seen(run.gates("T-10", "unlock the bucket"));
  expect(notices(found, found)).toEqual([]);
  expect(notices(found, gated, gated, { ...gated, now: gated.now + 60_000 })).toEqual(["loopdash: plumbing: T-10 needs you"]);
  expect(notices(gated)).toEqual([]);
});

test("several at once are one call", () => {
  const run = plumbing();
  const found = seen(run);
  expect(notices(found, seen(run.gates("T-10", "one").gates("T-8", "two")))).toEqual([
    "loopdash: plumbing: T-8 and 1 other need you",
  ]);
});

test("the end is called out once, and not where the run had ended before", () => {
  const ended = seen(plumbingEnded("done"));
  expect(notices(seen(plumbing()), ended, ended)).toEqual(["loopdash: plumbing: done. 9 of 11 tickets done, 2 left to you"]);
  expect(notices(ended, ended)).toEqual([]);
  expect(notices(seen(plumbing()), seen(plumbingEnded("stopped")))).toEqual([
    "loopdash: plumbing: stopped. 3 of 11 tickets done, 1 left to you",
  ]);
});

test("an engine that is gone is called out once each time; one that was gone before is not", () => {
  const run = plumbing();
  const gone = "loopdash: plumbing: its engine is gone; the run stands still";
  expect(notices(seen(run), seen(run, LOST), seen(run, LOST), seen(run), seen(run, LOST))).toEqual([gone, gone]);
  expect(notices(seen(run, LOST), seen(run, LOST))).toEqual([]);
});

test("what stops all starts is called out", () => {
  const run = plumbing();
  const before = seen(run);
  run.of("T-4", {
    type: "agent-ended",
    ending: "exited",
    exitCode: 1,
    signal: null,
    costUsd: 0,
    stop: { kind: "authentication", says: "please log in" },
  });
  run.of("T-4", { type: "attempt-ended", outcome: "failed" });
  expect(run.state.halted).toBeDefined();
  expect(notices(before, seen(run), seen(run))).toEqual([expect.stringContaining("loopdash: plumbing: needs you: ")]);
});

test("another run that is switched to is not news, and neither is what a replay plays", () => {
  expect(notices(seen(plumbing()), { ...seen(hostile()), run: { ...hostile().state, run: "other-run" as never } })).toEqual([]);
  const run = plumbing();
  const playback = {} as NonNullable<NotificationState["playback"]>;
  const first = { ...seen(run), playback };
  expect(notices(first, { ...seen(run.gates("T-10", "unlock")), playback })).toEqual([]);
  expect(terminalStatus(first)).toEqual({ title: "replay of plumbing", progress: { state: "none" } });
});
