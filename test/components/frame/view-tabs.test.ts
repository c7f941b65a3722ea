import { describe, expect, test } from "vitest";
import { tabAt, viewKeys, viewTabs } from "../../../components/frame/view-tabs.ts";
import { KEYMAP } from "../../../src/store/keymap/keymap.ts";
import { rebind } from "../../../src/store/keymap/rebind.ts";
import { VIEWS } from "../../../src/store/views/view-name.ts";
import { desk } from "../../store/desk.ts";
import { replayOf } from "../../store/replays.ts";
import { plumbing } from "../../store/scenes.ts";

function line(...options: Parameters<typeof viewTabs>): string {
  const { left, own, right, rest } = viewTabs(...options);
  return `─${left}${own}${right}${"─".repeat(rest)}`;
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7"];
const NONE = VIEWS.map(() => "");
const OWN = ["Ctrl-T", "2", "Ctrl-G", "", "o", "6", "r"];

describe("the line of the views", () => {
  test("names all views, and where it is short their keys, so that none is dropped", () => {
    expect(line("graph", 80, DIGITS)).toBe("─ 1 overview · 2 ticket  3 GRAPH  4 timeline · 5 oracle · 6 ledger · 7 runs ────");
    expect(line("ticket", 60, DIGITS)).toBe(`─ 1  2 TICKET  3 · 4 · 5 · 6 · 7 ${"─".repeat(27)}`);
    expect(line("runs", 60, DIGITS)).toBe(`─ 1 · 2 · 3 · 4 · 5 · 6  7 RUNS ${"─".repeat(28)}`);
  });

  test("names keys as a person has bound them, and a mark for a view without one", () => {
    const bound = rebind(KEYMAP, { "view-graph": ["ctrl-g"], "view-timeline": [], "view-overview": ["V", "1"] });
    if (!bound.ok) throw new Error(JSON.stringify(bound.problems));
    const keys = viewKeys(desk(plumbing(), bound.keymap).store.getState());
    expect(line("ticket", 120, keys)).toMatch(/^─ V overview {2}2 TICKET {2}Ctrl-G graph · timeline · 5 oracle · /);
    expect(line("ticket", 60, keys)).toMatch(/^─ V {2}2 TICKET {2}Ctrl-G · … · 5 · 6 · 7 ─+$/);
  });

  test("has a mark on a side for which even the keys are too long", () => {
    const long = VIEWS.map(() => "Ctrl-T");
    for (const view of VIEWS) {
      const text = line(view, 60, long);
      expect(text).toHaveLength(60);
      expect(text).toContain(`Ctrl-T ${view.toUpperCase()}`);
    }
    expect(line("runs", 50, long)).toMatch(/^─ … {2}Ctrl-T RUNS ─+$/);
  });

  test("names no digit in a replay, where digits move the replay, and those that a person has taken from it", () => {
    expect(viewKeys(replayOf(plumbing()).store.getState())).toEqual(NONE);
    expect(line("graph", 80, NONE)).toMatch(/^─ overview · ticket {2}GRAPH {2}timeline · oracle · ledger · runs ─+$/);
    for (const view of VIEWS) {
      const narrow = line(view, 60, NONE);
      expect(narrow).not.toMatch(/\d/);
      expect(narrow).toHaveLength(60);
    }
    const free = rebind(KEYMAP, { "replay-tenth-3": [] });
    const store = replayOf(plumbing(), {}, free.ok ? free.keymap : undefined).store;
    expect(viewKeys(store.getState())).toEqual(["", "", "3", "", "", "", ""]);
  });

  test.each([60, 80, 120])("is clicked where a view stands in it, at %i columns", (width) => {
    for (const keys of [DIGITS, NONE, OWN])
      for (const view of VIEWS) {
        const text = line(view, width, keys);
        const named = Array.from(text, (_, column) => tabAt(view, width, keys, column));
        for (const [i, name] of VIEWS.entries()) {
          const upper = name === view ? name.toUpperCase() : name;
          const both = [keys[i], upper].filter(Boolean).join(" ");
          const word = text.includes(both) ? both : keys[i] || "…";
          const cells = Array.from(text.matchAll(new RegExp(`(?<= )${word}(?= )`, "g")), ({ index }) => index);
          expect(cells.length, `${word} in ${text}`).toBeGreaterThan(0);
          if (word === "…") continue;
          const [start = 0] = cells;
          expect(named.slice(start, start + word.length), `${word} in ${text}`).toEqual(Array.from(word, () => name));
        }
        expect(named.at(-1)).toBeUndefined();
        expect(named[0]).toBeUndefined();
      }
  });
});
