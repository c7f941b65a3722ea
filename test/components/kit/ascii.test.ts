import { expect, test } from "vitest";
import { toAscii } from "../../../components/kit/ascii.ts";
import { textWidth } from "../../../components/kit/fit.ts";

test.each([
  ["plain \u001b[31mred\u001b[0m", "plain \u001b[31mred\u001b[0m"],
  ["─ AT WORK ┬ EVENTS ┴", "- AT WORK + EVENTS +"],
  ["\u001b[31m● RUNNING\u001b[39m ◆ ✔ ✖", "\u001b[31mo RUNNING\u001b[39m * v x"],
  ["Größe café e\u0301", "Gro?e cafe e"],
  ["署名", "????"],
  ["👩 ok", "?? ok"],
  ["שלום", "????"],
  ["a…", "a~"],
])("%j", (text, ascii) => {
  expect(toAscii(text)).toBe(ascii);
});

test("every character is as wide in ASCII as it was", () => {
  for (let code = 0xa0; code < 0x1_ff_ff; code += code < 0x3000 ? 1 : 61) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const sign = String.fromCodePoint(code);
    const ascii = toAscii(`a ${sign} b`);
    expect(ascii, sign).toMatch(/^[ -~]*$/);
    expect(ascii.length, `U+${code.toString(16)}`).toBe(textWidth(`a ${sign} b`));
  }
});

test("what a bar's pattern tells stays told: at work, finishing, shipped, gated, failed, killed, cut off, the finish line", () => {
  const signs = [...toAscii("▸─━!×■·░")];
  expect(new Set(signs).size).toBe(signs.length);
});
