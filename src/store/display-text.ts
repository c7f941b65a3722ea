import { plainText } from "../domain/text.ts";

/**
 * Characters on whose width terminals disagree (joiners, variation selectors, skin tones) or that turn the direction of
 * what follows: without them every terminal draws the same columns, and a line cannot be made to read backwards.
 */
const UNSTEADY = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\u{1f3fb}-\u{1f3ff}\u{e0000}-\u{e0fff}]/gu;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Outside text as one line that is safe to draw: no control sequences, runs of white space as one space. */
export function displayText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.includes("  ") ? text.replace(/ {2,}/g, " ").trim() : text.trim();
  return plainText(text).replace(UNSTEADY, "").replace(/\s+/gu, " ").trim();
}
