import { expect, test } from "vitest";
import { jsonText } from "../../../src/domain/values/text.ts";

test("JSON of hostile text holds nothing that steers a terminal or reorders its text, and reads back the same", () => {
  const value = { "na\u009bme": ["\u001b[2J", "\u009b2J", "a\u202eb", "\u2066x\u2069", "\u200bz", "\ufeff", "é✔ 日本"] };
  for (const indent of [undefined, 2]) {
    const text = jsonText(value, indent);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
    expect(text).toContain("é✔ 日本");
    expect(text.endsWith("\n")).toBe(true);
    expect(JSON.parse(text)).toEqual(value);
  }
});
