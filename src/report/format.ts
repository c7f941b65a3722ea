/** Stands for an unknown or missing value. */
export const NOTHING = "–";

/** A share of the whole as a percentage for SVG: at most three decimals. */
export function percent(share: number): string {
  return `${Math.round(share * 100_000) / 1000}%`;
}

/** The first `most` columns of a text, with "…" if something is cut; East Asian characters count as two columns. */
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
