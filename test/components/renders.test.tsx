import { expect, test } from "vitest";
import { thinActivity } from "../../src/loop/programs/run-in.ts";
import { ACTIVITY_FLUSH_MS, createFeed } from "../../src/store/feed.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { crowd, plumbing } from "../store/scenes.ts";
import { type Mounted, mount } from "./mount.tsx";
import { snapshotOf, until } from "./stage.ts";

test("what one agent prints draws that worker's row and nothing else", async () => {
  const run = plumbing();
  await using m = await mount(run, 120, 30);
  m.stage.drawn.clear();
  run.of("T-7", { type: "activity", text: "compiling the queue", lines: 1 });
  m.tell();
  m.feed.flush();
  await m.stage.shows("compiling the queue");
  expect(Object.fromEntries(m.stage.drawn)).toEqual({ "worker T-7": 1 });
});

test("the tick draws no view, only the cells that show time", async () => {
  const run = plumbing();
  await using m = await mount(run, 120, 30);
  m.stage.drawn.clear();
  run.wait(1);
  m.store.tick(run.now);
  await m.stage.shows("00:45:28");
  expect(m.stage.drawn.size).toBe(0);
});

test("an update that changes nothing writes nothing", async () => {
  const run = plumbing();
  await using m = await mount(run, 120, 30);
  m.stage.drawn.clear();
  const written = m.stage.terminal.raw.length;
  m.store.tick(run.now);
  m.feed.flush();
  m.store.setState({});
  await m.stage.shows("00:45:27");
  expect(m.stage.drawn.size).toBe(0);
  expect(m.stage.terminal.raw.length).toBe(written);
});

test("moving the selection draws the two rows that change, not the others", async () => {
  await using m = await mount(crowd({ tickets: 40, workers: 8 }), 160, 50);
  await m.stage.press("j", "▌▶ CORE-4");
  m.stage.drawn.clear();
  await m.stage.press("j", "▌▶ CORE-7");
  const rows = [...m.stage.drawn.keys()].filter((view) => view.startsWith("worker ") || view.startsWith("queue "));
  expect(rows.toSorted()).toEqual(["worker CORE-4", "worker CORE-7"]);
});

test("a finished step leaves the other workers as they are", async () => {
  const run = plumbing();
  await using m = await mount(run, 120, 30);
  m.stage.drawn.clear();
  run.of("T-4", { type: "step-ended", step: 1, ok: true, summary: "214 tests pass" });
  m.tell();
  m.feed.flush();
  await m.stage.shows("✔✔··· queued");
  expect(m.stage.drawn.get("worker T-4")).toBe(1);
  expect(m.stage.drawn.has("worker T-6")).toBe(false);
  expect(m.stage.drawn.has("worker T-7")).toBe(false);
  expect(m.stage.drawn.has("header")).toBe(false);
});

test("an agent's output costs the terminal a line, not a screen", async () => {
  const run = plumbing();
  await using m = await mount(run, 160, 50);
  const before = m.stage.terminal.raw.length;
  run.of("T-7", { type: "activity", text: "another line", lines: 1 });
  m.tell();
  m.feed.flush();
  await m.stage.shows("another line");
  expect(m.stage.terminal.raw.length - before).toBeLessThan(600);
});

/** Agents that print into the engine's own thinning, and a feed of it, on one clock that moves when it is told to. */
function talking(m: Mounted, run: RunBuilder, ids: readonly string[]) {
  let timers: { at: number; task: () => void }[] = [];
  const after = (ms: number, task: () => void): (() => void) => {
    const timer = { at: run.now + ms, task };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  };
  const feed = createFeed(m.store, { now: () => run.now, schedule: (task, ms) => after(ms, task) });
  feed.take(snapshotOf(run.state, run.events));
  const agents = ids.map((id) =>
    thinActivity({ now: () => run.now, after }, (text, lines) => {
      run.of(id, { type: "activity", text, lines });
      const event = run.events.at(-1);
      if (event !== undefined) feed.take({ kind: "event", event });
    }),
  );
  let said = 0;
  return {
    /** A twentieth of a second, with a line of each. */
    step(): void {
      said += 1;
      for (const agent of agents) agent.line(`line ${said}`);
      run.wait(0.05);
      const due = timers.filter((timer) => timer.at <= run.now);
      timers = timers.filter((timer) => timer.at > run.now);
      for (const { task } of due) task();
    },
  };
}

const busy = () => crowd({ tickets: 500, workers: 64, busy: 64 });
const working = (run: RunBuilder) => run.state.slots.map((index) => run.state.plan.tickets[index ?? -1]?.id ?? "");

test("of 64 workers, all seen, what one prints draws its row alone", async () => {
  const run = busy();
  await using m = await mount(run, 200, 80);
  const id = working(run)[40] ?? "";
  m.stage.drawn.clear();
  run.of(id, { type: "activity", text: "compiling the queue", lines: 1 });
  m.tell();
  m.feed.flush();
  await m.stage.shows('"compiling the queue"');
  expect(Object.fromEntries(m.stage.drawn)).toEqual({ [`worker ${id}`]: 1 });
});

const SECONDS = 60;

test("a minute of 1,280 lines a second is two updates a second, and draws rows of workers only", {
  timeout: 240_000,
}, async () => {
  const run = busy();
  await using m = await mount(run, 80, 24);
  const agents = talking(m, run, working(run));
  await m.stage.shows("AT WORK 64 of 64");
  m.stage.drawn.clear();
  const framesBefore = m.stage.terminal.raw.split("\u001B[?2026h").length;
  let updates = 0;
  m.store.subscribe(() => {
    updates += 1;
  });
  for (let i = 0; i < SECONDS * 20; i++) {
    agents.step();
    // Whatever wants to be drawn is drawn, as if time had passed.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const most = (SECONDS * 1000) / ACTIVITY_FLUSH_MS + 1;
  expect(updates).toBeLessThanOrEqual(most);
  expect(updates).toBeGreaterThan(most / 2);
  expect([...m.stage.drawn.keys()].filter((view) => !view.startsWith("worker "))).toEqual([]);
  expect(Math.max(...m.stage.drawn.values())).toBeLessThanOrEqual(updates);
  expect(m.stage.terminal.raw.split("\u001B[?2026h").length - framesBefore).toBeLessThanOrEqual(2 * updates);
  expect(m.stage.terminal.buffer().scrolled).toBe(0);
});

test("a key is answered while agents talk, before what they say is shown", async () => {
  const run = busy();
  await using m = await mount(run, 120, 30);
  const agents = talking(m, run, working(run));
  const shown = () => m.store.getState().run?.seq;
  const before = shown();
  agents.step();
  agents.step();
  expect(run.state.seq).toBeGreaterThan(before ?? 0);
  await m.stage.press("j", `▌▶ ${working(run)[0]}`);
  await m.stage.press("jj", `▌▶ ${working(run)[2]}`);
  expect(shown()).toBe(before);
  m.stage.drawn.clear();
  while (shown() === before) agents.step();
  await until(() => (m.stage.drawn.get(`worker ${working(run)[0]}`) ?? 0) > 0);
});
