import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { wrapTo } from "../../../components/kit/fit.ts";

test("a text that has room is whole, and one that has not ends with a mark, in so many lines of so many columns", () => {
  const words = fc.array(fc.constantFrom("a", "of", "long", "dashboard", "署名鍵", "e\u0301tude", "x".repeat(40)), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(words, fc.integer({ min: 4, max: 60 }), fc.integer({ min: 1, max: 4 }), (given, width, most) => {
      const text = given.join(" ");
      const lines = wrapTo(text, width, most);
      expect(lines.length).toBeLessThanOrEqual(most);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      const told = lines.join("").replaceAll(" ", "");
      const whole = text.replaceAll(" ", "");
      if (told !== whole) {
        expect(told).toMatch(/…$/);
        expect(whole.startsWith(told.slice(0, -1))).toBe(true);
      }
    }),
  );
});

test("the mark takes no more than it needs", () => {
  expect(wrapTo("one two three", 7, 1)).toEqual(["one tw…"]);
  expect(wrapTo("one two three", 8, 1)).toEqual(["one two…"]);
  expect(wrapTo("one two three", 9, 1)).toEqual(["one two …"]);
  expect(wrapTo("one two three", 7, 2)).toEqual(["one two", "three"]);
});
