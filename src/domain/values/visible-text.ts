/**
 * What a reader does not see, or sees as something else: controls, what turns the direction of text, unassigned and private characters, blanks
 * that are none, default-ignorable characters (zero-width ones, tags, variation selectors), and skin tones, which terminals may leave out.
 */
const HIDDEN =
  /[^\P{C}\t\n]|[^\P{Z} ]|[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/**
 * Outside text for somebody who is to approve it: nothing is removed, and what hides is written out. A C0 control becomes its picture (␀ for
 * NUL), anything else its number (`<U+202E>`). Line feeds and tabs stay. Safe for a terminal.
 */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
