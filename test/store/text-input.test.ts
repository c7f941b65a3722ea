import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_INPUT, MAX_INPUT, reduceText, type TextAction, type TextInput } from "../../src/store/text-input.ts";

function after(start: TextInput, ...actions: readonly TextAction[]): TextInput {
  return actions.reduce(reduceText, start);
}

const typed = (text: string): TextInput => after(EMPTY_INPUT, ...[...text].map((c): TextAction => ({ type: "insert", text: c })));

describe("editing", () => {
  test("typed characters stand where the cursor is", () => {
    const input = after(typed("ac"), { type: "to", place: "left" }, { type: "insert", text: "b" });
    expect(input).toEqual({ text: "abc", cursor: 2 });
  });

  test("home and end, backspace and delete", () => {
    const input = after(
      typed("abcd"),
      { type: "to", place: "home" },
      { type: "delete" },
      { type: "to", place: "end" },
      { type: "backspace" },
    );
    expect(input).toEqual({ text: "bc", cursor: 2 });
  });

  test("nothing to delete leaves the very same input", () => {
    const input = typed("");
    expect(reduceText(input, { type: "backspace" })).toBe(input);
    expect(reduceText(input, { type: "delete" })).toBe(input);
  });

  test("a character of several code points is one character", () => {
    const input = after(EMPTY_INPUT, { type: "insert", text: "a👩🏽‍🚀e\u0301" });
    expect(reduceText(input, { type: "backspace" }).text).toBe("a👩🏽‍🚀");
    expect(after(input, { type: "backspace" }, { type: "backspace" }).text).toBe("a");
    expect(after(input, { type: "to", place: "left" }, { type: "to", place: "left" }).cursor).toBe(1);
  });
});

describe("pasting", () => {
  test("comes as one line without control characters or escape sequences", () => {
    const input = after(EMPTY_INPUT, { type: "paste", text: "approve\r\nthe \u001b[31mDNS\u001b[0m\u0000 change\n" });
    expect(input.text).toBe("approve the DNS change ");
    expect(after(input, { type: "paste", text: "\nand the\rrecord" }).text).toBe("approve the DNS change and the record");
    expect(after(EMPTY_INPUT, { type: "paste", text: "one" }, { type: "paste", text: "\r\ntwo" }).text).toBe("one two");
  });

  test("stops at 500, at a whole character", () => {
    const input = after(EMPTY_INPUT, { type: "paste", text: "x".repeat(MAX_INPUT - 1) }, { type: "insert", text: "👩🏽‍🚀" });
    expect(input.text).toBe("x".repeat(MAX_INPUT - 1));
    expect(after(input, { type: "insert", text: "yz" }).text).toHaveLength(MAX_INPUT);
  });
});

test("whatever is done, the cursor stays within the text and the text within its cap", () => {
  const action = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text): TextAction => ({ type: "insert", text })),
    fc.string({ unit: "binary", maxLength: 700 }).map((text): TextAction => ({ type: "paste", text })),
    fc.constantFrom<TextAction>({ type: "backspace" }, { type: "delete" }, { type: "clear" }),
    fc
      .constantFrom("left" as const, "right" as const, "home" as const, "end" as const)
      .map((place): TextAction => ({ type: "to", place })),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const { text, cursor } = after(EMPTY_INPUT, ...actions);
      expect(text.length).toBeLessThanOrEqual(MAX_INPUT);
      expect(cursor).toBeGreaterThanOrEqual(0);
      expect(cursor).toBeLessThanOrEqual(text.length);
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }),
  );
});
