import { beforeAll, describe, expect, test } from "vitest";
import { KEYMAP } from "../../../../src/store/keymap/keymap.ts";
import { rebind } from "../../../../src/store/keymap/rebind.ts";
import { crowd, plumbing, plumbingEnded } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { checkedScreen, SIZES, type Steps, shot } from "../../shot.ts";
import { branches } from "./branches.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const GRAPH: Steps = [["3", "3 GRAPH"]];
const file = (name: string) => `./__snapshots__/graph-${name}.txt`;

describe("the graph", () => {
  test.each(SIZES)("of branches that part and meet, with one selected, at %i×%i", async (columns, rows) => {
    const text = await shot(branches(), [columns, rows], [...GRAPH, ["jj", "▌✔ P-1"], ["ww", "waits for"]]);
    await expect(text).toMatchFileSnapshot(file(`branches-${columns}x${rows}`));
  });

  test.each(SIZES)("of independent work with a few waits at %i×%i", async (columns, rows) => {
    const text = await shot(plumbing(), [columns, rows], [...GRAPH, ["j", "▌✔ T-1"], ["jjjj", "▌! T-5"]]);
    await expect(text).toMatchFileSnapshot(file(`plumbing-${columns}x${rows}`));
  });

  test.each(SIZES)(
    "of 500 tickets at %i×%i: marks in the place of lines, and all that is out of sight is counted",
    async (columns, rows) => {
      const text = await shot(crowd({ tickets: 500, workers: 64 }), [columns, rows], [...GRAPH, ["j", "▌"], ["w", "▌· CORE-12"]]);
      await expect(text).toMatchFileSnapshot(file(`crowd-${columns}x${rows}`));
      const shown = text.split("SELECTED")[0]?.match(/CORE-\d+[ ★]+change/g)?.length ?? 0;
      const below = Number(/\+(\d+) more below/.exec(text)?.[1] ?? 0);
      const beyond = Number(/◂ (\d+) in/.exec(text)?.[1] ?? 0);
      expect(shown + below + beyond).toBe(500);
      expect(text).toMatch(/<▶ CORE-4 /);
    },
  );

  test("of one ticket, and of a run that has ended", async () => {
    await expect(await shot(crowd({ tickets: 1, workers: 1 }), [60, 15], GRAPH)).toMatchFileSnapshot(file("one-60x15"));
    await expect(await shot(plumbingEnded("done"), [120, 30], GRAPH)).toMatchFileSnapshot(file("ended-120x30"));
  });

  test("fills the largest terminal", async () => {
    expect(await shot(crowd({ tickets: 110, workers: 8 }), [300, 80], GRAPH)).toContain("layer 2 of 2");
  });

  test("where nothing is selected it names the keys that select, as they are bound", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("3", "j/k select within a layer, b/w to another");
    const keys = rebind(KEYMAP, { "layer-down": ["m"], "layer-left": [], "layer-right": [] });
    if (!keys.ok) throw new Error("these keys can be bound");
    m.store.setState({ keymap: keys.keymap });
    await m.stage.shows(" m/k select within a layer");
    await m.stage.hides("to another");
  });

  test("before there is a run it says so", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("3", "3 GRAPH");
    m.store.setState(({ run: _, ...rest }) => rest, true);
    await m.stage.shows("connecting: nothing is known of the run yet");
    await checkedScreen(m, 80, 24);
  });
});

describe("in the graph", () => {
  test("a walk goes along what hangs together, its lines and neighbours are marked, and enter opens the ticket", async () => {
    await using m = await mount(branches(), 120, 30);
    await m.stage.press("3", "3 GRAPH");
    await m.stage.press("jj", "▌✔ P-1");
    await m.stage.press("w", "<✔ P-1");
    await m.stage.press("\u001b[C", "▌▶ P-5");
    await m.stage.press("j", "waits for       ▶ P-2  ✔ P-3");
    expect(m.store.getState().ui.selected).toBe("P-4");
    await m.stage.shows("waiting for it  · P-6");
    await m.stage.press("\u001b[D", "▌");
    expect(m.store.getState().ui.selected).toMatch(/^P-[23]$/);
    await m.stage.press("\r", "2 TICKET");
  });

  test("l leaves only the lines of the selected ticket", async () => {
    await using m = await mount(branches(), 160, 30);
    await m.stage.press("3", "3 GRAPH");
    const arrows = async () => (await m.stage.terminal.text()).split("▸").length - 1;
    await m.stage.press("jj", "▌✔ P-1");
    const all = await arrows();
    await m.stage.press("l", "l all lines");
    const few = await arrows();
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThan(all);
    await m.stage.press("l", "l fewer lines");
    expect(await arrows()).toBe(all);
  });

  test("the selection is the one of all views", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jjj", "▌▶ T-6");
    await m.stage.press("3", "▌▶ T-6");
    await m.stage.shows(">· T-9");
  });

  test("what an agent prints draws nothing here; what changes how a ticket stands draws its row", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    await m.stage.press("3", "3 GRAPH");
    m.stage.drawn.clear();
    run.of("T-7", { type: "activity", text: "compiling the queue", lines: 1 });
    m.tell();
    m.feed.flush();
    run.claims("T-7");
    m.tell();
    m.feed.flush();
    await m.stage.shows("» T-7");
    const rows = [...m.stage.drawn].filter(([view]) => view.startsWith("graph"));
    expect(rows).toEqual([["graph row 6", 1]]);
  });
});
