import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleText } from "../../../src/domain/values/visible-text.ts";

test.each([
  ["a bidi override and its isolate", "if (admin\u202e \u2066// x\u2069) {", "if (admin<U+202E> <U+2066>// x<U+2069>) {"],
  ["zero width, soft hyphen, byte order mark", "a\u200bb\u200d\u00ad\ufeff", "a<U+200B>b<U+200D><U+00AD><U+FEFF>"],
  ["tag characters", "x\u{e0041}\u{e007f}", "x<U+E0041><U+E007F>"],
  ["variation selectors, of both blocks", "a\ufe0f\u{e0100}", "a<U+FE0F><U+E0100>"],
  ["blanks that are none", "a\u00a0b\u3000c\u2003d\u2800e\u3164", "a<U+00A0>b<U+3000>c<U+2003>d<U+2800>e<U+3164>"],
  ["line ends that are none", "a\r\nb\u2028c\u2029d\u0085e\u000bf", "a␍\nb<U+2028>c<U+2029>d<U+0085>e␋f"],
  ["controls", "\u0000\u0007\u001b[31m\u007f\u009b2J", "␀␇␛[31m␡<U+009B>2J"],
  ["what a font or a terminal leaves out", "\ue000\u{1f3fd}\ud800\ufffc", "<U+E000><U+1F3FD><U+D800><U+FFFC>"],
  ["what has no ink", "\u{13441}\u{13442}\u{16fe4}\u{1d159}", "<U+13441><U+13442><U+16FE4><U+1D159>"],
])("writes out %s", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("leaves text, tabs and line feeds as they are, and changes nothing twice", () => {
  const text = "\tconst naïve = '日本語 ✔ 👍 עברית';\n";
  expect(visibleText(text)).toBe(text);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (any) => {
      const shown = visibleText(any);
      expect(visibleText(shown)).toBe(shown);
      expect(shown).not.toMatch(/[^\n\t\P{C}]|\p{Default_Ignorable_Code_Point}/u);
    }),
  );
});
