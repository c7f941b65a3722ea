import { createContext } from "react";
import { type StyledRow, styledRow } from "./styled-row.ts";

/** Begins a sign. No drawn text contains it: outside text loses its control characters, and Ink's own sequences have none. */
const SIGN = "\u0001";
const SIGN_CELLS = 3;
/** Digits of a sign's number: printable ASCII without the blank. */
const DIGITS = 94;
const NUMBERS = DIGITS ** 2;
/** Several times the lines of the largest terminal. */
const MOST = 1_024;

interface PreparedLine {
  readonly sign: string;
  readonly text: string;
  readonly row: StyledRow;
}

/**
 * Painted lines that Ink lays out without reading them. Ink parses all text of a frame, character by character, even if nothing
 * has changed. So it gets a sign in place of a line, three cells that stand for all of its cells, and the real line is read once.
 * Each text has a sign of its own: if the text changes, so does the frame.
 */
export class LinePlaceholders {
  readonly #isCovered: () => boolean;
  /** The last ones used, oldest first. */
  readonly #byText = new Map<string, PreparedLine>();
  readonly #bySign = new Map<string, PreparedLine>();
  #number = 0;

  /** `isCovered`: true if something covers lines. Ink must know partly covered lines cell by cell. */
  constructor(isCovered: () => boolean = () => false) {
    this.#isCovered = isCovered;
  }

  /** The text that Ink writes for a painted text of `width` columns: its sign, or the text itself if no sign can replace it. */
  standIn(text: string, width: number): string {
    if (width < SIGN_CELLS || this.#isCovered()) return text;
    const known = this.#byText.get(text);
    if (known !== undefined) {
      this.#byText.delete(text);
      this.#byText.set(text, known);
      return known.sign;
    }
    const row = styledRow(text, width);
    return row === undefined ? text : this.#add(text, row);
  }

  /** The line whose sign begins at `from`. Undefined if there is no such sign. */
  at(line: string, from: number): { readonly row: StyledRow; readonly end: number } | undefined {
    const found = this.#bySign.get(line.slice(from, from + SIGN_CELLS));
    if (found === undefined) return undefined;
    const last = from + found.row.chars.length;
    let end = from + SIGN_CELLS;
    while (end < last && line[end] === " ") end += 1;
    return { row: found.row, end };
  }

  /** Text as Ink writes it, with the lines themselves in place of their signs. */
  written(text: string): string {
    let out = "";
    let from = 0;
    for (let sign = text.indexOf(SIGN); sign !== -1; sign = text.indexOf(SIGN, from)) {
      const found = this.#bySign.get(text.slice(sign, sign + SIGN_CELLS));
      out += text.slice(from, sign) + (found?.text ?? "");
      from = this.at(text, sign)?.end ?? sign + 1;
    }
    return from === 0 ? text : out + text.slice(from);
  }

  #add(text: string, row: StyledRow): string {
    if (this.#byText.size >= MOST) this.#forgetOldest();
    const line = { sign: this.#nextSign(), text, row };
    this.#byText.set(text, line);
    this.#bySign.set(line.sign, line);
    return line.sign;
  }

  #forgetOldest(): void {
    const [oldest] = this.#byText.values();
    if (oldest === undefined) return;
    this.#byText.delete(oldest.text);
    this.#bySign.delete(oldest.sign);
  }

  #nextSign(): string {
    let sign: string;
    do {
      this.#number = (this.#number + 1) % NUMBERS;
      const digits = [Math.floor(this.#number / DIGITS), this.#number % DIGITS];
      sign = SIGN + String.fromCharCode(...digits.map((digit) => 0x21 + digit));
    } while (this.#bySign.has(sign));
    return sign;
  }
}

/** Present if lines have placeholders; without it they are painted for Ink to read. */
export const LinePlaceholdersContext = createContext<LinePlaceholders | undefined>(undefined);
