import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainLines, plainText } from "../src/text.ts";

/** Controls, line separators, bidi controls, invisible characters. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u200b\u200c\u200e\u200f\u061c\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

/** Text made of what breaks such a function: pieces of sequences, halves of pairs, joiners, marks, plain words. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\u001b",
        "[",
        "]",
        "P",
        "_",
        "^",
        "X",
        "\\",
        "\u0007",
        "\u009b",
        "\u009c",
        "\u009d",
        "\u0090",
        "\u0018",
        "31m",
        ";",
      ),
      fc.constantFrom("\n", "\r", "\r\n", "\t", "\u0000", "\u0085", "\u2028", " ", "0;title", "(B"),
      fc.constantFrom(
        "\ud83d",
        "\ude00",
        "\ud83d\ude00",
        "\u200d",
        "\ufe0f",
        "\u{1f3fd}",
        "\u0301",
        "\u094d",
        "\u0915",
        "\u{e0067}",
      ),
      fc.constantFrom("\u202e", "\u2066", "\u200b", "\ufeff", "\u00ad", "\u3164", "a", "é", "漢", "❤"),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

describe("plainText", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["8-bit colours", "\u009b31mred\u009bm", "red"],
    ["a private mode", "\u001b[?1049hx\u001b[?25l", "x"],
    ["a title ended by BEL", "\u001b]0;title\u0007ok", "ok"],
    ["a title ended by ST", "\u001b]0;title\u001b\\ok", "ok"],
    ["an 8-bit title", "\u009d0;title\u009cok", "ok"],
    ["a link", "\u001b]8;;http://x.invalid\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["the clipboard", "a\u001b]52;c;ZXZpbA==\u0007b", "ab"],
    ["a device control string", "a\u001bP+q544e\u001b\\b", "ab"],
    ["an application command", "a\u001b_Gf=100;AAAA\u001b\\b", "ab"],
    ["a privacy message", "a\u001b^secret\u001b\\b", "ab"],
    ["a start of string", "a\u001bXsecret\u001b\\b", "ab"],
    ["8-bit strings of every kind", "a\u0090x\u009cb\u0098x\u009cc\u009ex\u009cd\u009fx\u009ce", "abcde"],
    ["a title, but not a backslash behind its end", "a\u001b]0;x\u0007\\b\u001b]0;x\n\\c", "a\\b \\c"],
    ["a reset", "a\u001bcb", "ab"],
    ["a character set", "a\u001b(0b", "ab"],
    ["an unterminated colour", "a\u001b[31", "a"],
    ["an unterminated title, up to the line's end", "a\u001b]0;tit\nnext", "a next"],
    ["an escape at the end", "a\u001b", "a"],
    ["a sequence inside a string", "a\u001b]0;x\u001b[31mb", "ab"],
    ["a string cut off by CAN", "a\u001bPx\u0018b", "ab"],
    ["tabs and line ends", "a\tb\r\nc\rd\u0085e\u2028f", "a b c d e f"],
    ["backspaces", "ok\b\bno", "okno"],
    ["bidi overrides and isolates", "a\u202eb\u202c\u2066c\u2069", "abc"],
    ["zero width characters", "pa\u200bss\ufeffwo\u2060rd\u200d", "password"],
    ["a joiner before an invisible letter", "e\u0301\u200d\u3164x", "e\u0301x"],
    ["tag characters", "a\u{e0041}\u{e0042}", "a"],
    ["half a pair", "a\ud83db\ude00", "a\ufffdb\ufffd"],
    ["the first and last halves there are", "\ud800a\udbffb\udc00c\udfff", "\ufffda\ufffdb\ufffdc\ufffd"],
    ["the first and last 8-bit controls", "a\u0080b\u009cc", "abc"],
    ["a paragraph separator", "a\u2029b", "a b"],
    ["a line feed after a lone carriage return's place", "a\n\nb\tc\n", "a  b c "],
    ["a sequence cut off by another, which counts", "a\u001b]0;x\u001b[31mb\u001b]0;y\u001b\\c", "abc"],
    ["a title that ends with its line, by either sign", "a\u001b]0;x\rb\u001b]0;y\r\nc", "a b c"],
    ["selectors that belong to nothing", "\ufe0fa \ufe0fb\ufe0f\ufe0e", "a b\ufe0f"],
    ["the first selector after a selector", "a\ufe00\ufe00", "a\ufe00"],
    ["a joiner at either end", "\u200da\u200d", "a"],
    ["a joiner between an emoji and a letter", "\u{1f468}\u200da", "\u{1f468}a"],
    ["a joiner between a letter and an emoji", "a\u200d\u{1f468}", "a\u{1f468}"],
    ["halves that removing would join", "\ud83d\u001b[m\ude00", "\ufffd\ufffd"],
  ])("takes out %s", (_, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each([
    ["a family", "👨‍👩‍👧"],
    ["an emoji with skin and profession", "👩🏽‍🚀"],
    ["the last skin there is, and a profession", "\u{1f469}\u{1f3ff}\u200d\u{1f680}"],
    ["a joiner after the first low half there is", "\u{1f400}\u200d\u2b1b"],
    ["a heart in colour", "❤️‍🔥"],
    ["a selector after a pair of halves", "\u{1f3f3}\ufe0f\u200d\u{1f308}"],
    ["a combining accent", "e\u0301"],
    ["a joiner after a virama", "क्‍ष"],
    ["wide and right-to-left letters", "漢字 שלום"],
  ])("keeps %s", (_, text) => {
    expect(plainText(text)).toBe(text);
  });

  it("never lets a control character through, and changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, fc.option(fc.nat(20), { nil: undefined }), (text, max) => {
        const plain = plainText(text, max);
        expect(plain).not.toMatch(UNSAFE);
        expect(plain.isWellFormed()).toBe(true);
        expect(plainText(plain, max)).toBe(plain);
        if (max !== undefined) expect([...plain].length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 5_000 },
    );
  });

  it("cuts between whole characters", () => {
    expect(plainText("abcdef", 3)).toBe("ab…");
    expect(plainText("abc", 3)).toBe("abc");
    expect(plainText("😀😀😀", 2)).toBe("😀…");
    expect(plainText("😀😀", 2)).toBe("😀😀");
    expect(plainText("👨‍👩‍👧x", 3)).toBe("👨…");
    expect(plainText("abc", 0)).toBe("");
    expect(plainText("abc", 1)).toBe("…");
    expect(plainText("a", 1)).toBe("a");
    expect(plainText("a\ufe0fbc", 3)).toBe("a…");
    expect(plainText("❤\ufe0f\u200d🔥bcdef", 4)).toBe("❤…");
    expect(plainText("\uffffbc", 2)).toBe("\uffff…");
    expect(plainText("a\ufe0fbcde", 5)).toBe("a\ufe0fbc…");
  });
});

describe("plainLines", () => {
  it("cleans line by line and says how many it leaves out", () => {
    expect(plainLines("a\u001b[1m\r\nb\u001b]0;x\nc\n", { maxLines: 5 })).toEqual(["a", "b", "c"]);
    expect(plainLines("1\n2\n3\n4\n", { maxLines: 3 })).toEqual(["1", "2", "… 2 more lines"]);
    expect(plainLines("", { maxLines: 3 })).toEqual([]);
    expect(plainLines("10%\r20%\rdone", { maxLines: 3, maxLength: 3 })).toEqual(["10%", "20%", "do…"]);
  });

  it("stays within its bounds", () => {
    fc.assert(
      fc.property(hostile, fc.nat(6), fc.nat(10), (text, maxLines, maxLength) => {
        const lines = plainLines(text, { maxLines, maxLength });
        expect(lines.length).toBeLessThanOrEqual(maxLines);
        for (const line of lines) {
          expect(line).not.toMatch(UNSAFE);
          expect([...line].length).toBeLessThanOrEqual(maxLength);
        }
      }),
    );
  });
});
