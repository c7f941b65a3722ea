import { render } from "ink";
import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { App } from "../../components/app.tsx";
import type { Playback } from "../../src/store/playback.ts";
import { replayOf } from "../store/replays.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { Stage } from "./stage.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

/** A replay on a terminal, until it shows `text`. */
async function screen(run: RunBuilder, columns: number, rows: number, over: Partial<Playback>, text: string): Promise<string> {
  const stage = new Stage(columns, rows);
  const { store } = replayOf(run, over);
  const instance = render(<App store={store} hands={stage.hands} now={() => 0} />, {
    stdout: stage.terminal,
    stdin: stage.keyboard,
    alternateScreen: true,
    maxFps: 1000,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  } as Parameters<typeof render>[1]);
  await stage.shows(text);
  const lines = await stage.terminal.lines();
  instance.unmount();
  await instance.waitUntilExit();
  for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
  return `${lines.join("\n")}\n`;
}

describe("a replay on the screen", () => {
  test.each([
    [60, 15],
    [80, 24],
    [120, 30],
    [160, 50],
  ] as const)("at %i×%i", async (columns, rows) => {
    const run = plumbing();
    const text = await screen(run, columns, rows, { at: run.now - 600_000, playing: true, speed: 30 }, "30×");
    await expect(text).toMatchFileSnapshot(`./__snapshots__/replay-${columns}x${rows}.txt`);
    expect(text).toMatch(/^ ▷ REPLAY/);
    expect(text.split("\n").at(-2)).toMatch(/^ ▷ .*■.*□.* 30× .*space stop .*q leave/);
  });

  test("at its end it still says replay, not done", async () => {
    const text = await screen(plumbingEnded(), 80, 24, { speed: 1_000 }, "space play");
    expect(text).toMatch(/^ ▷ REPLAY/);
    expect(text.split("\n").at(-2)).toMatch(/^ ‖ .*■{8,} 1000× .*space play · q leave/);
    expect(text.split("\n").at(-2)).not.toContain("□");
  });

  test("before it was read, it tells how far that is", async () => {
    const stage = new Stage(60, 15);
    const { store } = replayOf(plumbing());
    const { run: _, playback: __, ...rest } = store.getState();
    store.setState({ ...rest, ui: { ...rest.ui, connection: { state: "reading", rows: 45_000, of: 200_000 } } }, true);
    const instance = render(<App store={store} hands={stage.hands} now={() => 0} />, {
      stdout: stage.terminal,
      stdin: stage.keyboard,
      patchConsole: false,
      interactive: true,
    } as Parameters<typeof render>[1]);
    await stage.shows("reading the journal: 45,000 of 200,000 events");
    expect(await stage.terminal.text()).toMatch(/^ ◌ READING/);
    instance.unmount();
    await instance.waitUntilExit();
  });
});
