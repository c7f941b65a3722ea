import { plainText } from "../domain/values/text.ts";

/**
 * Characters whose width differs between terminals (joiners, variation selectors, skin tones) or that turn the direction of the
 * text after them. Without them every terminal draws the same columns, and a line cannot read backwards.
 */
const UNSTEADY = /\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier}/gu;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Outside text as one line that is safe to draw: no control sequences, runs of white space as one space. */
export function displayText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.includes("  ") ? text.replace(/ {2,}/g, " ").trim() : text.trim();
  return plainText(text).replace(UNSTEADY, "").replace(/\s+/gu, " ").trim();
}

/** Columns from one tab stop to the next. */
const TAB = 4;

/** Outside text as one line that is safe to draw, with its spaces kept as they are: for logs and code. Tabs become spaces. */
export function displayLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text.trimEnd();
  const pieces = text.split("\t").map((piece) => plainText(piece).replace(UNSTEADY, ""));
  const padded = pieces.map((piece, i) => (i === pieces.length - 1 ? piece : piece + " ".repeat(TAB - (piece.length % TAB))));
  return padded.join("").trimEnd();
}
