import { afterEach, beforeEach, expect, test, vi } from "vitest";

vi.hoisted(() => {
  process.env["FORCE_COLOR"] = "1";
});

import { renderDashboard } from "../../../components/app/render-dashboard.tsx";
import type { LeaveHow } from "../../../src/store/keymap/binding.ts";
import { terminalCapabilities } from "../../../src/store/terminal-capabilities.ts";
import { plumbing } from "../../store/scenes.ts";
import { Stage, storeOf, until } from "../stage.ts";

beforeEach(() => {
  for (const name of ["FORCE_COLOR", "NO_COLOR", "CI", "COLORTERM", "TERM_PROGRAM"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
  vi.stubEnv("LC_ALL", "C.UTF-8");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function open(stage: Stage, onLeave?: (how: LeaveHow) => void) {
  const { store, feed } = storeOf(plumbing());
  const done = renderDashboard({
    store,
    stdout: stage.terminal,
    stdin: stage.keyboard,
    capabilities: terminalCapabilities({ env: process.env, isTTY: true, depth: stage.terminal.getColorDepth() }),
    ...(onLeave === undefined ? {} : { onLeave }),
  });
  return { store, feed, done };
}

test("takes the terminal, gives it back as it was, and returns how it was left", async () => {
  const stage = new Stage(80, 24);
  const told: LeaveHow[] = [];
  const { done } = open(stage, (how) => told.push(how));
  await stage.shows("NEEDS YOU");
  expect(stage.terminal.buffer().type).toBe("alternate");
  expect(stage.keyboard.rawMode).toBe(true);
  await stage.press("q", "Leave the dashboard");
  stage.keyboard.press("d");
  expect(await done).toBe("detach");
  expect(told).toEqual(["detach"]);
  expect((await stage.terminal.lines()).join("")).toBe("");
  expect(stage.terminal.buffer().type).toBe("normal");
  expect(stage.keyboard.rawMode).toBe(false);
  expect(stage.terminal.raw).toContain("\u001b[?2004l");
  expect(stage.terminal.raw).toContain("\u001b[?25h");
});

test("a terminal that goes away is a detach, not a crash", async () => {
  const stage = new Stage(80, 24);
  const { done } = open(stage);
  await stage.shows("NEEDS YOU");
  stage.terminal.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  expect(await done).toBe("detach");
});

test("a keyboard that ends is a detach", async () => {
  const stage = new Stage(80, 24);
  const { done } = open(stage);
  await stage.shows("NEEDS YOU");
  stage.keyboard.end();
  expect(await done).toBe("detach");
});

test("NO_COLOR is honoured where it is set to something", async () => {
  for (const [value, coloured] of [
    ["1", false],
    ["", true],
  ] as const) {
    vi.stubEnv("NO_COLOR", value);
    const stage = new Stage(80, 24);
    const { done, store } = open(stage);
    await stage.shows("NEEDS YOU");
    expect((await stage.terminal.styles()).colours > 0, `NO_COLOR=${value}`).toBe(coloured);
    store.dispatch({ type: "connection", connection: { state: "lost", reason: "test" } });
    stage.keyboard.press("q");
    await done;
  }
});

test("many resizes add no listeners", async () => {
  const stage = new Stage(80, 24);
  const { done, store } = open(stage);
  await stage.shows("NEEDS YOU");
  const before = stage.terminal.listenerCount("resize");
  for (let i = 0; i < 20; i++) stage.terminal.resize(60 + i * 5, 20 + i);
  await until(async () => (await stage.terminal.text()).includes("OUTCOMES"));
  expect(stage.terminal.listenerCount("resize")).toBe(before);
  store.dispatch({ type: "connection", connection: { state: "lost", reason: "test" } });
  stage.keyboard.press("q");
  await done;
  expect(stage.terminal.listenerCount("resize")).toBe(0);
});
