import { expect, test } from "vitest";
import { crowd, plumbing } from "../store/scenes.ts";
import { mount } from "./mount.tsx";

test("what one agent prints draws that worker's row and nothing else", async () => {
  const run = plumbing();
  await using m = await mount(run, 120, 30);
  m.stage.drawn.clear();
  run.of("T-7", { type: "activity", text: "compiling the queue", lines: 1 });
  for (const event of run.events.slice(-1)) m.feed.take({ kind: "event", event });
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
  const since = run.events.length;
  run.of("T-4", { type: "step-ended", step: 1, ok: true, summary: "214 tests pass" });
  for (const event of run.events.slice(since)) m.feed.take({ kind: "event", event });
  m.feed.flush();
  await m.stage.shows("214 tests pass");
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
  const event = run.events.at(-1);
  if (event !== undefined) m.feed.take({ kind: "event", event });
  m.feed.flush();
  await m.stage.shows("another line");
  expect(m.stage.terminal.raw.length - before).toBeLessThan(600);
});
