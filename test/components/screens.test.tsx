import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { batchOf, RunBuilder } from "../store/run-builder.ts";
import {
  claims,
  claimsEnded,
  crowd,
  finishCrowd,
  finishLine,
  hostile,
  plumbing,
  plumbingEnded,
  watchedPlumbing,
} from "../store/scenes.ts";
import { mount } from "./mount.tsx";
import { SIZES, type Steps, shot } from "./shot.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const screen = (run: RunBuilder, columns: number, rows: number, keys: Steps = []): Promise<string> =>
  shot(run, [columns, rows], keys);

function snapshot(name: string): string {
  return `./__snapshots__/${name}.txt`;
}

describe("screens", () => {
  test.each(SIZES)("a run at work at %i×%i", async (columns, rows) => {
    await expect(await screen(plumbing({ sandboxed: false }), columns, rows)).toMatchFileSnapshot(
      snapshot(`plumbing-${columns}x${rows}`),
    );
  });

  test.each(SIZES)("the signals of agents' behaviour at %i×%i", async (columns, rows) => {
    const text = await screen(watchedPlumbing({ sandboxed: false }), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`signals-${columns}x${rows}`));
    if (rows >= 24) expect(text).toMatch(/✖ edits without/);
  });

  test("the behaviour of the chosen attempt in words", async () => {
    const text = await screen(watchedPlumbing(), 120, 30, [
      ["jjj", "▌▶ T-6"],
      ["\r", "bucket lifecycle"],
      ["e", "behaviour of"],
    ]);
    await expect(text).toMatchFileSnapshot(snapshot("signals-ticket-120x30"));
    expect(text).toContain("△ looks for what is not there: it asked for 3 files or texts that are not there");
    expect(text).toContain("✖ edits without a cause: it edited");
  });

  test.each(SIZES)("64 workers and 500 tickets at %i×%i", async (columns, rows) => {
    const text = await screen(crowd({ tickets: 500, workers: 64 }), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`crowd-${columns}x${rows}`));
    const hidden = /\+(\d+) more: (\d+) busy, (\d+) free/.exec(text);
    expect(Number(hidden?.[1])).toBe(Number(hidden?.[2]) + Number(hidden?.[3]));
  });

  test.each(SIZES)("more on the finish line than slots at %i×%i", async (columns, rows) => {
    const text = await screen(finishLine(), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`finishing-${columns}x${rows}`));
    expect(text).toContain("AT WORK 3 of 4 agents · 5 finishing");
    expect(text).toContain("approve the DNS change");
  });

  test.each(SIZES)("many on the finish line at %i×%i", async (columns, rows) => {
    const text = await screen(finishCrowd(), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`finish-crowd-${columns}x${rows}`));
    expect(text).toContain("AT WORK 20 of 64 agents · 46 finishing");
    expect(text).toContain("look at the bill");
    const lines = text.split("\n").map((line) => line.split("│")[0] ?? "");
    const end = lines.findIndex((line) => /^ +\+\d+ more/.test(line));
    const more = Number(lines[end]?.match(/\d+/)?.[0]);
    const shown = lines.slice(0, end).filter((line) => /^ [▶»] CORE-/.test(line)).length;
    expect(more + shown, "agents and finishing").toBe(66);
  });

  test.each(SIZES)("a reviewer, a transient, a blocker, finds and a hold at %i×%i", async (columns, rows) => {
    const text = await screen(claims(), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`claims-${columns}x${rows}`));
    expect(text).toMatch(/‖ .*API.* 04:22 left/);
    expect(text).toContain("! T-5    approve the DNS");
    if (rows >= 30) expect(text).toContain("T-2-d1 held till 12:12:45 · found by T-2");
    if (rows >= 24) {
      expect(text).toContain("review: asking codex");
      expect(text).toContain("transient 'registry 5xx', retry in 12s");
    }
  });

  test.each(SIZES)("one worker and three tickets at %i×%i", async (columns, rows) => {
    await expect(await screen(crowd({ tickets: 3, workers: 1 }), columns, rows)).toMatchFileSnapshot(
      snapshot(`small-${columns}x${rows}`),
    );
  });

  test.each(SIZES)("texts that try to take over, and wide ones, at %i×%i", async (columns, rows) => {
    await expect(await screen(hostile(), columns, rows)).toMatchFileSnapshot(snapshot(`hostile-${columns}x${rows}`));
  });

  test.each([
    ["done", 120, 30],
    ["not-done", 80, 24],
    ["stopped", 100, 30],
    ["done", 60, 15],
  ] as const)("the summary of a run that is %s at %i×%i", async (how, columns, rows) => {
    await expect(await screen(plumbingEnded(how), columns, rows)).toMatchFileSnapshot(
      snapshot(`summary-${how}-${columns}x${rows}`),
    );
  });

  test.each([
    [60, 15],
    [80, 24],
    [120, 40],
  ] as const)("the summary of what there was beside changes at %i×%i", async (columns, rows) => {
    const text = await screen(claimsEnded(), columns, rows);
    await expect(text).toMatchFileSnapshot(snapshot(`summary-claims-${columns}x${rows}`));
  });

  test("a widest and tallest terminal is filled without breaking", async () => {
    const text = await screen(plumbing(), 300, 80);
    expect(text.split("\n").slice(0, 80).at(-1)).toContain("q leave");
  });

  test.each([
    [
      "kill",
      [
        ["jj", "▌▶"],
        ["x", "End the attempt"],
      ],
    ],
    [
      "gate",
      [
        ["jj", "▌▶"],
        ["g", "exact step"],
        ["tell the registrar", "registrar█"],
      ],
    ],
    ["leave", [["q", "detach"]]],
    ["help", [["?", "the only voice that says done"]]],
  ] as const)("the dialog: %s", async (name, keys) => {
    await expect(await screen(plumbing(), 80, 24, keys)).toMatchFileSnapshot(snapshot(`dialog-${name}-80x24`));
  });

  test.each([
    ["kill", [["x", "End the attempt at T-4?"]]],
    ["gate", [["g", "exact step"]]],
  ] as const)("the dialog of a ticket on the finish line: %s", async (name, keys) => {
    const text = await screen(finishLine(), 80, 24, [["jjjj", "▌» T-4"], ...keys]);
    await expect(text).toMatchFileSnapshot(snapshot(`finishing-${name}-80x24`));
    expect(text).not.toContain("agent is ended");
  });

  test("every dialog fits the smallest terminal", async () => {
    for (const keys of [
      [["?", "+"]],
      [["q", "esc"]],
      [
        ["jj", "▌▶"],
        ["g", "of 500"],
        ["x".repeat(600), "500 of 500"],
      ],
    ] as const) {
      const text = await screen(plumbing(), 60, 15, keys);
      expect(text).toContain("╭");
      expect(text).toContain("╰");
    }
  });
});

