import { type Pattern, type PatternHit, pairAt, type Searched } from "./patterns.ts";

/** Bytes between two characters of a pattern, at most. */
const MOST_BETWEEN = 80;

/** Entries of the table of shifts: one for every two bytes. */
const PAIRS = 65_536;
const BACKSLASH = 0x5c;

/** Kinds of bytes: of text, between characters, and those that are between characters after a backslash. */
const [TEXT, BETWEEN, ESCAPED] = [0, 1, 2];
const KINDS = new Uint8Array(256).fill(TEXT);
for (const byte of Buffer.from(" \t\r\n\\")) KINDS[byte] = BETWEEN;
for (const byte of Buffer.from("nrt")) KINDS[byte] = ESCAPED;

/** The patterns are cut off by the end of the bytes. */
const CUT = Number.POSITIVE_INFINITY;

/**
 * Finds many patterns in one pass, also with up to 80 bytes of white space between any two of their characters, as base64 is
 * wrapped and indented (RFC 2045, 6.8; RFC 7468). White space within strings of programs counts too: `\n`, and `\\n` in JSON that
 * holds JSON. So no pattern may have white space or a backslash.
 *
 * As in `Patterns`, two characters at the end of a window tell how far the next window can end. White space between only moves
 * that end away, so that the bytes can be skipped that far without being read.
 */
export class WrappedPatterns {
  readonly #all: readonly Pattern[];
  /** Characters of the window: those of the shortest pattern. */
  readonly #window: number;
  /** How far the end of the next window is away, by the last two characters of this one. */
  readonly #shifts = new Uint8Array(PAIRS);
  /** The same by the last two bytes; 0 if they have to be looked at closer. */
  readonly #steps = new Uint8Array(PAIRS);
  /** Patterns by the last two bytes of their window, the longest first. */
  readonly #candidates = new Map<number, Pattern[]>();
  /** 1 for bytes of windows, for bytes that begin a pattern, and for two bytes that do. */
  readonly #inWindows = new Uint8Array(256);
  readonly #begins = new Uint8Array(256);
  readonly #beginPairs = new Uint8Array(PAIRS);

