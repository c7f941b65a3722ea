/**
 * Characters that are unsafe for a terminal: C0 and C1 controls, line and paragraph separators, interlinear annotation, lone
 * surrogates, and everything that Unicode calls default-ignorable (bidi marks and isolates, zero-width characters, tags, fillers,
 * variation selectors).
 */
const SUSPECT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Surrogate}]/gu;

/** A value as JSON, ended by a newline, in which no text steers a terminal or reorders what it shows. `indent`: columns of a level; without, one line. */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  return `${text.replace(SUSPECT, (found) => (found === "\n" ? found : escapedUnits(found)))}\n`;
}

/** Each UTF-16 unit as JSON's own escape. */
function escapedUnits(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Ends of a control string: ECMA-48 says ST; terminals also end it at ESC, CAN and SUB. A line break ends it here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const STRING_END = /[\u0018\u001a\u001b\u009c\n\r]/g;
/** OSC strings may end with BEL as well (xterm). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OSC_END = /[\u0007\u0018\u001a\u001b\u009c\n\r]/g;
/** Parameters, intermediates and final byte of a control sequence (ECMA-48, 5.4), whole or cut short. */
const CSI_REST = /[0-?]*[ -/]*[@-~]?/y;
/** The rest of a plain escape sequence after ESC: intermediates and a final byte. */
const ESCAPE_REST = /[ -/]*[0-~]?/y;

const ESC = 0x1b;
const ZWJ = 0x200d;
const PICTOGRAPH = /^\p{Extended_Pictographic}/u;
const BEFORE_EMOJI_JOINER = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)/u;
const MARK = /^(?![\ufe00-\ufe0f])\p{Mark}/u;
/** Some letters (Hangul fillers) are invisible, and are removed themselves. */
const LETTER = /^(?!\p{Default_Ignorable_Code_Point})\p{Letter}/u;

/**
 * Outside text as one line that is safe for a terminal. Escape sequences and control strings are removed (also 8-bit and
 * unterminated ones), tabs and line breaks become spaces, hidden and direction-changing characters are removed, and lone
 * surrogates become U+FFFD. Joiners stay within emoji and after combining marks. At most `maxLength` code points, "…" included.
 * Linear time.
 */
export function plainText(text: string, maxLength?: number): string {
  const cleaned = cleanLine(text);
  return maxLength === undefined ? cleaned : cut(cleaned, maxLength);
}

/**
 * The same, line by line. At most `maxLines` lines; if lines are left out, the last one gives their number. A carriage return
 * also ends a line, so the states of a progress bar become lines of their own.
 */
export function plainLines(
  text: string,
  { maxLines, maxLength }: { readonly maxLines: number; readonly maxLength?: number },
): readonly string[] {
  const lines = text.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
  if (lines.at(-1) === "") lines.pop();
  const over = lines.length > maxLines;
  const shown = over ? lines.slice(0, Math.max(0, maxLines - 1)) : lines;
  const plain = shown.map((line) => plainText(line, maxLength));
  return over && maxLines > 0 ? [...plain, cut(`… ${lines.length - shown.length} more lines`, maxLength ?? 80)] : plain;
}

function cleanLine(text: string): string {
  const pieces: string[] = [];
  let last = -1;
  const put = (piece: string) => {
    if (piece === "") return;
    pieces.push(piece);
    last = lastCodePoint(piece);
  };
  let at = 0;
  while (at < text.length) {
    const found = next(SUSPECT, text, at);
    put(text.slice(at, found));
    if (found >= text.length) break;
    const code = text.codePointAt(found) ?? 0;
    const size = code > 0xffff ? 2 : 1;
    at = code === ESC || isC1(code) ? skipSequence(text, found, code) : found + size + (isCrLf(text, found) ? 1 : 0);
    put(replacement(code, last, text, found + size));
  }
  return pieces.join("");
}

/** The replacement of one suspect character in the cleaned line, usually nothing. `after` is the index after the character. */
function replacement(code: number, last: number, text: string, after: number): string {
  if (isBreak(code)) return " ";
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code === ZWJ && joins(last, text, after)) return "\u200d";
  if (code >= 0xfe00 && code <= 0xfe0f && isVisible(last)) return String.fromCodePoint(code);
  return "";
}

/** Tab, line feed, vertical tab, form feed, carriage return, NEL, line and paragraph separator. */
function isBreak(code: number): boolean {
  return (code >= 0x09 && code <= 0x0d) || code === 0x85 || code === 0x2028 || code === 0x2029;
}

