import type xterm from "@xterm/headless";
import stringWidth from "string-width";

/**
 * xterm's own table is that of 2010, where no emoji is wide. Terminals of today take two columns for one; a regional indicator
 * (half a flag) takes one, and a Hangul vowel or tail joins the syllable before it, as in the C library's table.
 */
export function useModernWidths(screen: InstanceType<typeof xterm.Terminal>): void {
  const wcwidth = (codepoint: number): 0 | 1 | 2 => {
    if (codepoint < 0x7f) return codepoint < 0x20 ? 0 : 1;
    if (codepoint >= 0x1f1e6 && codepoint <= 0x1f1ff) return 1;
    if (codepoint >= 0x1160 && codepoint <= 0x11ff) return 0;
    const width = stringWidth(String.fromCodePoint(codepoint));
    return width === 0 || width === 1 ? width : 2;
  };
  const charProperties = (codepoint: number, preceding: number): number => {
    const before = (preceding >> 1) & 3;
    const width = wcwidth(codepoint);
    const joins = width === 0 && before > 0;
    return ((joins ? before : width) << 1) | (joins ? 1 : 0);
  };
  screen.unicode.register({ version: "modern", wcwidth, charProperties });
  screen.unicode.activeVersion = "modern";
}
