import stringWidth from "string-width";
import { LINK } from "../../src/store/hyperlink.ts";

/** One line of the screen, cell by cell. `styles` are SGR parameters in a fixed order: equal styles are equal texts. */
export interface StyledRow {
  readonly chars: readonly string[];
  readonly styles: readonly string[];
  /** The address that each cell leads to, "" for none; absent if none leads anywhere. */
  readonly links?: readonly string[];
}

/** The address that a cell leads to, "" for none. */
export function linkAt({ links }: StyledRow, x: number): string {
  return links?.[x] ?? "";
}

/** A sequence that sets styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a sequence
const SGR = /\u001B\[([\d;]*)m/y;
const ESCAPE = "\u001B";
/** The attribute that a parameter sets, and the one that it clears (ECMA-48, 8.3.117). Colours are apart. */
const SETS: Readonly<Record<string, string>> = { 1: "bold", 2: "dim", 3: "italic", 4: "under", 7: "inverse", 9: "strike" };
const CLEARS: Readonly<Record<string, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["under"],
  27: ["inverse"],
  29: ["strike"],
  39: ["fg"],
  49: ["bg"],
};
const ORDER = ["bold", "dim", "italic", "under", "inverse", "strike", "fg", "bg"] as const;
/** Attributes that are visible on a cell without a character. */
const ON_BLANK = ["under", "inverse", "strike", "bg"] as const;

/** Finds a row that was already read: the cells at `from`, and the position in the line behind them. */
export type RowAt = (line: string, from: number) => { readonly row: StyledRow; readonly end: number } | undefined;

/**
 * Reads a line of text with SGR sequences and hyperlinks. Undefined if it contains anything but characters of one column each: terminals draw
 * such a line differently, so it is drawn as a whole or not at all. `rowAt` may know the exceptions.
 */
export function styledRow(line: string, columns: number, rowAt: RowAt = () => undefined): StyledRow | undefined {
  const cells: Cells = { chars: [], styles: [], links: [] };
  let pen: Pen = { look: Look.PLAIN, link: "" };
  let at = 0;
  while (at < line.length) {
    const char = String.fromCodePoint(line.codePointAt(at) ?? 0);
    if (isOneCell(char)) {
      cells.chars.push(char);
      cells.styles.push(char === " " ? pen.look.blank : pen.look.inked);
      cells.links.push(pen.link);
      at += char.length;
      continue;
    }
    const next = char === ESCAPE ? penAt(line, at, pen) : rowAt(line, at);
    if (next === undefined) return undefined;
    if ("pen" in next) pen = next.pen;
    else append(cells, next.row);
    at = next.end;
  }
  return cells.chars.length > columns ? undefined : padded(cells, columns);
}

interface Cells {
  readonly chars: string[];
  readonly styles: string[];
  readonly links: string[];
}

function append({ chars, styles, links }: Cells, row: StyledRow): void {
  chars.push(...row.chars);
  styles.push(...row.styles);
  links.push(...(row.links ?? row.chars.map(() => "")));
}

/** How characters are drawn: their style, and the address that they lead to. */
interface Pen {
  readonly look: Look;
  readonly link: string;
}

/** The pen from `from` on, if a known sequence begins there. */
function penAt(line: string, from: number, before: Pen): { readonly pen: Pen; readonly end: number } | undefined {
  LINK.lastIndex = from;
  const [, link] = LINK.exec(line) ?? [];
  if (link !== undefined) return { pen: { ...before, link }, end: LINK.lastIndex };
  SGR.lastIndex = from;
  const found = SGR.exec(line);
  const look = found === null ? undefined : before.look.after(found[1] ?? "");
  return look && { pen: { ...before, look }, end: SGR.lastIndex };
}

function padded({ chars, styles, links }: Cells, columns: number): StyledRow {
  while (chars.length < columns) {
    chars.push(" ");
    styles.push("");
  }
  return links.some((to) => to !== "") ? { chars, styles, links } : { chars, styles };
}

const known = new Map<string, boolean>();

/** False for control characters, joiners, marks and wide ones; a line has few different characters, so they are cached. */
function isOneCell(char: string): boolean {
  if (char >= " " && char <= "~") return true;
  const cached = known.get(char);
  if (cached !== undefined) return cached;
  const one =
    stringWidth(char) === 1 && !/\p{M}|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Cf}|\p{Bidi_Control}|\p{Cc}/u.test(char);
  if (known.size < 4_096) known.set(char, one);
  return one;
}

type Attributes = ReadonlyMap<string, string>;

/** A style of characters, one object each, so derived values are computed once. The dashboard has few, outside text none. */
class Look {
  static readonly #all = new Map<string, Look>();
  static readonly PLAIN = Look.#of(new Map());
  readonly #attributes: Attributes;
  /** By the parameters of the sequence that leads there. */
  readonly #next = new Map<string, Look | undefined>();
  /** The parameters for characters. */
  readonly inked: string;
  /** The parameters for a blank: the part that is visible on it. */
  readonly blank: string;

  private constructor(attributes: Attributes) {
    this.#attributes = attributes;
    this.inked = parameters(attributes, ORDER);
    this.blank = attributes.has("inverse") ? this.inked : parameters(attributes, ON_BLANK);
  }

  static #of(attributes: Attributes): Look {
    const key = parameters(attributes, ORDER);
    const look = Look.#all.get(key) ?? new Look(attributes);
    Look.#all.set(key, look);
    return look;
  }

  /** The style after a sequence with these parameters; undefined if one of them is unknown. */
  after(sequence: string): Look | undefined {
    if (this.#next.has(sequence)) return this.#next.get(sequence);
    const attributes = new Map(this.#attributes);
    const codes = sequence.split(";");
    let isKnown = true;
    while (isKnown && codes.length > 0) isKnown = takeOne(codes, attributes);
    const next = isKnown ? Look.#of(attributes) : undefined;
    this.#next.set(sequence, next);
    return next;
  }
}

/** Takes one attribute off the front of the parameters; false if it is unknown. */
function takeOne(codes: string[], look: Map<string, string>): boolean {
  const code = codes.shift() ?? "";
  const name = SETS[code];
  const gone = CLEARS[code];
  if (name !== undefined) look.set(name, code);
  else if (gone !== undefined) for (const attribute of gone) look.delete(attribute);
  else if (code === "" || code === "0") look.clear();
  else if (code === "38" || code === "48") look.set(code === "38" ? "fg" : "bg", [code, ...colour(codes)].join(";"));
  else if (/^[39][0-7]$/.test(code)) look.set("fg", code);
  else if (/^(?:4|10)[0-7]$/.test(code)) look.set("bg", code);
  else return false;
  return true;
}

function parameters(attributes: Attributes, items: readonly string[]): string {
  return attributes.size === 0 ? "" : items.flatMap((name) => attributes.get(name) ?? []).join(";");
}

/** The parameters of a colour by number (`5;n`) or by its parts (`2;r;g;b`). */
function colour(codes: string[]): readonly string[] {
  return codes.splice(0, codes[0] === "5" ? 2 : 4);
}