  /** Each pattern has at least two bytes. */
  constructor(patterns: readonly Pattern[]) {
    this.#all = patterns.toSorted((a, b) => b.bytes.length - a.bytes.length);
    const window = Math.min(255, this.#all.at(-1)?.bytes.length ?? 2);
    this.#window = window;
    this.#shifts.fill(window - 1);
    for (const pattern of this.#all) {
      const { bytes } = pattern;
      this.#begins[bytes[0] ?? 0] = 1;
      this.#beginPairs[pairAt(bytes, 1)] = 1;
      for (const byte of bytes.subarray(0, window)) this.#inWindows[byte] = 1;
      for (let at = 1; at < window; at++) {
        const pair = pairAt(bytes, at);
        this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, window - 1 - at);
      }
      const last = pairAt(bytes, window - 1);
      const others = this.#candidates.get(last);
      if (others === undefined) this.#candidates.set(last, [pattern]);
      else others.push(pattern);
    }
    this.#shifts.forEach((shift, pair) => {
      if (KINDS[pair >> 8] === TEXT && KINDS[pair & 255] !== BETWEEN) this.#steps[pair] = shift;
    });
  }

  /**
   * Every pattern in the bytes, by its start, and the index from which on the last bytes are the beginning of a pattern (their
   * length if they are not).
   */
  search(bytes: Buffer): Searched {
    const { length } = bytes;
    const found: PatternHit[] = [];
    let beginning = length;
    if (this.#all.length === 0) return { found, beginning };
    for (const end of this.#windowEnds(bytes)) {
      for (const pattern of this.#candidates.get((charBefore(bytes, end) << 8) | (bytes[end] as number)) ?? []) {
        const from = wrappedStart(bytes, end, pattern.bytes, this.#window);
        if (from < 0) continue;
        const to = wrappedEnd(bytes, end, pattern.bytes, this.#window);
        if (to === CUT) beginning = Math.min(beginning, from);
        else if (to >= 0) {
          found.push({ from, to, mark: pattern.mark });
          break;
        }
      }
    }
    return { found, beginning: beginning < length ? beginning : this.#shortBeginning(bytes) };
  }

  /** Where the last character of a window may lie, in order. Both halves in turn, as in `Patterns`. */
  #windowEnds(bytes: Buffer): readonly number[] {
    const steps = this.#steps;
    const { length } = bytes;
    const start = this.#window - 1;
    const middle = Math.max(start, length >> 1);
    const first: number[] = [];
    const second: number[] = [];
    const step = (at: number, until: number, ends: number[]): number => {
      const size = steps[((bytes[at - 1] as number) << 8) | (bytes[at] as number)] as number;
      return size > 0 ? at + size : this.#lookCloser(bytes, at, { until, ends });
    };
    let [a, b] = [start, middle];
    while (a < middle && b < length) {
      a = step(a, middle, first);
      b = step(b, length, second);
    }
    while (a < middle) a = step(a, middle, first);
    while (b < length) b = step(b, length, second);
    return second.length === 0 ? first : [...first, ...second];
  }

  /** Where the search goes on behind a window that may end at `from`, or behind the white space there. */
  #lookCloser(bytes: Buffer, from: number, { until, ends }: { readonly until: number; readonly ends: number[] }): number {
    let at = from;
    while (isBetween(bytes, at)) if (++at >= until) return at;
    const before = charBefore(bytes, at);
    const shift = before < 0 ? this.#window - 1 : (this.#shifts[(before << 8) | (bytes[at] as number)] as number);
    if (shift > 0) return at + shift;
    ends.push(at);
    return at + 1;
  }

  /** The index from which on the last bytes begin a pattern, with fewer characters than the window. */
  #shortBeginning(bytes: Buffer): number {
    const { length } = bytes;
    const last = before(bytes, length);
    if (last < 0 || this.#inWindows[bytes[last] as number] === 0) return length;
    let beginning = this.#begins[bytes[last] as number] === 1 ? last : length;
    const end: number[] = [bytes[last] as number];
    for (let at = before(bytes, last); at >= 0 && end.length < this.#window - 1; at = before(bytes, at)) {
      const byte = bytes[at] as number;
      if (this.#inWindows[byte] === 0) break;
      const pair = (byte << 8) | (end.at(-1) as number);
      end.push(byte);
      if (this.#beginPairs[pair] === 1 && this.#all.some((pattern) => beginsWith(pattern.bytes, end))) beginning = at;
    }
    return beginning;
  }
}

/** True if the bytes from `from` on are one character and white space. */
export function isLoneCharacter(bytes: Buffer, from: number): boolean {
  return from < bytes.length - 1 && before(bytes, bytes.length) === from;
}

/** True if a pattern begins with these bytes, the last first. */
function beginsWith(pattern: Buffer, reversed: readonly number[]): boolean {
  return reversed.every((byte, i) => pattern[reversed.length - 1 - i] === byte);
}

function isBetween(bytes: Buffer, at: number): boolean {
  const kind = KINDS[bytes[at] as number];
  return kind === BETWEEN || (kind === ESCAPED && bytes[at - 1] === BACKSLASH);
}

/** The index of the last character before `at`; -1 if there is none, or if more is between than may be. */
function before(bytes: Buffer, at: number): number {
  const least = Math.max(0, at - 1 - MOST_BETWEEN);
  for (let i = at - 1; i >= least; i--) if (!isBetween(bytes, i)) return i;
  return -1;
}

/** The last character before `at`, or -1. */
function charBefore(bytes: Buffer, at: number): number {
  const index = before(bytes, at);
  return index < 0 ? -1 : (bytes[index] as number);
}

/** The index of the next character behind `at`; -1 if more is between than may be, `CUT` if the bytes end before. */
function after(bytes: Buffer, at: number): number {
  const most = at + 1 + MOST_BETWEEN;
  for (let i = at + 1; i <= most; i++) {
    if (i >= bytes.length) return CUT;
    if (!isBetween(bytes, i)) return i;
  }
  return -1;
}

/** The index at which the window begins that ends at `end`; -1 if another text is there. */
function wrappedStart(bytes: Buffer, end: number, pattern: Buffer, window: number): number {
  let at = end;
  for (let i = window - 1; ; i--) {
    if (at < 0 || bytes[at] !== pattern[i]) return -1;
    if (i === 0) return at;
    at = before(bytes, at);
  }
}

/** The index behind the pattern whose window ends at `end`; -1 if another text is there, `CUT` if the bytes end within it. */
function wrappedEnd(bytes: Buffer, end: number, pattern: Buffer, window: number): number {
  let at = end;
  for (let i = window; i < pattern.length; i++) {
    at = after(bytes, at);
    if (at === CUT) return CUT;
    if (at < 0 || bytes[at] !== pattern[i]) return -1;
  }
  return at + 1;
}
