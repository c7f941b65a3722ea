import { describe, expect, test, vi } from "vitest";

vi.hoisted(() => {
  // Ink's colours look at the environment once, when they are loaded.
  process.env["FORCE_COLOR"] = "3";
});

import { chooseTheme } from "../../components/kit/theme.ts";
import { screenToSvg } from "../../scripts/picture/svg.ts";
import { plumbing } from "../store/scenes.ts";
import { mount } from "./mount.tsx";
import { SIZES } from "./shot.ts";

describe("colours", () => {
  test("are used where they are wanted", async () => {
    await using m = await mount(plumbing(), 120, 30);
    expect((await m.stage.terminal.styles()).colours).toBeGreaterThan(50);
  });

  test("are left out on demand, and glyphs and words still say all", async () => {
    await using plain = await mount(plumbing({ sandboxed: false }), 120, 30, {
      theme: chooseTheme({ colours: "none", background: "unknown" }),
    });
    await using coloured = await mount(plumbing({ sandboxed: false }), 120, 30);
    const styles = await plain.stage.terminal.styles();
    expect(styles.colours).toBe(0);
    expect(styles.other).toBeGreaterThan(50);
    expect(await plain.stage.terminal.text()).toBe(await coloured.stage.terminal.text());
  });
});

test("the timeline shows where the chosen attempt lies", async () => {
  await using m = await mount(plumbing(), 120, 30);
  await m.stage.press("4", "4 TIMELINE");
  await m.stage.press("jjjjjj", "T-6 attempt 2  at work");
  await m.stage.press("[", "T-6 attempt 1  failed");
  const screen = await m.stage.terminal.screen();
  const at = (await m.stage.terminal.lines()).findIndex((line) => line.includes("▌▶ T-6"));
  const row = Array.from({ length: 120 }, (_, x) => screen.buffer.active.getLine(at)?.getCell(x));
  expect(row.flatMap((cell) => (cell?.isInverse() ? [cell.getChars().trim()] : [])).join("")).toMatch(/^T-6━*░*✖$/);
});

describe.each(["dark", "light"] as const)("as pictures on a %s ground", (background) => {
  test.each(SIZES)("%i×%i", async (columns, rows) => {
    await using m = await mount(plumbing(), columns, rows, { theme: chooseTheme({ colours: "true", background }) });
    const picture = screenToSvg(await m.stage.terminal.screen(), `the overview, ${columns} by ${rows}`, background);
    await expect(picture).toMatchFileSnapshot(`__snapshots__/overview-${background}-${columns}x${rows}.svg`);
  });
});
