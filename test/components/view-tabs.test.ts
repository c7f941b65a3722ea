import { describe, expect, test } from "vitest";
import { fitLegend } from "../../components/legend.ts";
import { spansWidth } from "../../components/spans.tsx";
import { legend } from "../../components/timeline/bar-looks.ts";
import { tabAt, viewTabs } from "../../components/view-tabs.ts";
import { VIEWS } from "../../src/store/views/view-name.ts";

function line(...of: Parameters<typeof viewTabs>): string {
  const { left, own, right, rest } = viewTabs(...of);
  return `─${left}${own}${right}${"─".repeat(rest)}`;
}

describe("the line of the views", () => {
  test("names all views, and where it is short their keys, so that none is dropped", () => {
    expect(line("graph", 80, true)).toBe("─ 1 overview · 2 ticket  3 GRAPH  4 timeline · 5 oracle · 6 ledger · 7 runs ────");
    expect(line("ticket", 60, true)).toBe(`─ 1  2 TICKET  3 · 4 · 5 · 6 · 7 ${"─".repeat(27)}`);
    expect(line("runs", 60, true)).toBe(`─ 1 · 2 · 3 · 4 · 5 · 6  7 RUNS ${"─".repeat(28)}`);
  });

  test("names no digit in a replay, where digits move the replay", () => {
    expect(line("graph", 80, false)).toMatch(/^─ overview · ticket {2}GRAPH {2}timeline · oracle · ledger · runs ─+$/);
    for (const view of VIEWS) {
      const narrow = line(view, 60, false);
      expect(narrow).not.toMatch(/\d/);
      expect(narrow).toHaveLength(60);
    }
  });

  test.each([60, 80])("is clicked where a view stands in it, at %i columns", (width) => {
    for (const keys of [true, false])
      for (const view of VIEWS) {
        const text = line(view, width, keys);
        expect(tabAt(view, width, keys, text.length - 1)).toBeUndefined();
        expect(tabAt(view, width, keys, text.indexOf(view.toUpperCase()))).toBe(view);
        const digit = keys ? VIEWS.filter((name) => name !== view) : [];
        for (const name of digit) expect(tabAt(view, width, keys, text.indexOf(`${VIEWS.indexOf(name) + 1}`))).toBe(name);
      }
  });
});

test("a legend shows whole words, and a mark where there are more", () => {
  const text = (width: number): string =>
    fitLegend(legend({ finish: true, width, ms: 1_000 }), width)
      .map((span) => span.text)
      .join("");
  expect(text(60)).toBe(" 1s/column  ▸at work ─finishing ━shipped !yours ×failed …");
  expect(text(80)).toMatch(/ ·cut off …$/);
  expect(text(160)).toMatch(/ 3 tries $/);
  for (let width = 2; width < 200; width++)
    expect(spansWidth(fitLegend(legend({ finish: true, width, ms: 1_000 }), width))).toBeLessThanOrEqual(width);
});
