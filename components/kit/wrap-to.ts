import { cut, wrapWords } from "./fit.ts";

/** Breaks a text into at most `most` lines of at most `width` columns; where there is more of it, the last one ends with a mark. */
export function wrapTo(text: string, width: number, most: number): readonly string[] {
  const lines = wrapWords(text, width);
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most - 1), ...lines.slice(most - 1, most).map((line) => cut(`${line} …`, width))];
}
