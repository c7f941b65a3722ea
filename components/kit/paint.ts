import chalk, { type ForegroundColorName } from "chalk";
import { LINK_END, linkStart } from "../../src/store/hyperlink.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import type { Theme, ToneStyle } from "./theme.ts";

/** A piece of text with one style. */
export interface Span {
  readonly text: string;
  readonly tone?: Tone;
  /** @default as the theme has it for the tone */
  readonly bold?: boolean;
  readonly inverse?: boolean;
  /** The address that it leads to, on terminals with hyperlinks. */
  readonly link?: string;
}

/** A line as data: computed apart from drawing it. */
export type SpanLine = readonly Span[];

/** A sequence that begins a style, and the one that ends it. */
interface Code {
  readonly open: string;
  readonly close: string;
}

/** The end of bold also ends dim (ECMA-48, 8.3.117). */
const INTENSITY_END = "\u001B[22m";

/**
 * The line as one string with the sequences of its styles, as few as possible at each change. Ink parses its strings and writes
 * them again in this form: a string already in it (all but dim beside bold) is not parsed twice.
 */
export function paint(line: SpanLine, theme: Theme, hasLinks = false): string {
  let out = "";
  let worn: readonly Code[] = [];
  const links = new Map<string, Code>();
  for (const span of line) {
    if (span.text === "") continue;
    const styles = spanCodes(span, theme);
    const next = hasLinks && span.link !== undefined ? [...styles, linkCode(span.link, links)] : styles;
    if (next !== worn) {
      const over = worn.filter((code) => isOver(code, next));
      const dims = over.some(isIntensity);
      const begun = next.filter((code) => !worn.includes(code) || (dims && isIntensity(code)));
      out += closingCodes(over) + begun.map(({ open }) => open).join("");
      worn =
        over.length === 0 && begun.length === 0 ? worn : [...worn.filter((code) => !isReplaced(code, over, begun)), ...begun];
    }
    out += span.text;
  }
  return out + closingCodes(worn);
}

function isIntensity({ close }: Code): boolean {
  return close === INTENSITY_END;
}

/** True if a style must end before the next: another of its kind also ends it. */
function isOver(code: Code, next: readonly Code[]): boolean {
  return isIntensity(code) ? !next.includes(code) : !next.some(({ close }) => close === code.close);
}

function isReplaced(code: Code, over: readonly Code[], begun: readonly Code[]): boolean {
  if (over.includes(code) || begun.includes(code)) return true;
  return !isIntensity(code) && begun.some(({ close }) => close === code.close);
}

/** Ends styles, the last begun first. */
function closingCodes(codes: readonly Code[]): string {
  return codes
    .map(({ close }) => close)
    .toReversed()
    .join("");
}

const known = new WeakMap<Theme, Map<string, readonly Code[]>>();

function spanCodes({ tone = "plain", bold, inverse = false }: Span, theme: Theme): readonly Code[] {
  const look = theme[tone];
  const isBold = bold ?? look.bold ?? false;
  const key = `${chalk.level}${isBold ? "b" : ""}${inverse ? "i" : ""} ${tone}`;
  const ofTheme = known.get(theme) ?? new Map<string, readonly Code[]>();
  known.set(theme, ofTheme);
  const codes = ofTheme.get(key) ?? newCodes(look, isBold, inverse);
  ofTheme.set(key, codes);
  return codes;
}

/** One code for each address of a line, so that neighbours with the same one are one link. */
function linkCode(url: string, known: Map<string, Code>): Code {
  const code = known.get(url) ?? { open: linkStart(url), close: LINK_END };
  known.set(url, code);
  return code;
}

const codes = new Map<string, Code>();

/** In the order in which Ink puts them around a text. */
function newCodes(look: ToneStyle, bold: boolean, inverse: boolean): readonly Code[] {
  const samples = [
    inverse ? chalk.inverse("|") : "",
    look.underline === true ? chalk.underline("|") : "",
    bold ? chalk.bold("|") : "",
    look.color === undefined ? "" : coloured(look.color),
    look.dimColor === true ? chalk.dim("|") : "",
  ];
  return samples.flatMap((sample) => {
    const [open = "", close = ""] = sample.split("|");
    if (open === "") return [];
    const code = codes.get(open) ?? { open, close };
    codes.set(open, code);
    return [code];
  });
}

/** A sequence for a colour as themes name it: by name, by its number of 256, or as `#rrggbb`. */
function coloured(color: string): string {
  if (color.startsWith("#")) return chalk.hex(color)("|");
  const number = /^ansi256\((\d+)\)$/.exec(color)?.[1];
  return number === undefined ? chalk[color as ForegroundColorName]("|") : chalk.ansi256(Number(number))("|");
}
