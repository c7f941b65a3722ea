import { expect, test } from "vitest";
import { createDashboardStore } from "../../src/store/dashboard-store.ts";
import { createFeed } from "../../src/store/feed.ts";
import { plumbing } from "./scenes.ts";

test("a tick within the same second updates nobody", () => {
  const store = createDashboardStore({ now: 5_200 });
  let updates = 0;
  store.subscribe(() => {
    updates += 1;
  });
  store.tick(5_900);
  expect(updates).toBe(0);
  store.tick(6_000);
  expect([updates, store.getState().now]).toEqual([1, 6_000]);
});

test("an update brings the time along, so that the tick after it finds nothing left to draw", () => {
  const run = plumbing();
  let now = run.now;
  const store = createDashboardStore({ now });
  const feed = createFeed(store, { now: () => now });
  feed.take({ kind: "snapshot", state: run.state, recent: [] });
  now += 3_000;
  feed.take({ kind: "event", event: run.play({ type: "run-paused" }) });
  feed.flush();
  expect(store.getState().now).toBe(now);
  let updates = 0;
  store.subscribe(() => {
    updates += 1;
  });
  store.tick(now + 400);
  expect(updates).toBe(0);
});

test("a clock that is set back is followed, not waited for", () => {
  const store = createDashboardStore({ now: 9_000 });
  store.tick(2_000);
  expect(store.getState().now).toBe(2_000);
});

test("an action that changes nothing updates nobody", () => {
  const store = createDashboardStore();
  let updates = 0;
  store.subscribe(() => {
    updates += 1;
  });
  store.dispatch({ type: "close" });
  expect(updates).toBe(0);
});
