import { widthOf } from "../fit.ts";

/** One line of the screen, cell by cell. `styles` are SGR parameters in a fixed order: two that look alike are equal. */
export interface StyledRow {
  readonly chars: readonly string[];
  readonly styles: readonly string[];
}

/** A sequence that sets looks, or one character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a sequence
const PARTS = /\u001B\[([\d;]*)m|./gsu;
/** Which attribute a parameter sets, and which it takes away (ECMA-48, 8.3.117). Colours are apart. */
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
/** What shows on a cell without a character. */
const ON_BLANK = ["under", "inverse", "strike", "bg"] as const;

/**
 * Reads a line of text with SGR sequences. Undefined where it holds anything but characters of one column each: what such a
 * line looks like is the terminal's to say, so it is drawn as a whole or not at all.
 */
export function styledRow(line: string, columns: number): StyledRow | undefined {
  const chars: string[] = [];
  const styles: string[] = [];
  const look = new Look();
  for (const [char, sgr] of line.matchAll(PARTS)) {
    if (sgr !== undefined && look.apply(sgr)) continue;
    if (sgr !== undefined || !isOneCell(char)) return undefined;
    chars.push(char);
    styles.push(char === " " ? look.blank : look.inked);
  }
  if (chars.length > columns) return undefined;
  while (chars.length < columns) {
    chars.push(" ");
    styles.push("");
  }
  return { chars, styles };
}

const known = new Map<string, boolean>();

/** Control characters, joiners, marks and wide characters are not; a line has few different characters, so they are remembered. */
function isOneCell(char: string): boolean {
  if (char >= " " && char <= "~") return true;
  const cached = known.get(char);
  if (cached !== undefined) return cached;
  const one =
    widthOf(char) === 1 && !/\p{M}|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Cf}|\p{Bidi_Control}|\p{Cc}/u.test(char);
  if (known.size < 4_096) known.set(char, one);
  return one;
}

/** How characters look from here on. */
class Look {
  readonly #attributes = new Map<string, string>();
  /** Of what is written. */
  inked = "";
  /** Of a blank: what of that shows on it. */
  blank = "";

  /** Takes the parameters of a sequence; false where one is not known. */
  apply(sequence: string): boolean {
    const codes = sequence.split(";");
    while (codes.length > 0) if (!this.#applyOne(codes)) return false;
    this.inked = this.#parameters(ORDER);
    this.blank = this.#attributes.has("inverse") ? this.inked : this.#parameters(ON_BLANK);
    return true;
  }

  /** Takes one attribute off the front. */
  #applyOne(codes: string[]): boolean {
    const code = codes.shift() ?? "";
    const look = this.#attributes;
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

  #parameters(of: readonly string[]): string {
    return this.#attributes.size === 0 ? "" : of.flatMap((name) => this.#attributes.get(name) ?? []).join(";");
  }
}

/** The parameters of a colour by number (`5;n`) or by its parts (`2;r;g;b`). */
function colour(codes: string[]): readonly string[] {
  return codes.splice(0, codes[0] === "5" ? 2 : 4);
}
