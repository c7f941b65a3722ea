import { afterEach, beforeEach, test, vi } from "vitest";
import { renderDashboard } from "../../../components/app/render-dashboard.tsx";
import { VIEWS } from "../../../src/store/views/view-name.ts";
import type { RunBuilder } from "../../store/run-builder.ts";
import { crowd, hostile, plumbing, plumbingEnded } from "../../store/scenes.ts";
import { mount } from "../mount.tsx";
import { cellsOf } from "../screen/cells.ts";
import { Stage, storeOf, until } from "../stage.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const CAPABILITIES = { colours: "16", background: "unknown", glyphs: "unicode", links: false, hasScreenReader: false } as const;

/** The dashboard as it ships, with prepared lines, beside the same as Ink alone draws it. */
async function pair(run: RunBuilder, columns: number, rows: number) {
  vi.setSystemTime(run.now);
  const stage = new Stage(columns, rows);
  const { store, feed } = storeOf(run);
  const { promise: drawn, resolve } = Promise.withResolvers<void>();
  const { keyboard: stdin, terminal: stdout } = stage;
  const done = renderDashboard({ store, stdin, stdout, capabilities: CAPABILITIES, onDrawn: () => resolve() });
  await drawn;
  const plain = await mount(run, columns, rows);
  let written = 0;
  return {
    do(act: (m: { readonly store: typeof store; readonly feed: typeof feed }) => void): void {
      const before = plain.store.getState();
      act({ store, feed });
      act(plain);
      written = plain.store.getState() === before ? 0 : plain.stage.terminal.raw.length;
    },
    /** Waits until both show the same, after whatever has changed. */
    async agree(what: string): Promise<void> {
      const cells = async () =>
        [await cellsOf(await stdout.screen()), await cellsOf(await plain.stage.terminal.screen())] as const;
      const same = async () => {
        const [ours, theirs] = await cells();
        return plain.stage.terminal.raw.length > written && ours.every((cell, i) => cell === theirs[i]);
      };
      await until(same, async () => `${what}\n${await stdout.text()}\nbeside\n${await plain.stage.terminal.text()}`);
    },
    async [Symbol.asyncDispose]() {
      await plain[Symbol.asyncDispose]();
      stdin.end();
      await done;
    },
  };
}

const SCENES = {
  plumbing,
  "plumbing, done": () => plumbingEnded("done"),
  "crowd of 500": () => crowd({ tickets: 500, workers: 64 }),
  hostile,
};

test.each(Object.entries(SCENES))("%s: every view shows what Ink alone shows", { timeout: 60_000 }, async (_, scene) => {
  for (const [columns, rows] of [
    [60, 15],
    [120, 30],
    [200, 80],
  ] as const) {
    await using m = await pair(scene(), columns, rows);
    for (const view of VIEWS) {
      m.do(({ store }) => store.dispatch({ type: "view", view }));
      await m.agree(`${view} at ${columns}×${rows}`);
    }
  }
});

test("what stands in front of lines covers them, and gives them back", { timeout: 60_000 }, async () => {
  const run = crowd({ tickets: 40, workers: 8 });
  for (const [columns, rows] of [
    [80, 24],
    [160, 50],
  ] as const) {
    await using m = await pair(run, columns, rows);
    for (const modal of [{ kind: "help", filter: "" }, { kind: "leave" }, { kind: "heal" }] as const) {
      m.do(({ store }) => store.dispatch({ type: "open", modal }));
      await m.agree(`${modal.kind} at ${columns}×${rows}`);
      m.do(({ store }) => store.dispatch({ type: "close" }));
      await m.agree(`without ${modal.kind} at ${columns}×${rows}`);
    }
  }
});

test("what agents print is drawn where it was, and a second later too", async () => {
  const run = crowd({ tickets: 40, workers: 8 });
  await using m = await pair(run, 160, 50);
  for (let i = 0; i < 5; i += 1) {
    const since = run.events.length;
    run.wait(1).of("CORE-4", { type: "activity", text: `line ${i} of the log`, lines: 1 });
    vi.setSystemTime(run.now);
    m.do(({ store, feed }) => {
      for (const event of run.events.slice(since)) feed.take({ kind: "event", event });
      feed.flush();
      store.tick(run.now);
    });
    await m.agree(`line ${i}`);
  }
});