describe("before there is anything to show", () => {
  test("a batch without a snapshot reads as connecting and unknown", async () => {
    const run = new RunBuilder(batchOf({ tickets: [{ id: "A" }] }));
    const text = await screen(run, 80, 24);
    expect(text).toContain("◌ STARTING");
    expect(text).toMatch(/never judged .*unknown/);
  });
});

describe("the terminal", () => {
  test("one line where it is too small, and all of it again once it has grown", async () => {
    await using m = await mount(plumbing(), 80, 24);
    m.stage.terminal.resize(59, 15);
    await m.stage.shows("terminal too small (need 60×15)");
    // A frame is written in pieces, after the terminal has moved the old one.
    await expect.poll(async () => (await m.stage.terminal.lines()).filter((line) => line !== "").length).toBe(1);
    m.stage.terminal.resize(120, 30);
    await m.stage.shows("OUTCOMES");
    m.stage.terminal.resize(60, 15);
    await m.stage.hides("enter open");
    await expect.poll(async () => (await m.stage.terminal.lines())[0]).toContain("NEEDS YOU");
    await expect.poll(async () => (await m.stage.terminal.lines()).at(-1)).toContain("q leave");
    for (const line of await m.stage.terminal.lines()) expect(stringWidth(line)).toBeLessThanOrEqual(60);
  });

  test("is never given a control sequence out of a text", async () => {
    await using m = await mount(hostile(), 120, 30);
    await m.stage.shows("red alert done");
    expect(m.stage.terminal.raw).not.toContain("\u001b]");
    expect(m.stage.terminal.raw).not.toContain("\u001b[10A");
    expect(m.stage.terminal.raw).not.toContain("\u202e");
    expect(m.stage.terminal.raw).not.toContain("\u001b[5m");
  });
});

describe("widths stand still", () => {
  test("columns keep their place while time and numbers grow", async () => {
    const run = plumbing();
    await using m = await mount(run, 120, 30);
    const columnOf = async (text: string) =>
      (await m.stage.terminal.lines()).map((line) => line.indexOf(text)).find((at) => at >= 0);
    const before = await Promise.all([columnOf("│ ! T-5"), columnOf("agent  "), columnOf("interventions"), columnOf("3 done")]);
    run.wait(40_000);
    m.store.tick(run.now);
    await m.stage.shows("11:52:07");
    const after = await Promise.all([columnOf("│ ! T-5"), columnOf("agent  "), columnOf("interventions"), columnOf("3 done")]);
    expect(after).toEqual(before);
  });
});
