import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderDashboard } from "../../components/app/render-dashboard.tsx";
import { toAscii } from "../../components/kit/ascii.ts";
import { textWidth } from "../../components/kit/fit.ts";
import { VIEWS } from "../../src/store/views/view-name.ts";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import { claims, crowd, finishCrowd, finishLine, hostile, plumbing, plumbingEnded } from "../store/scenes.ts";
import { Stage, storeOf, until } from "./stage.ts";

/** Titles and words that are read from right to left, that are wide, or that are more than their characters. */
function languages(): RunBuilder {
  const titles = [
    "לסובב את מפתחות החתימה (11) כל שבוע",
    "تدوير مفاتيح التوقيع كل أسبوع 42",
    "署名鍵を毎週ローテーションする",
    "서명 키를 매주 교체한다",
    "ลงนามกุญแจทุกสัปดาห์",
    "हस्ताक्षर कुंजी हर सप्ताह",
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽 emoji",
    "e\u0301a\u0300o\u0308 ȩ́ combining",
    "abc אבג \u202e xyz \u2066 def",
  ];
  const run = new RunBuilder(
    batchOf({ name: "languages", tickets: titles.map((title, i) => ({ id: `T-${i + 1}`, title })), limits: { workers: 4 } }),
  );
  for (const [i, title] of titles.slice(0, 4).entries()) run.working(`T-${i + 1}`, `${title} ${title}`);
  return run
    .gates("T-5", titles[0] ?? "")
    .gates("T-6", titles[3] ?? "")
    .wait(7);
}

const SCENES = {
  plumbing,
  "plumbing, done": () => plumbingEnded("done"),
  "plumbing, not done": () => plumbingEnded("not-done"),
  claims,
  "finish line": finishLine,
  "finish crowd": finishCrowd,
  "crowd of 500": () => crowd({ tickets: 500, workers: 64 }),
  "no ticket at work": () => crowd({ tickets: 1, workers: 1, busy: 0 }),
  hostile,
  languages,
};
const SIZES = [
  [60, 15],
  [80, 24],
  [120, 30],
  [300, 80],
] as const;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const CAPABILITIES = { colours: "16", background: "unknown", glyphs: "unicode", links: false, hasScreenReader: false } as const;

function open(
  run: RunBuilder,
  [columns, rows]: readonly [number, number],
  capabilities: Parameters<typeof renderDashboard>[0]["capabilities"],
) {
  vi.setSystemTime(run.now);
  const stage = new Stage(columns, rows);
  const { store } = storeOf(run);
  const { promise: drawn, resolve } = Promise.withResolvers<void>();
  const { keyboard: stdin, terminal: stdout } = stage;
  const done = renderDashboard({ store, stdin, stdout, capabilities, onDrawn: () => resolve() });
  const close = async (): Promise<void> => {
    stage.keyboard.end();
    await done;
  };
  return { stage, store, drawn, [Symbol.asyncDispose]: close };
}

/** Waits for a whole frame of the terminal's size: the footer on the last line, a top line, no line over the edge. */
async function settled(
  { stage, store }: Pick<ReturnType<typeof open>, "stage" | "store">,
  what: string,
): Promise<readonly string[]> {
  const { terminal } = stage;
  const view = store.getState().ui.view;
  const ended = store.getState().run?.end !== undefined;
  const isWhole = async (): Promise<boolean> => {
    const lines = await terminal.lines();
    const tab = view === "overview" ? ended || lines.some((l) => /^─ /.test(l)) : lines[2]?.includes(view.toUpperCase()) === true;
    const full = view === "overview" && ended ? true : textWidth(lines[2] ?? "") === terminal.columns;
    // What a larger frame left may end within a wide character.
    const fits = lines.every((line) => textWidth(line) <= terminal.columns);
    return tab && full && fits && lines.at(-1) !== "";
  };
  await until(isWhole, async () => `${what}, overruns ${JSON.stringify(await terminal.overruns())}\n${await terminal.text()}`);
  const lines = await terminal.lines();
  expect(await terminal.overruns(), what).toEqual([]);
  return lines;
}

describe.each(Object.entries(SCENES))("%s", (_, scene) => {
  test("every view fills every size of terminal, and nothing more", { timeout: 60_000 }, async () => {
    await using m = open(scene(), [80, 24], CAPABILITIES);
    await m.drawn;
    for (const view of VIEWS) {
      m.store.dispatch({ type: "view", view });
      for (const [columns, rows] of SIZES) {
        // The model fails where it is made smaller with output still to be read.
        await m.stage.terminal.lines();
        m.stage.terminal.resize(columns, rows);
        const what = `${view} at ${columns}×${rows}`;
        const lines = await settled(m, what);
        expect(lines, what).toHaveLength(rows);
        if (columns !== 80) continue;
        const before = m.stage.terminal.scrolls;
        m.stage.keyboard.press("j");
        m.stage.keyboard.press("k");
        await settled(m, what);
        expect(m.stage.terminal.scrolls - before, `${what} scrolled`).toBe(0);
      }
    }
  });

  test("in ASCII it is the same frame, sign by sign", { timeout: 60_000 }, async () => {
    await using m = open(scene(), [120, 30], CAPABILITIES);
    await using ascii = open(scene(), [120, 30], { ...CAPABILITIES, glyphs: "ascii" });
    await Promise.all([m.drawn, ascii.drawn]);
    for (const view of VIEWS) {
      for (const each of [m, ascii]) each.store.dispatch({ type: "view", view });
      const wanted = async () => (await m.stage.terminal.text()).split("\n").map((line) => toAscii(line));
      const got = async () => (await ascii.stage.terminal.text()).split("\n");
      await until(
        async () => (await m.stage.terminal.text()).includes(view.toUpperCase()) || view === "overview",
        () => `${view} in front`,
      );
      await until(
        async () => JSON.stringify(await got()) === JSON.stringify(await wanted()),
        async () => `${view}:\n${(await wanted()).join("\n")}\ngot\n${(await got()).join("\n")}`,
      );
    }
    expect(ascii.stage.terminal.raw).toMatch(/^[\u0000-\u007e]*$/);
  });
});

test("a storm of sizes: the last one is drawn whole, and too small ones say so", async () => {
  await using m = open(crowd({ tickets: 500, workers: 64 }), [80, 24], CAPABILITIES);
  await m.drawn;
  for (let i = 0; i < 80; i++) m.stage.terminal.resize(60 + ((i * 67) % 241), 15 + ((i * 29) % 66));
  m.stage.terminal.resize(59, 14);
  await m.stage.shows("terminal too small (need 60×15)");
  m.stage.terminal.resize(300, 80);
  expect(await settled(m, "after the storm")).toHaveLength(80);
});
