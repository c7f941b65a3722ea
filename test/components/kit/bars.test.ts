import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bar, paintBars } from "../../../components/kit/bars.ts";
import { spansWidth } from "../../../components/kit/spans.tsx";

const GOOD = { cap: "[", fill: "=", tone: "good" } as const;
const BAD = { cap: "x", fill: "x", tone: "bad" } as const;

function bar(from: number, to: number, label = "", style: Bar["style"] = GOOD): Bar {
  return { from, to, label, style };
}

function text(bars: readonly Bar[], width: number): string {
  return paintBars(bars, width)
    .spans.map((span) => span.text)
    .join("");
}

test("a bar has its cap, its label where a cell is left behind it, and is filled to its end", () => {
  expect(text([bar(2, 9, "T-1")], 12)).toBe("  [T-1===   ");
  expect(text([bar(2, 7, "T-1")], 12)).toBe("  [T-1=     ");
  expect(text([bar(2, 6, "T-1")], 12)).toBe("  [===      ");
  expect(text([bar(2, 2)], 5)).toBe("  =  ");
});

test("what begins before has no cap, and what is out of sight is not there", () => {
  expect(text([bar(-5, 8, "T-1")], 10)).toBe("T-1=====  ");
  expect(text([bar(-5, 0), bar(10, 12), bar(-3, -3)], 10)).toBe(" ".repeat(10));
});

test("a cell of several says how many, and looks bad where one of them does", () => {
  const { spans, counted } = paintBars([bar(1, 1), bar(1, 1, "", BAD), bar(1, 4)], 6);
  expect(spans.map((span) => span.text).join("")).toBe(" 3==  ");
  expect(spans[1]).toMatchObject({ text: "3", tone: "bad" });
  expect(counted).toBe(true);
  expect(
    text(
      Array.from({ length: 12 }, () => bar(0, 0)),
      3,
    ),
  ).toBe("+  ");
  expect(paintBars([bar(0, 3), bar(3, 5)], 6).counted).toBe(false);
});

test("no label stands where another bar is", () => {
  expect(text([bar(0, 9, "LONG"), bar(3, 4)], 9)).toBe("[==2=====");
});

test("ground is seen where nothing is", () => {
  const ground = new Map([
    [0, { text: "|" }],
    [2, { text: "|" }],
  ]);
  expect(
    paintBars([bar(2, 4)], 5, ground)
      .spans.map((span) => span.text)
      .join(""),
  ).toBe("| [= ");
});

test("any bars fill exactly the width, and every bar in sight is seen", () => {
  const any = fc.record({ from: fc.integer({ min: -20, max: 60 }), length: fc.nat({ max: 30 }) });
  fc.assert(
    fc.property(fc.array(any), fc.integer({ min: 1, max: 50 }), (all, width) => {
      const bars = all.map(({ from, length }) => bar(from, from + length));
      const { spans } = paintBars(bars, width);
      expect(spansWidth(spans)).toBe(width);
      const drawn = spans.map((span) => span.text).join("");
      for (const { from, to } of bars) {
        const at = Math.max(0, from);
        if (at < width && Math.max(to, from + 1) > at) expect(drawn[at]).not.toBe(" ");
      }
    }),
  );
});
