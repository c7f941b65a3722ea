import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { runDetailLines } from "../../../../components/views/runs/run-details.ts";
import { RunId } from "../../../../src/domain/values/ids.ts";
import type { ListedRun } from "../../../../src/store/run-list.ts";
import { START } from "../../../store/run-builder.ts";
import { plumbing } from "../../../store/scenes.ts";
import { type Mounted, mount } from "../../mount.tsx";
import { checkedScreen, SIZES } from "../../shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const HOUR = 3_600_000;

function listed(run: string, over: Partial<ListedRun> = {}): ListedRun {
  const standing = over.standing ?? "ended";
  const times = standing === "ended" ? { endedAt: START - 20 * HOUR, verdict: "done" as const } : {};
  return {
    run: RunId.parse(run),
    name: run,
    batchPath: `/work/${run}.json`,
    standing,
    startedAt: START - 23 * HOUR,
    ...times,
    ...over,
  };
}

const RUNS: readonly ListedRun[] = [
  listed("plumbing-20260504-k3f9", {
    name: "plumbing",
    standing: "at-work",
    startedAt: START,
    batchPath: "/work/batch.json",
    tally: { done: 3, gated: 1, open: 7, interventions: 1 },
  }),
  listed("night-20260504-0a1b", { name: "night shift", standing: "at-work", startedAt: START - 5 * HOUR }),
  listed("zones-20260503-77aa", { standing: "engine-gone", tally: { done: 12, gated: 0, open: 31, interventions: 0 } }),
  listed("zones-20260503-11bb", { standing: "stopped", tally: { done: 2, gated: 0, open: 41, interventions: 3 } }),
  listed("wide-20260502-2c2c", {
    name: "配管の作業 ‮abc \u001b[31mred",
    batchPath: "/a/very/long/path/to/a/folder/of/folders/with/a/batch/in/it/batch.json",
    tally: { done: 500, gated: 12, open: 0, interventions: 100 },
  }),
  listed("half-20260501-3d3d", { verdict: "not-done", tally: { done: 9, gated: 1, open: 1, interventions: 2 } }),
  listed("dark-20260430-4e4e", { verdict: "unjudged", tally: { done: 9, gated: 1, open: 1, interventions: 2 } }),
  ...Array.from({ length: 30 }, (_, i) => listed(`old-${i}`, { startedAt: START - (48 + i) * HOUR })),
];

/** The view with these runs in it. */
async function runsView(columns: number, rows: number, runList: readonly ListedRun[] | "none" = RUNS): Promise<Mounted> {
  const m = await mount(plumbing(), columns, rows);
  m.store.dispatch({ type: "view", view: "runs" });
  if (runList !== "none") m.store.setState({ runList });
  await m.stage.shows("RUNS");
  return m;
}

describe("what is told of the selected run", () => {
  const told = (width: number, key = "enter", run = RUNS[4] as ListedRun) =>
    runDetailLines(run, { shown: false, key, width }).map((line) => line.map(({ text }) => text).join(""));

  test("never goes without a mark where there is no room for it, and the counts give way first", () => {
    const path = `/home/someone/${"a folder of a long name/".repeat(8)}batch.json`;
    const run = listed("gone-1", {
      standing: "engine-gone",
      batchPath: path,
      tally: { done: 5, gated: 1, open: 3, interventions: 2 },
    });
    for (let width = 60; width < 300; width++) {
      const [head = "", ...rest] = told(width, "enter", run);
      expect(rest.length).toBeLessThanOrEqual(2);
      for (const line of [head, ...rest]) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(rest.join(" ").includes("batch.json") || rest.at(-1)?.endsWith("…"), `${width}`).toBe(true);
      expect(head).toMatch(/ {2}(5 done · 1 gated · 3 open( · 2 interventions)?|5 of 9)$/);
    }
  });

  test("names the key that shows it as it is bound, or none", () => {
    expect(told(100)[1]).toBe("   enter shows it here. To play it again: loopdash replay wide-20260502-2c2c");
    expect(told(100, "S")[1]).toContain("S shows it here.");
    expect(told(100, "")[1]).toContain("It is not shown here.");
  });
});

describe("the runs view", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
    await using m = await runsView(columns, rows);
    await m.stage.shows(columns < 80 ? "plumbing ◂" : "plumbing (here)");
    const text = await checkedScreen(m, columns, rows);
    await expect(text).toMatchFileSnapshot(`../__snapshots__/runs-${columns}x${rows}.txt`);
    if (rows < 50) expect(text).toMatch(/\+\d+ more/);
  });

  test("says of each run how it stands, and of the selected one how to go on", async () => {
    await using m = await runsView(120, 30);
    await m.stage.press(
      "jj",
      "Its engine is gone, and nothing was judged. To continue it: loopdash /work/zones-20260503-77aa.json",
    );
    await m.stage.press("j", "It was stopped, and nobody works on it. To continue it: loopdash");
    await m.stage.press("j", "500 done · 12 gated · 0 open · 100 interventions");
    await m.stage.press("kkkk", "It is the run that is shown here.");
    await m.stage.press("G", " above");
    await m.stage.hides("plumbing (here)");
  });

  test("keeps the selection on its run when the list changes under it", async () => {
    await using m = await runsView(120, 30);
    await m.stage.press("jj", "Its engine is gone");
    m.store.setState({ runList: [listed("new-1", { standing: "at-work" }), ...RUNS] });
    await m.stage.shows("new-1");
    expect((await m.stage.terminal.lines()).find((line) => line.startsWith("▌"))).toContain("zones-20260503-77aa");
  });

  test("shows what is not known as unknown, and no list as none", async () => {
    await using m = await runsView(120, 30, [listed("a-1", { standing: "engine-gone" })]);
    await m.stage.shows("how far it is was not counted");
    expect((await m.stage.terminal.lines()).find((line) => line.includes("▌"))).toMatch(/\? +\? +\? +\? +\? +\/work/);
    await using none = await runsView(80, 24, "none");
    await none.stage.shows("looking for runs…");
  });

  test("enter switches to the selected run", async () => {
    await using m = await runsView(120, 30);
    await m.stage.press("jj", "Its engine is gone");
    m.stage.keyboard.press("\r");
    await expect.poll(() => m.stage.switched).toEqual(["zones-20260503-77aa"]);
  });

  test("a line of an agent draws no row of it", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    m.store.dispatch({ type: "view", view: "runs" });
    m.store.setState({ runList: RUNS });
    await m.stage.shows("night shift");
    m.stage.drawn.clear();
    run.of("T-7", { type: "activity", text: "more", lines: 1 });
    m.tell();
    m.feed.flush();
    m.store.setState({ runList: [{ ...RUNS[0], name: "renamed" } as ListedRun, ...RUNS.slice(1)] });
    await m.stage.shows("renamed");
    expect([...m.stage.drawn.keys()].filter((view) => view.startsWith("run "))).toEqual(["run plumbing-20260504-k3f9"]);
  });
});
