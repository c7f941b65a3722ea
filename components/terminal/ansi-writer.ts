import { LINK_END, linkStart } from "../../src/store/hyperlink.ts";
import { linkAt, type StyledRow } from "./styled-row.ts";

const CSI = "\u001B[";
/** Up to this many unchanged cells between two changed ones are written again: a cursor move takes as many bytes. */
const NEAR = 4;
/** Styles visible on a blank: underlined, inverse, struck or with a background. A colour's own number may look like one. */
const SHOWS_ON_BLANK = /(?:^|;)(?:[479]|4[0-8]|10[0-7])(?:;|$)/;

/** Adjacent cells of a row with the same style and the same link. */
interface Piece {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly style: string;
  readonly link: string;
}

/** Writes cells with few bytes: it tracks the cursor's position and style. Rows and columns count from 0. */
export class AnsiWriter {
  readonly #columns: number;
  #pieces: Piece[] = [];
  #out = "";
  #row = -1;
  #column = -1;
  #style = "";
  #link = "";

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Draws the difference between two rows. */
  update(row: number, before: StyledRow, after: StyledRow): void {
    const isSame = (x: number) =>
      before.chars[x] === after.chars[x] && before.styles[x] === after.styles[x] && linkAt(before, x) === linkAt(after, x);
    const end = this.#rowEnd(after);
    // Blanks to the edge are one sequence if they replace more than that.
    const erase = this.#columns - end > 3 && lastDifference(isSame, end, this.#columns) - end > 3;
    const limit = erase ? end : this.#columns;
    let x = 0;
    while (x < limit) {
      if (isSame(x)) {
        x += 1;
        continue;
      }
      const to = this.#runEnd(x, limit, isSame, after);
      this.#collect(row, x, to, after);
      x = to;
    }
    if (!erase) return;
    this.#go(row, end);
    this.#out += `${CSI}K`;
  }

  /** Draws a whole row from its text, regardless of its old content. */
  replace(row: number, line: string): void {
    this.#go(row, 0);
    this.#out += `${CSI}K${line}${CSI}m`;
    this.#row = -1;
  }

  /** The drawn cells, as bytes for the terminal; the style is then plain. Sorted by style, because changing it costs most. */
  take(): string {
    const pieces = this.#pieces.sort(
      (a, b) => compare(a.link, b.link) || compare(a.style, b.style) || a.row - b.row || a.from - b.from,
    );
    for (const piece of pieces) this.#write(piece);
    this.#lead("");
    this.#wear("");
    const out = this.#out;
    this.#out = "";
    this.#pieces = [];
    this.#row = -1;
    return out;
  }

  /** The column behind the last visible cell. */
  #rowEnd(row: StyledRow): number {
    const { chars, styles } = row;
    let end = this.#columns;
    while (end > 0 && chars[end - 1] === " " && styles[end - 1] === "" && linkAt(row, end - 1) === "") end -= 1;
    return end;
  }

  /** The end of a run of changed cells from `x` on, including short gaps that look like their neighbours. */
  #runEnd(x: number, limit: number, isSame: (x: number) => boolean, row: StyledRow): number {
    const { chars, styles } = row;
    let end = x + 1;
    for (let next = end; next < limit && next - end < NEAR; next += 1) {
      if (!isSame(next)) end = next + 1;
      else if (linkAt(row, next) !== linkAt(row, end - 1)) break;
      else if (styles[next] !== styles[end - 1] && !(chars[next] === " " && styles[next] === "")) break;
    }
    return end;
  }

  /** Collects a run of cells, cut at changes of style and link. A blank that shows nothing of a style may have any such. */
  #collect(row: number, from: number, to: number, cells: StyledRow): void {
    const { chars, styles } = cells;
    let start = from;
    while (start < to) {
      const style = styles[start] ?? "";
      const link = linkAt(cells, start);
      let end = start;
      while (end < to && linkAt(cells, end) === link) {
        const next = styles[end] ?? "";
        if (next !== style && !(next === "" && chars[end] === " " && !SHOWS_ON_BLANK.test(style))) break;
        end += 1;
      }
      this.#pieces.push({ row, from: start, to: end, text: chars.slice(start, end).join(""), style, link });
      start = end;
    }
  }

  #write({ row, from, to, text, style, link }: Piece): void {
    this.#go(row, from);
    this.#wear(style);
    this.#lead(link);
    this.#out += text;
    this.#column = to;
    // Terminals disagree about the cursor's position behind the last column.
    if (to >= this.#columns) this.#row = -1;
  }

  #wear(style: string): void {
    if (style === this.#style) return;
    const more =
      this.#style === "" ? style : style.startsWith(`${this.#style};`) ? style.slice(this.#style.length + 1) : `;${style}`;
    this.#out += `${CSI}${style === "" ? "" : more}m`;
    this.#style = style;
  }

  /** Lets what follows lead to an address, or nowhere. */
  #lead(link: string): void {
    if (link !== this.#link) this.#out += link === "" ? LINK_END : linkStart(link);
    this.#link = link;
  }

  #go(row: number, column: number): void {
    const ways = [`${CSI}${row + 1};${column + 1}H`];
    if (this.#row !== -1) ways.push(...this.#relative(row - this.#row, column));
    this.#out += ways.reduce((best, way) => (way.length < best.length ? way : best));
    this.#row = row;
    this.#column = column;
  }

  /** Moves relative to the cursor: within a row, or down. */
  #relative(down: number, column: number): readonly string[] {
    if (down < 0) return [];
    const below = down === 0 ? "" : down === 1 ? `${CSI}B` : `${CSI}${down}B`;
    const by = column - this.#column;
    if (by === 0) return [below];
    if (by > 0) return [`${below}${CSI}${by === 1 ? "" : by}C`, `${below}${CSI}${column + 1}G`];
    return [`${below}${"\b".repeat(-by)}`, `${below}${CSI}${column + 1}G`, `${below}\r${column === 0 ? "" : `${CSI}${column}C`}`];
  }
}

function lastDifference(isSame: (x: number) => boolean, from: number, to: number): number {
  let last = to;
  while (last > from && isSame(last - 1)) last -= 1;
  return last;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
