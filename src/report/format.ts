/** What is not known, or is not there. */
export const NOTHING = "–";

/** A share of the whole as a percentage that SVG takes: three decimals, never a long tail of digits. */
export function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

/** The first `most` columns of a text, with "…" where something is missing; characters of East Asia are taken as two columns. */
export function cutTo(text: string, most: number): string {
  let used = 0;
  let kept = "";
  for (const char of text) {
    used += (char.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (used > most) return `${shortened(kept)}…`;
    kept += char;
  }
  return kept;
}

/** Room for the mark. */
function shortened(text: string): string {
  return [...text].slice(0, -1).join("").trimEnd();
}
