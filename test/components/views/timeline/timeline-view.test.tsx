import { beforeAll, describe, expect, test } from "vitest";
import { KEYMAP } from "../../../../src/store/keymap/keymap.ts";
import { rebind } from "../../../../src/store/keymap/rebind.ts";
import { batchOf, RunBuilder } from "../../../store/run-builder.ts";
import { crowd, finishCrowd, finishLine, plumbing, plumbingEnded } from "../../../store/scenes.ts";
import { mount } from "../../mount.tsx";
import { checkedScreen, SIZES, type Steps, shot } from "../../shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const TIMELINE: Steps = [["4", "4 TIMELINE"]];
const file = (name: string) => `./__snapshots__/timeline-${name}.txt`;

/** Every way in which a try can end, in one slot after the other; then many short ones. */
function endings(): RunBuilder {
  const ids = ["A", "B", "C", "D", "E", "F", "G", "H"];
  const limits = { workers: 2, attempts: 20 };
  const run = new RunBuilder(batchOf({ tickets: ids.map((id) => ({ id, title: `ticket ${id}` })), name: "ends", limits }));
  run.ships("A", 300).fails("B", "2 of 9 fail").wait(20);
  run.working("C").wait(200).of("C", { type: "kill-requested", ending: "killed-by-person" });
  run.of("C", { type: "agent-ended", ending: "killed-by-person", exitCode: null, signal: "SIGTERM", costUsd: 0.1 });
  run.of("C", { type: "attempt-ended", outcome: "killed" });
  run.working("D").wait(250).of("D", { type: "agent-ended", ending: "stopped", exitCode: null, signal: "SIGTERM", costUsd: 0 });
  run.of("D", { type: "attempt-ended", outcome: "stopped" });
  run.wall("E", "the registrar wants a person", "ask the registrar");
  run.claims("E").step("E", 2).wait(60).lands("E", "0dd5ea1", 2, "gated");
  for (let i = 0; i < 6; i++) {
    run.working("F").wait(2).of("F", { type: "agent-ended", ending: "exited", exitCode: 1, signal: null, costUsd: 0 });
    run.of("F", { type: "attempt-ended", outcome: "failed" });
  }
  return run.working("G").wait(100).claims("G").step("G", 1).working("H").wait(45);
}

describe("the timeline", () => {
  test.each(SIZES)("of a run at work, with one ticket lit, at %i×%i", async (columns, rows) => {
    const text = await shot(plumbing(), [columns, rows], [...TIMELINE, ["jjjjjj", "T-6 attempt 2"]]);
    await expect(text).toMatchFileSnapshot(file(`plumbing-${columns}x${rows}`));
  });

  test.each(SIZES)("of all ways in which a try ends, at %i×%i", async (columns, rows) => {
    const text = await shot(endings(), [columns, rows], TIMELINE);
    await expect(text).toMatchFileSnapshot(file(`endings-${columns}x${rows}`));
  });

  test.each(SIZES)("of many tickets at %i×%i: those out of sight are counted", async (columns, rows) => {
    const text = await shot(finishCrowd(), [columns, rows], TIMELINE);
    await expect(text).toMatchFileSnapshot(file(`crowd-${columns}x${rows}`));
    const shown = text.match(/^[ ▌]\S CORE-\d+/gm)?.length ?? 0;
    expect(shown + Number(/\+(\d+) more below/.exec(text)?.[1])).toBe(finishCrowd().state.plan.tickets.length);
  });

  test("the keys of attempts walk over those of the selected ticket, and enter opens the chosen one", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("4", "4 TIMELINE");
    await m.stage.press("jjjjjj", "T-6 attempt 2  at work");
    await m.stage.press("[", "T-6 attempt 1  failed");
    await m.stage.hides("T-6 attempt 2  at work");
    await m.stage.press("\r", "attempt 1   »");
  });

  test("never hides what needs a person, and says it first", async () => {
    const run = crowd({ tickets: 200, workers: 4 }).gates("CORE-150", "sign the contract").wait(60);
    const text = await shot(run, [120, 30], TIMELINE);
    expect(text).toMatch(/! CORE-150 .*!╌+ +sign the contract/);
    expect(text).toContain("CORE-1 ");
  });

  test.each([80, 120, 160])("takes more than nine tenths of %i columns, once something was tried", async (columns) => {
    const lines = (await shot(endings(), [columns, 30], TIMELINE)).split("\n");
    expect(Math.max(...lines.slice(4, -5).map((line) => line.trimEnd().length))).toBeGreaterThan(columns * 0.75);
    expect(lines[3]).toMatch(/now▼/);
  });

  test("of a run whose finish lines take long, and of one that has ended", async () => {
    await expect(await shot(finishLine(), [120, 30], TIMELINE)).toMatchFileSnapshot(file("finishing-120x30"));
    const ended = await shot(plumbingEnded("done"), [120, 30], TIMELINE);
    await expect(ended).toMatchFileSnapshot(file("ended-120x30"));
  });

  test("a try whose change waits for an approval is not cut off", async () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
    const change = { commit: "c".repeat(40), base: "a".repeat(40), change: "d", zones: ["pay/"], files: 1 };
    run.working("A").wait(200).claims("A").step("A", 1).wait(60);
    run.of("A", { type: "approval-awaited", ...change }, { type: "attempt-ended", outcome: "stopped" });
    const text = await shot(run, [120, 30], [...TIMELINE, ["j", "A attempt 1"]]);
    expect(text).toMatch(/! A attempt 1 {2}waits for approval/);
    expect(text).toMatch(/^▌! A .*━+░+!/m);
    expect(text.replace(/.*not live yet.*/g, "")).not.toContain("cut off");
  });

  test("where nothing is selected it names the key that selects, as it is bound", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("4", "j/k select a ticket");
    const keys = rebind(KEYMAP, { "select-next": ["e"], "select-previous": [] });
    if (!keys.ok) throw new Error("these keys can be bound");
    m.store.setState({ keymap: keys.keymap });
    await m.stage.shows(" e select a ticket");
  });

  test("where nothing was tried, and before there is a run", async () => {
    expect(await shot(crowd({ tickets: 3, workers: 1, busy: 0 }), [60, 15], [...TIMELINE, ["j", "was not tried yet"]])).toContain(
      "now▼",
    );
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("4", "4 TIMELINE");
    m.store.setState(({ run: _, ...rest }) => rest, true);
    await m.stage.shows("connecting: nothing is known of the run yet");
    await checkedScreen(m, 80, 24);
  });
});

