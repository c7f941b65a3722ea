import { describe, expect, test } from "vitest";
import { renderDashboard } from "../../../components/app/render-dashboard.tsx";
import { textWidth } from "../../../components/kit/fit.ts";
import { spokenLines } from "../../../components/screen-reader/lines.ts";
import { claims, crowd, finishLine, hostile, plumbing, plumbingEnded, watchedPlumbing } from "../../store/scenes.ts";
import { Stage, storeOf } from "../stage.ts";

const stateOf = (run: ReturnType<typeof plumbing>) => storeOf(run).store.getState();

test("what matters most comes first, in words", () => {
  const lines = spokenLines(stateOf(plumbing()), 200, 60);
  expect(lines[0]).toBe("plumbing: needs you. 3 of 11 tickets done, 1 left to you, 0 stalled.");
  const order = [
    /^Needs you: T-5, point the registrar/,
    /^The oracle said not done at .*: 3 done, 1 gated, 7 open\.$/,
    /^At work: T-4/,
    /^Waits: T-9.*T-4/,
    /^Keys: /,
  ];
  const at = order.map((pattern) => lines.findIndex((line) => pattern.test(line)));
  expect(at).not.toContain(-1);
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(lines.join("\n")).not.toMatch(/[\u2500-\u25ff]/);
});

test("it stays the same while only time goes by and agents talk", () => {
  const run = plumbing();
  const before = spokenLines(stateOf(run), 80, 40);
  run.wait(30).of("T-7", { type: "activity", text: "still at it", lines: 4 });
  expect(spokenLines(stateOf(run), 80, 40)).toEqual(before);
  expect(spokenLines(stateOf(run.gates("T-10", "unlock")), 80, 40)).not.toEqual(before);
});

describe("the behaviour of agents", () => {
  const lineOf = (run: ReturnType<typeof plumbing>, id: string) =>
    spokenLines(stateOf(run), 300, 60).find((line) => line.startsWith(`At work: ${id}`));

  test("is told by its worst finding", () => {
    const run = watchedPlumbing();
    expect(lineOf(run, "T-6")).toMatch(/: attempt 2, agent, edits without a cause: it edited .*\.$/);
    expect(lineOf(run, "T-7")).toMatch(/: attempt 1, agent\.$/);
  });

  test("is not told if all gates pass, and is unknown if nothing is known", () => {
    const pass = { level: "pass" } as const;
    const signals = { exist: pass, relevance: pass, rootCause: pass, recall: pass, momentum: pass };
    expect(lineOf(plumbing().of("T-7", { type: "signals-changed", signals }), "T-7")).toMatch(/: attempt 1, agent\.$/);
    expect(lineOf(plumbing(), "T-7")).toMatch(/: attempt 1, agent\.$/);
  });

  test("stays after the agent has stopped only if there is a finding", () => {
    expect(lineOf(watchedPlumbing().claims("T-7"), "T-7")).not.toContain("edits");
    expect(lineOf(watchedPlumbing().claims("T-6"), "T-6")).toContain("edits without a cause");
  });
});

test("no scene is longer or wider than it may be, and what is left out is counted", () => {
  for (const scene of [
    plumbing(),
    plumbingEnded("not-done"),
    claims(),
    finishLine(),
    hostile(),
    crowd({ tickets: 500, workers: 64 }),
  ]) {
    for (const [columns, rows] of [
      [60, 13],
      [80, 22],
      [300, 78],
    ] as const) {
      const lines = spokenLines(stateOf(scene), columns, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      if (rows === 13) expect(lines.at(-1)).toMatch(/^and \d+ more lines?$/);
    }
  }
  expect(spokenLines(stateOf(crowd({ tickets: 500, workers: 64 })), 300, 78).join("\n")).toMatch(/^At work: 24 more\.$/m);
});

test("drawn for a screen reader: on the main screen, keys work, dialogs have no frame", async () => {
  const stage = new Stage(80, 40);
  const { store } = storeOf(plumbing());
  const capabilities = {
    colours: "none",
    background: "unknown",
    glyphs: "unicode",
    links: false,
    hasScreenReader: true,
  } as const;
  const done = renderDashboard({ store, stdout: stage.terminal, stdin: stage.keyboard, capabilities });
  await stage.shows("plumbing: needs you.");
  expect(stage.terminal.buffer().type).toBe("normal");
  await stage.press("jj", "Selected: T-7, drop the legacy queue");
  const frames = stage.terminal.raw.split("plumbing: needs you.").length;
  store.tick(Date.now());
  store.tick(Date.now() + 5_000);
  await stage.press("q", "Leave the dashboard");
  expect(stage.terminal.raw.split("plumbing: needs you.")).toHaveLength(frames);
  expect(await stage.terminal.text()).not.toMatch(/[\u2500-\u257f]/);
  await stage.press("\u001b", "Selected: T-7");
  await stage.press("3", "View graph");
  await stage.press("\u001b", "Selected: T-7");
  await stage.press("q", "Leave the dashboard");
  stage.keyboard.press("d");
  expect(await done).toBe("detach");
});
