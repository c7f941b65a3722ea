import { expect, test } from "vitest";
import { displayText } from "../../src/store/format.ts";

test("outside text becomes one line that obeys nobody", () => {
  expect(displayText("\u001b[2Ja\tb\r\nc \u001b]0;t\u0007  d ")).toBe("a b c d");
});

test("what terminals measure differently, or what turns the direction, is gone", () => {
  expect(displayText("👩\u200D👩\u200D👧 👍🏽 ❤\uFE0F \u202Eabc\u202C")).toBe("👩👩👧 👍 ❤ abc");
});

test("plain text stays what it is, wide and combined characters too", () => {
  expect(displayText("rotate keys 署名鍵 e\u0301")).toBe("rotate keys 署名鍵 e\u0301");
});
