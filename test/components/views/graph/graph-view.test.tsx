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
    const text = await shot(branches(), [columns, rows], [...GRAPH, ["j", "▌"], ["j", "waits for P-1"]]);
    await expect(text).toMatchFileSnapshot(file(`branches-${columns}x${rows}`));
  });

  test.each(SIZES)("of independent work with a few waits at %i×%i", async (columns, rows) => {
    const text = await shot(plumbing(), [columns, rows], [...GRAPH, ["jjjjj", "▌"]]);
    await expect(text).toMatchFileSnapshot(file(`plumbing-${columns}x${rows}`));
  });

  test.each(SIZES)("of 500 tickets at %i×%i: all that is out of sight is counted", async (columns, rows) => {
    const text = await shot(crowd({ tickets: 500, workers: 64 }), [columns, rows], [...GRAPH, ["jj", "▌"]]);
    await expect(text).toMatchFileSnapshot(file(`crowd-${columns}x${rows}`));
    const shown = text.match(/CORE-\d+[ ★]+change/g)?.length ?? 0;
    expect(shown + Number(/\+(\d+) more below/.exec(text)?.[1] ?? 0)).toBe(500);
  });

  test("of one ticket, and of a run that has ended", async () => {
    await expect(await shot(crowd({ tickets: 1, workers: 1 }), [60, 15], GRAPH)).toMatchFileSnapshot(file("one-60x15"));
    await expect(await shot(plumbingEnded("done"), [120, 30], GRAPH)).toMatchFileSnapshot(file("ended-120x30"));
  });

  test("never hides what needs a person, wherever it stands", async () => {
    const run = crowd({ tickets: 200, workers: 4 }).gates("CORE-150", "sign it");
    await using m = await mount(run, 80, 24);
    await m.stage.press("3", "! CORE-150");
    await m.stage.press("jjj", "! CORE-150");
    await m.stage.shows("sign it");
    expect(await checkedScreen(m, 80, 24)).toContain("CORE-1 ");
  });

  test("where nothing is selected it names the keys that select, as they are bound", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("3", "j/k select, b/w follow the branches");
    const keys = rebind(KEYMAP, { "select-next": ["e"], "select-previous": [], "layer-left": [], "layer-right": [] });
    if (!keys.ok) throw new Error("these keys can be bound");
    m.store.setState({ keymap: keys.keymap });
    await m.stage.shows(" e select");
    await m.stage.hides("follow the branches");
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
  test("keys walk down the rows and along the branches, what hangs together is marked, and enter opens the ticket", async () => {
    await using m = await mount(branches(), 120, 30);
    await m.stage.press("3", "3 GRAPH");
    await m.stage.press("j", "waiting for it: P-2 P-3");
    expect(m.store.getState().ui.selected).toBe("P-1");
    await m.stage.shows(">├─      ▶ P-2");
    await m.stage.press("\u001b[C", "waits for P-1");
    await m.stage.shows("<        ✔ P-1");
    await m.stage.press("w", "waiting for it: P-6");
    expect(m.store.getState().ui.selected).toBe("P-4");
    await m.stage.press("\u001b[D", "waiting for it: P-4");
    expect(m.store.getState().ui.selected).toMatch(/^P-[23]$/);
    await m.stage.press("\r", "2 TICKET");
  });

  test("l hides what is done, counts it, and shows it again", async () => {
    await using m = await mount(branches(), 160, 30);
    await m.stage.press("3", "✔ P-1");
    await m.stage.press("l", "2 done, hidden");
    await m.stage.hides("✔ P-1");
    await m.stage.shows("l all tickets");
    await m.stage.press("l", "✔ P-1");
    await m.stage.hides("hidden");
  });

  test("the selection is the one of all views", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("jjj", "▌▶ T-6");
    await m.stage.press("3", "waiting for it: T-9");
    expect(await m.stage.terminal.text()).toMatch(/▌.*T-6/);
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
    expect(rows).toEqual([["graph row T-7", 1]]);
  });
});