function isC1(code: number): boolean {
  return code >= 0x80 && code <= 0x9f;
}

function isCrLf(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a;
}

/** True if a selector can belong to the character before it: a visible one that is no joiner or selector itself. */
function isVisible(last: number): boolean {
  return last > 0x20 && last !== ZWJ && !(last >= 0xfe00 && last <= 0xfe0f);
}

function joins(last: number, text: string, after: number): boolean {
  if (last < 0) return false;
  const before = String.fromCodePoint(last);
  const behind = String.fromCodePoint(text.codePointAt(after) ?? 0);
  return (BEFORE_EMOJI_JOINER.test(before) && PICTOGRAPH.test(behind)) || (MARK.test(before) && LETTER.test(behind));
}

/**
 * The index after the sequence that ESC or a C1 control at `at` begins. Never before `at + 1`. The end of a control string is
 * left for the caller, which removes it or makes a line break of it like any other.
 */
function skipSequence(text: string, at: number, code: number): number {
  const seven = code === ESC;
  const kind = seven ? text.charCodeAt(at + 1) + 0x40 : code;
  const body = at + (seven ? 2 : 1);
  switch (kind) {
    case 0x9b:
      return sticky(CSI_REST, text, body);
    case 0x9d:
      return next(OSC_END, text, body);
    case 0x90: // DCS
    case 0x98: // SOS
    case 0x9e: // PM
    case 0x9f: // APC
      return next(STRING_END, text, body);
    default:
      return seven ? sticky(ESCAPE_REST, text, at + 1) : at + 1;
  }
}

/** Index of the next match of a global pattern from `from` on, or the length of the text. */
function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** The end of a match of a sticky pattern that may match nothing. */
function sticky(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function lastCodePoint(piece: string): number {
  const low = piece.charCodeAt(piece.length - 1);
  return low >= 0xdc00 && low <= 0xdfff ? (piece.codePointAt(piece.length - 2) ?? low) : low;
}

/** The first code points, and "…" for the rest, without a dangling joiner or selector before it. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  let kept = 0;
  let keep = 0;
  while (end < text.length && kept < maxLength) {
    if (kept === maxLength - 1) keep = end;
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
    kept++;
  }
  if (end >= text.length) return text;
  return maxLength < 1 ? "" : `${text.slice(0, keep).replace(/(?<![\u200d\ufe00-\ufe0f])[\u200d\ufe00-\ufe0f]+$/, "")}…`;
}

/** The message of an error; for anything else that was thrown, its text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system or of Node ("ENOENT", "ERR_OUT_OF_RANGE"); undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** True if something thrown is an error of the system or of Node with one of these codes. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== undefined && codes.includes(code);
}

/** `1 ticket`, `2 tickets`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The first `max` texts of a list. If there are more, a last text counts them: `["a", "b", "and 7 more"]`. */
export function firstFew(texts: readonly string[], max: number): readonly string[] {
  const more = texts.length - max;
  return more > 0 ? [...texts.slice(0, max), `and ${more} more`] : texts;
}

/** The same as one line: `a, b and 7 more`. */
export function firstFewLine(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return more > 0 ? `${texts.slice(0, max).join(", ")} and ${more} more` : texts.join(", ");
}

/** Characters of captured output that travel as evidence; the whole stays in the attempt's log. */
const EVIDENCE_CHARS = 4_000;

/** The end of a long output, where failures usually stand, with a mark where it was cut. */
export function boundedTail(text: string, limit = EVIDENCE_CHARS): string {
  const clean = text.trimEnd();
  return clean.length <= limit ? clean : `[… ${clean.length - limit} characters cut …]\n${clean.slice(-limit)}`;
}

/** Equal lines in a row as one, with their number. */
export function collapseRepeats(lines: readonly string[]): readonly string[] {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line && line.trim() !== "") last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}

/** The beginning of a long text, with a mark where it was cut. */
export function boundedHead(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}\n[… ${text.length - limit} characters cut …]`;
}

/** A list of names, cut with a count. */
export function boundedList(names: readonly string[], most = 20): string {
  return firstFew(names, most).join("\n");
}

/**
 * The beginning of a long text, cut after a whole word. Secrets are masked later, by their whole text: a part of one would not be
 * found. A text without a space before the limit is left out.
 */
export function wholeWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.slice(0, limit + 1).search(/\s\S*$/);
  return `${text.slice(0, Math.max(0, end))} …`;
}
