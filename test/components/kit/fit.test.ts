import cliTruncate from "cli-truncate";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { cut, fitParts, fitTo, textWidth, wrapWords } from "../../../components/kit/fit.ts";
import { cutSpans } from "../../../components/kit/spans.tsx";

test("a fitted text takes exactly its columns, wide and combined characters too", () => {
  expect(fitTo("署名鍵を毎週", 7)).toBe("署名鍵…");
  expect(fitTo("署名", 5)).toBe("署名 ");
  expect(fitTo("e\u0301a", 4)).toBe("e\u0301a  ");
  expect(fitTo("7", 3, "right")).toBe("  7");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 0, max: 20 }), (text, width) => {
      expect(stringWidth(fitTo(text.replace(/\p{C}/gu, ""), width))).toBe(width);
    }),
  );
});

test("what is cut says so, what fits does not", () => {
  expect(cut("abcdef", 4)).toBe("abc…");
  expect(cut("abcd", 4)).toBe("abcd");
  expect(cut("abcd", 0)).toBe("");
});

test("parts give way in the order that is asked for, and only as far as needed", () => {
  const parts = { a: ["aaaa", "a"], b: ["bbbb", "b"] };
  expect(fitParts(parts, ["b", "a"], 8)).toEqual({ a: "aaaa", b: "bbbb" });
  expect(fitParts(parts, ["b", "a"], 7)).toEqual({ a: "aaaa", b: "b" });
  expect(fitParts(parts, ["b", "a"], 1)).toEqual({ a: "a", b: "b" });
});

test("wrapping loses no word and no character, and no line is wider than asked", () => {
  expect(wrapWords("tell the registrar", 9)).toEqual(["tell the", "registrar"]);
  expect(wrapWords("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), fc.integer({ min: 2, max: 30 }), (text, width) => {
      const one = text.replace(/\s+/g, " ").trim();
      const lines = wrapWords(one, width);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(one.replaceAll(" ", ""));
    }),
  );
});

test("stretches are cut as one line", () => {
  const line = [{ text: "abc", bold: true }, { text: "def" }];
  expect(cutSpans(line, 6)).toEqual(line);
  expect(cutSpans(line, 5)).toEqual([{ text: "abc", bold: true }, { text: "d…" }]);
  expect(
    cutSpans(line, 3)
      .map((s) => s.text)
      .join(""),
  ).toBe("ab…");
});

/** Characters from one to another, both included. */
function span(from: string, to: string): readonly string[] {
  const [first = 0, last = 0] = [from.codePointAt(0), to.codePointAt(0)];
  return Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));
}

/** Characters that are measured without looking at them, and their neighbours, some of which are wide, or nothing at all. */
const SIGNS = [span(" ", "˿"), span("\u2000", "⋿"), span("⌀", "◿"), span("☀", "➿")]
  .flat()
  .filter((char) => !/\p{Cc}/u.test(char));

test("every sign is measured as what it takes, alone and beside others", () => {
  for (const sign of SIGNS) {
    expect(textWidth(sign), `U+${sign.codePointAt(0)?.toString(16)}`).toBe(stringWidth(sign));
    expect(textWidth(`a${sign}${sign}b`)).toBe(stringWidth(`a${sign}${sign}b`));
  }
});

test("what has signs in it is cut where any other text is", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...SIGNS, "a", "b", " ")), fc.integer({ min: 1, max: 12 }), (signs, width) => {
      const text = signs.join("");
      expect(cut(text, width)).toBe(stringWidth(text) <= width ? text : cliTruncate(text, width));
    }),
  );
});
