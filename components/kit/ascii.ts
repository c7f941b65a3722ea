import { textWidth } from "./fit.ts";

/** Signs of the dashboard, and their replacements on ASCII terminals: of the same width, and as distinct as possible. */
const SIGNS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ["─╌┄", "-"],
      ["━═", "="],
      ["│┃┆╎║▏▎▍▌▐", "|"],
      ["┅┋░", ":"],
      ["┌┐└┘├┤┬┴┼╭╮╰╯╞╡╪┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬", "+"],
      ["●◉⬤", "o"],
      ["■█▓", "#"],
      ["▣▒▤▥", "G"],
      ["□▢○◌◯▁", "."],
      ["▂▃", "_"],
      ["▄▅", "="],
      ["▆▇▀", "#"],
      ["◆", "*"],
      ["◇", "<"],
      ["✔✓", "v"],
      ["✖✕✗×", "x"],
      ["▶▸►→»›⟩", ">"],
      ["◀◂◄←«‹", "<"],
      ["▲△↑⇡", "^"],
      ["▼▽↓⇣", "v"],
      ["‖⏸", "="],
      ["✚＋", "+"],
      ["·•∙⋅", "."],
      ["…", "~"],
      ["–—−‐‑", "-"],
      ["“”„″", '"'],
      ["‘’‚′", "'"],
      ["↵⏎↩", "<"],
      ["⚑⚐", "P"],
      ["⚠", "!"],
      ["★☆✦✱∗", "*"],
      ["≤", "<"],
      ["≥", ">"],
      ["≈∼", "~"],
    ] as const
  ).flatMap(([signs, ascii]) => [...signs].map((sign) => [sign, ascii])),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is ASCII, control characters too
const ASCII = /^[\u0000-\u007f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not ASCII, with what may stand before a mark
const OTHER = /[\u0000-\u007f]?[^\u0000-\u007f]+/g;
const MARKS = /\p{Mark}/gu;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text in ASCII alone and of the same width: signs by the table, letters without their marks, everything else as question
 * marks. Control sequences stay unchanged.
 */
export function toAscii(text: string): string {
  return ASCII.test(text) ? text : text.replace(OTHER, (run) => Array.from(graphemes.segment(run), asciiSign).join(""));
}

function asciiSign({ segment }: Intl.SegmentData): string {
  const known = SIGNS[segment];
  const width = textWidth(segment);
  if (known !== undefined && known.length === width) return known;
  if (ASCII.test(segment)) return segment;
  const bare = segment.normalize("NFD").replace(MARKS, "");
  return ASCII.test(bare) && bare.length === width ? bare : "?".repeat(width);
}

/** The same stream, except that all text written to it goes through `translate` first, which must keep control sequences. */
export function translated<T extends NodeJS.WritableStream>(stream: T, translate: (text: string) => string): T {
  const write = (chunk: unknown, ...rest: unknown[]): unknown =>
    Reflect.apply(stream.write, stream, [typeof chunk === "string" ? translate(chunk) : chunk, ...rest]);
  return new Proxy(stream, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
