import { describe, expect, it } from "vitest";
import { plainText } from "../src/text.ts";

describe("plainText", () => {
  it.each([
    ["ESC", "\u001b"],
    ["CSI", "\u001b["],
    ["OSC", "\u001b]"],
    ["8-bit DCS", "\u0090"],
    ["parameters", "\u001b[1;"],
    ["intermediates", "\u001b[ "],
    ["joiners", "\u{1f468}\u200d"],
    ["selectors", "a\ufe0f"],
  ])("takes time that grows linearly: %s", (_, unit) => {
    // A megabyte takes a fraction of a second; work that grows with the square of the length would take minutes.
    const text = unit.repeat((1 << 20) / unit.length);
    const start = performance.now();
    plainText(text);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
