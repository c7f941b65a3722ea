import { describe, expect, test } from "vitest";
import { crowd, plumbing } from "../store/scenes.ts";
import { mount } from "./mount.tsx";
import { checkedScreen, SIZES } from "./shot.ts";

describe("the palette", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows);
    await m.stage.press("j", "▌");
    await m.stage.press(":", "Command");
    await m.stage.press("t-1", "open T-1");
    await expect(await checkedScreen(m, columns, rows)).toMatchFileSnapshot(`./__snapshots__/palette-${columns}x${rows}.txt`);
  });

  test("with nothing written: all commands, why one is not possible, and how many more", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press(":", "Command");
    await expect(await checkedScreen(m, 80, 24)).toMatchFileSnapshot("./__snapshots__/palette-all-80x24.txt");
  });

  test("stands still while one writes", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press(":", "Command");
    const edges = async () =>
      (await m.stage.terminal.lines()).flatMap((line, y) => (/[╭╰]/.test(line) ? [`${y}:${line.indexOf("─")}`] : []));
    const before = await edges();
    await m.stage.press("zzz", "nothing is called that");
    expect(await edges()).toEqual(before);
  });

  test("kill of a ticket by name, with its question", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("\u0010", "Command");
    await m.stage.press("kill t-6", "▌kill T-6");
    await m.stage.press("\r", "End the attempt at T-6?");
    await m.stage.press("y", "j/k select");
    expect(m.stage.sent).toEqual([{ type: "kill", ticket: "T-6" }]);
  });
});

describe("the filter", () => {
  test.each(SIZES)("at %i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows);
    await m.stage.press("/", " /█");
    await m.stage.press("dashboards", "2 of 11");
    const text = await checkedScreen(m, columns, rows);
    await expect(text).toMatchFileSnapshot(`./__snapshots__/filter-${columns}x${rows}.txt`);
    // What needs a person is counted, though none of it is listed.
    expect(text).toMatch(/^ ! NEEDS YOU .*! 1 .*\n/);
    await m.stage.press("\r", "FILTER dashboards · 2 of 11");
    m.stage.keyboard.press("\u001b");
    await m.stage.hides("FILTER");
    expect(await m.stage.terminal.text()).toContain("NEEDS YOU 1");
  });

  test("of 500 tickets, and of none", async () => {
    await using m = await mount(crowd({ tickets: 500, workers: 64 }), 120, 30);
    await m.stage.press("/", " /█");
    await m.stage.press("number 49", "15 of 500");
    expect(await m.stage.terminal.text()).toContain("AT WORK 32 of 64 agents · 1 listed");
    await m.stage.press(" xyz", "no ticket has this text");
    await checkedScreen(m, 120, 30);
    await m.stage.press("\u001b", "NEXT 468");
  });

  test("a text longer than the line is cut with a mark, its cursor in sight", async () => {
    await using m = await mount(plumbing(), 60, 15);
    await m.stage.press("/", " /█");
    await m.stage.press("漢字".repeat(60), "漢字█");
    await checkedScreen(m, 60, 15);
    expect((await m.stage.terminal.lines()).at(-1)).toMatch(/^ \/….*漢字█/);
    await m.stage.press("\u001b[H", "/漢字");
    expect((await m.stage.terminal.lines()).at(-1)).toMatch(/^ \/漢字.*…/);
    await m.stage.press("\r", "FILTER 漢");
    await checkedScreen(m, 60, 15);
  });
});

describe("help", () => {
  test("goes from the signs to the keys, and back", async () => {
    await using m = await mount(plumbing(), 80, 24);
    await m.stage.press("3", "3 GRAPH");
    await m.stage.press("?", "the oracle: the only voice that says done");
    await m.stage.press("G", "WHERE TEXT IS WRITTEN");
    await expect(await checkedScreen(m, 80, 24)).toMatchFileSnapshot("./__snapshots__/help-end-80x24.txt");
    await m.stage.press("\u001b[H", "the oracle: the only voice that says done");
    await m.stage.press("q", "3 GRAPH");
  });
});
