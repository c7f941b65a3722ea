import { beforeAll, describe, expect, test } from "vitest";
import type { Playback } from "../../src/store/playback.ts";
import { replayOf } from "../store/replays.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { plumbing, plumbingEnded } from "../store/scenes.ts";
import { drawn } from "./mount.tsx";
import { checkedScreen, SIZES } from "./shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

/** A replay on a terminal, until it shows `text`. */
async function screen(run: RunBuilder, columns: number, rows: number, over: Partial<Playback>, text: string): Promise<string> {
  await using m = await drawn(replayOf(run, over).store, columns, rows);
  await m.stage.shows(text);
  return await checkedScreen(m, columns, rows);
}

describe("a replay on the screen", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
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
    const { store } = replayOf(plumbing());
    const { run: _, playback: __, ...rest } = store.getState();
    store.setState({ ...rest, ui: { ...rest.ui, connection: { state: "reading", rows: 45_000, total: 200_000 } } }, true);
    await using m = await drawn(store, 60, 15);
    await m.stage.shows("reading the journal: 45,000 of 200,000 events");
    expect(await checkedScreen(m, 60, 15)).toMatch(/^ ◌ READING/);
  });
});
