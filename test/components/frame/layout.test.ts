import stringWidth from "string-width";
import { expect, test } from "vitest";
import { divideTerminal, isTooSmall } from "../../../components/frame/layout.ts";
import { oracleShares } from "../../../components/frame/oracle-line.tsx";
import { hiddenLabel, visibleWindow } from "../../../components/kit/window.ts";
import { queueLines, share } from "../../../components/views/overview/sections.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import { NO_LISTS } from "../../../src/store/lists.ts";

test("at every size the blocks fill the terminal exactly and none is without a line", () => {
  for (let columns = 60; columns <= 300; columns += 7) {
    for (let rows = 15; rows <= 80; rows++) {
      for (const [slots = 0, needs = 0, attempts = slots] of [
        [0],
        [1],
        [2],
        [4],
        [8],
        [64],
        [0, 1],
        [4, 1],
        [4, 3],
        [64, 200],
        [4, 0, 0],
        [4, 2, 7],
      ]) {
        const l = divideTerminal(columns, rows, { workers: slots, rows: attempts, needs });
        const body = l.wide ? l.workers.height : l.needs.height + l.workers.height + l.queue.height;
        if (l.wide) expect(l.needs.height + l.queue.height + l.panel.height).toBe(l.workers.height);
        if (needs > 1) expect(l.needs.height).toBeGreaterThanOrEqual(3);
        expect(3 + body + l.feed.height, `${columns}×${rows}, ${slots} slots`).toBe(rows);
        expect(l.wide ? l.workers.width + l.queue.width : l.workers.width).toBe(columns);
        expect(Math.min(l.workers.height, l.queue.height, l.feed.height)).toBeGreaterThanOrEqual(1);
        expect(l.queue.height).toBeGreaterThanOrEqual(3);
        if (l.density > 1 && attempts === slots) expect(1 + slots * l.density).toBeLessThanOrEqual(l.workers.height);
      }
    }
  }
});

test("60×15 is drawn, less is not", () => {
  expect(isTooSmall(60, 15)).toBe(false);
  expect(isTooSmall(59, 15)).toBe(true);
  expect(isTooSmall(60, 14)).toBe(true);
});

test("a window shows its focus, keeps rows in place within a page, and counts the rest", () => {
  expect(visibleWindow(3, 5, -1)).toEqual({ start: 0, end: 3, above: 0, below: 0 });
  expect(visibleWindow(500, 10, -1)).toEqual({ start: 0, end: 9, above: 0, below: 491 });
  expect(visibleWindow(500, 10, 8).start).toBe(0);
  expect(visibleWindow(500, 10, 9).start).toBe(9);
  expect(visibleWindow(500, 10, 17).start).toBe(9);
  expect(visibleWindow(500, 10, 499)).toEqual({ start: 491, end: 500, above: 491, below: 0 });
  for (let count = 0; count < 40; count++) {
    for (let height = 2; height < 12; height++) {
      for (let focus = -1; focus < count; focus++) {
        const w = visibleWindow(count, height, focus);
        expect(w.above + (w.end - w.start) + w.below).toBe(count);
        expect(w.end - w.start + (w.above + w.below > 0 ? 1 : 0)).toBeLessThanOrEqual(height);
        if (focus >= 0) expect(focus >= w.start && focus < w.end).toBe(true);
      }
    }
  }
});

test("hidden rows are counted in words", () => {
  expect(hiddenLabel(visibleWindow(500, 10, -1))).toBe("+491 more");
  expect(hiddenLabel(visibleWindow(500, 10, 12))).toBe("9 above · +482 more");
  expect(hiddenLabel(visibleWindow(500, 10, 499))).toBe("491 above");
});

test("a list of 500 never crowds out the one above it", () => {
  expect(share([1, 0, 500, 6], 20)).toEqual([1, 0, 13, 6]);
  expect(share([1, 500], 3)).toEqual([1, 2]);
  const ids = Array.from({ length: 500 }, (_, i) => TicketId.parse(`T-${i}`));
  const lists = { ...NO_LISTS, landed: ids.slice(0, 1), waiting: ids.slice(1) };
  for (const height of [3, 4, 8, 30]) {
    const lines = queueLines(lists, { width: 60, height }, undefined);
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(lines.some((l) => l.line === "ticket" && l.section === "landed")).toBe(true);
    const shown = lines.filter((l) => l.line === "ticket").length;
    const hidden = lines
      .flatMap((l) => (l.line === "hidden" ? [Number(/\d+/.exec(l.words)?.[0])] : []))
      .reduce((a, b) => a + b, 0);
    expect(shown + hidden).toBe(500);
  }
});

test("whoever is selected is shown", () => {
  const ids = Array.from({ length: 40 }, (_, i) => TicketId.parse(`T-${i}`));
  const lists = { ...NO_LISTS, landed: ids.slice(0, 14), waiting: ids.slice(14) };
  for (const height of [3, 5, 8, 20]) {
    for (const id of ids) {
      const lines = queueLines(lists, { width: 60, height }, id);
      expect(
        lines.some((l) => l.line === "ticket" && l.id === id),
        `${id} of ${height} lines`,
      ).toBe(true);
    }
  }
});

test("the counts of one list for all sections are never cut: signs stand for words where it is narrow", () => {
  const ids = Array.from({ length: 600 }, (_, i) => TicketId.parse(`T-${i}`));
  const lists = {
    ...NO_LISTS,
    landed: ids.slice(0, 88),
    waiting: ids.slice(88, 500),
    done: ids.slice(500),
  };
  const title = (width: number): string => {
    const [line] = queueLines(lists, { width, height: 5 }, undefined);
    return line?.line === "title" ? `${line.title} ${line.count}` : "";
  };
  expect(title(80)).toBe("LANDED, NOT LIVE 88 · next 412 · done 100");
  expect(title(44)).toBe("LANDED, NOT LIVE 88 · next 412 · ✔100");
  expect(title(40)).toBe("LANDED, NOT LIVE 88 · ○412 · ✔100");
  for (let width = 43; width < 90; width++) expect(stringWidth(title(width))).toBeLessThanOrEqual(width - 4);
});

test("the oracle's bar fills its cells and shows every part that is not empty", () => {
  for (let done = 0; done < 20; done++) {
    for (let gated = 0; gated < 4; gated++) {
      for (let open = 0; open < 20; open++) {
        if (done + gated + open === 0) continue;
        const bar = oracleShares({ done, gated, open }, 12);
        expect(bar.done + bar.gated + bar.open).toBe(12);
        for (const key of ["done", "gated", "open"] as const) {
          const count = { done, gated, open }[key];
          expect(bar[key] > 0, `${key} of ${done}/${gated}/${open}`).toBe(count > 0);
        }
      }
    }
  }
  expect(oracleShares({ done: 0, gated: 0, open: 0 }, 12)).toEqual({ done: 0, gated: 0, open: 0 });
});
