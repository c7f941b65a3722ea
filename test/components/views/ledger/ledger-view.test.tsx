import { beforeAll, describe, expect, test } from "vitest";
import type { EarlierRun } from "../../../../src/domain/results/trend.ts";
import type { RunId } from "../../../../src/domain/values/ids.ts";
import { earlierRuns } from "../../../report/pages.ts";
import type { RunBuilder } from "../../../store/run-builder.ts";
import { claimsEnded, plumbing, plumbingEnded } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { checkedScreen, SIZES } from "../../shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

async function mounted(run: RunBuilder, [columns, rows]: readonly [number, number], earlier?: readonly EarlierRun[]) {
  const m = await mount(run, columns, rows);
  if (earlier !== undefined) m.store.setState({ earlier: { run: run.state.run, runs: earlier } });
  return m;
}

const snapshot = (name: string): string => `./__snapshots__/${name}.txt`;

describe("the ledger", () => {
  test.each(SIZES)("of a finished run beside earlier ones at %i×%i", async (columns, rows) => {
    await using m = await mounted(plumbingEnded(), [columns, rows], earlierRuns());
    await m.stage.press("6", "THIS RUN");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`ledger-done-${columns}x${rows}`));
  });

  test.each(SIZES)("of a run that goes on at %i×%i", async (columns, rows) => {
    await using m = await mounted(plumbing(), [columns, rows], earlierRuns());
    await m.stage.press("6", "SO FAR");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`ledger-live-${columns}x${rows}`));
  });

  test("does not cut a name if there is room for it", async () => {
    const run = plumbingEnded();
    run.play({ type: "intervention", class: "I6", target: "T-7", note: "raised" });
    await using m = await mounted(run, [160, 50], earlierRuns());
    await m.stage.press("6", "THIS RUN");
    expect(await m.stage.terminal.text()).toContain("raised a cap or allowed what was denied");
  });

  test("scrolls to the end, and its head stays where it is", async () => {
    await using m = await mounted(plumbingEnded(), [80, 24], earlierRuns());
    await m.stage.press("6", "THIS RUN");
    await m.stage.press("G", "heals");
    const text = await checkedScreen(m, 80, 24);
    expect(text).toContain("THIS RUN");
    expect(text).toContain("above");
    await expect(text).toMatchFileSnapshot(snapshot("ledger-end-80x24"));
  });

  test("a run without earlier ones says so, and one that is not read yet says that", async () => {
    await using m = await mounted(claimsEnded(), [100, 60]);
    await m.stage.press("6", "earlier runs: not read yet");
    m.store.setState({ earlier: { run: claimsEnded().state.run, runs: [] } });
    await m.stage.shows("this is the first run of its batch file");
    m.store.setState({ earlier: { run: claimsEnded().state.run, runs: [], problem: "the disk\u001b[2J is full" } });
    await m.stage.shows("earlier runs cannot be read: the disk is full");
  });

  test("earlier runs of another run are not shown", async () => {
    await using m = await mount(plumbingEnded(), 120, 30);
    m.store.setState({ earlier: { run: "another-run" as RunId, runs: earlierRuns() } });
    await m.stage.press("6", "THIS RUN");
    expect(await m.stage.terminal.text()).not.toContain("05-03 12:00");
  });

  test("a line of a worker's log draws nothing here", async () => {
    const run = plumbing();
    await using m = await mounted(run, [120, 30], earlierRuns());
    await m.stage.press("6", "SO FAR");
    const say = (text: string): void => {
      run.of("T-7", { type: "activity", text, lines: 1 });
      m.tell();
      m.feed.flush();
    };
    // The first one moves the run's clock on, which is a number here.
    say("a line");
    await m.stage.shows("45:27 ");
    const before = m.stage.drawn.get("ledger");
    for (let i = 0; i < 50; i++) say(`line ${i}`);
    await m.stage.press("?", "╭─ Keys");
    expect(m.stage.drawn.get("ledger")).toBe(before);
  });
});

describe("the summary beside earlier runs", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
    await using m = await mounted(plumbingEnded(), [columns, rows], earlierRuns());
    await m.stage.press("G", "LAST RUNS");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(snapshot(`summary-trend-${columns}x${rows}`));
  });
});