describe("in the timeline", () => {
  test("z comes nearer and Z goes away, arrows move, end and f lead back", async () => {
    await using m = await mount(plumbing(), 120, 30);
    await m.stage.press("4", "now▼");
    m.stage.keyboard.press("\u001b[D");
    await m.stage.shows("all of the run is in sight");
    await m.stage.press("z", "zoom 2×");
    await m.stage.press("zz", "zoom 8×");
    await m.stage.shows("now▼");
    m.stage.keyboard.press("\u001b[D\u001b[D");
    await m.stage.hides("now▼");
    await m.stage.press("\u001b[F", "now▼");
    m.stage.keyboard.press("\u001b[H");
    await m.stage.hides("now▼");
    m.stage.keyboard.press("f");
    await m.stage.hides("zoom 8×");
    await m.stage.shows("now▼");
    await m.stage.press("z", "zoom 2×");
    m.stage.keyboard.press("Z");
    await m.stage.hides("zoom 2×");
  });

  test("a second that no column shows draws nothing; the next column does", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    await m.stage.press("4", "now▼");
    m.stage.drawn.clear();
    run.wait(1);
    m.store.tick(run.now);
    await m.stage.shows("00:45:28");
    expect(m.stage.drawn.size).toBe(0);
    run.wait(90);
    m.store.tick(run.now);
    await m.stage.shows("00:46:58");
    expect(m.stage.drawn.get("timeline row 6")).toBe(1);
  });

  test("what an agent prints draws nothing here", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    await m.stage.press("4", "now▼");
    m.stage.drawn.clear();
    run.of("T-7", { type: "activity", text: "compiling", lines: 1 });
    m.tell();
    m.feed.flush();
    m.store.dispatch({ type: "toast", toast: { text: "drawn again", tone: "plain", until: run.now + 1_000 } });
    await m.stage.shows("drawn again");
    expect([...m.stage.drawn.keys()].filter((view) => /timeline/.test(view))).toEqual([]);
  });

  test("the selected ticket is in sight, and l hides what is done", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("4", "✔ T-1 ");
    await m.stage.press("l", "3 done, hidden");
    await m.stage.hides("✔ T-1 ");
    await using crowded = await mount(finishCrowd(), 80, 24);
    await crowded.stage.press("4", "more below");
    const { store, stage } = crowded;
    store.dispatch({ type: "select", ticket: store.getState().run?.plan.tickets.at(-1)?.id ?? never() });
    await stage.shows("above");
    await stage.shows("▌");
  });
});

function never(): never {
  throw new Error("there is no ticket");
}
