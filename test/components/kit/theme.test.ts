import { describe, expect, test } from "vitest";
import { chooseTheme } from "../../../components/kit/theme.ts";

const LEVELS = [0, 95, 135, 175, 215, 255];

/** Red, green and blue of a colour of ours: `#rrggbb`, or one of xterm's table of 256. */
function channels(color: string): readonly number[] {
  const index = Number(/^ansi256\((\d+)\)$/.exec(color)?.[1]);
  if (Number.isNaN(index)) return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  if (index >= 232) return Array.from({ length: 3 }, () => 8 + 10 * (index - 232));
  return [36, 6, 1].map((by) => LEVELS[Math.floor((index - 16) / by) % 6] ?? 0);
}

/** Relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** Grounds that people have: pure, and those of the palettes that are used most. */
const GROUNDS = {
  dark: ["#000000", "#0c0c0c", "#1e1e1e", "#282c34", "#002b36", "#1d1f21"],
  light: ["#ffffff", "#fafafa", "#fdf6e3", "#f5f5f5"],
} as const;

test("the ratio is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2);
  expect(contrast("ansi256(231)", "ansi256(16)")).toBeCloseTo(21);
});

describe.each(["dark", "light"] as const)("on a %s ground", (background) => {
  test.each(["256", "true"] as const)("every tone of %s colours can be read", (colours) => {
    for (const [tone, { color, dimColor }] of Object.entries(chooseTheme({ colours, background }))) {
      expect(dimColor, `${tone} is dimmed beside its colour`).toBeUndefined();
      if (color === undefined) continue;
      for (const ground of GROUNDS[background])
        expect(contrast(color, ground), `${tone} ${color} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(["16", "256", "true"] as const)("a claim of an agent and the oracle never look alike with %s colours", (colours) => {
    const { claim, oracle, good, bad, person } = chooseTheme({ colours, background });
    for (const verdict of [oracle, good, bad, person]) expect(claim).not.toEqual(verdict);
    expect(new Set([oracle, good, bad].map(({ color }) => color)).size).toBe(3);
  });
});

test("where the ground is light or not known, nothing is yellow, nor white; on a light one nothing is dim", () => {
  for (const background of ["light", "unknown"] as const) {
    for (const { color, dimColor } of Object.values(chooseTheme({ colours: "16", background }))) {
      expect(color ?? "").not.toMatch(/yellow|white/i);
      if (background === "light") expect(dimColor).toBeUndefined();
    }
  }
});

test("colours of our own are not used on a ground that is not known", () => {
  for (const colours of ["256", "true"] as const)
    expect(chooseTheme({ colours, background: "unknown" })).toEqual(chooseTheme({ colours: "16", background: "unknown" }));
});

test("without colours there are none", () => {
  for (const look of Object.values(chooseTheme({ colours: "none", background: "dark" })))
    expect(look).not.toHaveProperty("color");
});

test("with high contrast nothing is dim, and what needs a person differs from what is bad", () => {
  const theme = chooseTheme({ colours: "16", background: "dark", hasContrast: true });
  for (const { dimColor } of Object.values(theme)) expect(dimColor).toBeUndefined();
  expect(theme.person).not.toEqual(theme.bad);
});
