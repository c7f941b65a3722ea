/** The place of a found pattern: from its first byte up to the one behind its last. */
export interface PatternHit {
  readonly from: number;
  readonly to: number;
  /** The index of the mark of the pattern. */
  readonly mark: number;
}

/** Bytes to find, and what stands for them. */
export interface Pattern {
  readonly bytes: Buffer;
  readonly mark: number;
}

/** What a search of bytes gives. */
export interface Searched {
  readonly found: readonly PatternHit[];
  /** From here on, the bytes are the beginning of a pattern; their length if they are not. */
  readonly beginning: number;
}

const NONE: readonly PatternHit[] = [];

/** Entries of the table of shifts: one for every two bytes. */
const PAIRS = 65_536;

/**
 * Finds many patterns in one pass (Wu and Manber, A Fast Algorithm for Multi-Pattern Searching, 1994, with blocks of two bytes).
 * Looks at two bytes and skips up to the length of the shortest pattern, so that long patterns cost less than reading the bytes.
 */
export class Patterns {
  /** Bytes of the longest pattern; 0 if there is none. */
  readonly longest: number;
  readonly #all: readonly Pattern[];
  /** Bytes of the window: those of the shortest pattern. */
  readonly #window: number;
  readonly #shifts = new Uint8Array(PAIRS);
  /** Patterns by the last two bytes of their window, the longest first. */
  readonly #candidates = new Map<number, Pattern[]>();
  /** 1 for bytes that begin a pattern, and for two bytes that do. */
  readonly #begins = new Uint8Array(256);
  /** 1 for bytes of windows: the last byte of a pattern's beginning is one. A line end is none in most batches. */
  readonly #inWindows = new Uint8Array(256);
  readonly #beginPairs = new Uint8Array(PAIRS);

  /** Each pattern has at least two bytes. */
  constructor(patterns: readonly Pattern[]) {
    this.#all = patterns.toSorted((a, b) => b.bytes.length - a.bytes.length);
    this.longest = this.#all[0]?.bytes.length ?? 0;
    this.#window = Math.min(255, this.#all.at(-1)?.bytes.length ?? 2);
    const window = this.#window;
    this.#shifts.fill(window - 1);
    for (const pattern of this.#all) {
      const { bytes } = pattern;
      this.#begins[bytes[0] ?? 0] = 1;
      for (const byte of bytes.subarray(0, window)) this.#inWindows[byte] = 1;
      this.#beginPairs[pairAt(bytes, 1)] = 1;
      for (let at = 1; at < window; at++) {
        const pair = pairAt(bytes, at);
        this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, window - 1 - at);
      }
      const last = pairAt(bytes, window - 1);
      const others = this.#candidates.get(last);
      if (others === undefined) this.#candidates.set(last, [pattern]);
      else others.push(pattern);
    }
  }

  /** Every pattern in the bytes, by its start; at one start the longest. They may overlap. */
  find(bytes: Buffer): readonly PatternHit[] {
    return this.search(bytes).found;
  }

  /**
   * Every pattern in the bytes, and the index from which on the last bytes are the beginning of a pattern (their length if they
   * are not). Both in one pass: the beginning of a pattern that is as long as the window is met like the pattern itself, so only
   * the few bytes behind are looked at one by one. Programs often print single lines, and each of them has an end.
   */
  search(bytes: Buffer): Searched {
    const { length } = bytes;
    if (this.longest === 0) return { found: NONE, beginning: length };
    let found: PatternHit[] | undefined;
    let beginning = length;
    for (const from of this.#windows(bytes)) {
      const match = this.#at(bytes, from);
      if (match !== undefined) {
        found ??= [];
        found.push(match);
      }
      if (beginning === length && this.#beginsAt(bytes, from)) beginning = from;
    }
    return { found: found ?? NONE, beginning: beginning < length ? beginning : this.#shortBeginning(bytes) };
  }

  /**
   * Where a window may begin, in order. Both halves of the bytes are searched in turn: each step waits for memory, and a
   * processor waits for two at the same time.
   */
  #windows(bytes: Buffer): readonly number[] {
    const shifts = this.#shifts;
    const { length } = bytes;
    const before = this.#window - 1;
    const middle = Math.max(before, length >> 1);
    const first: number[] = [];
    const second: number[] = [];
    const step = (at: number, hits: number[]): number => {
      // In range: at least one byte comes before the window's last one.
      const shift = shifts[((bytes[at - 1] as number) << 8) | (bytes[at] as number)] as number;
      if (shift > 0) return at + shift;
      hits.push(at - before);
      return at + 1;
    };
    let [a, b] = [before, middle];
    while (a < middle && b < length) {
      a = step(a, first);
      b = step(b, second);
    }
    while (a < middle) a = step(a, first);
    while (b < length) b = step(b, second);
    return second.length === 0 ? first : [...first, ...second];
  }

  #at(bytes: Buffer, from: number): PatternHit | undefined {
    const candidates = this.#candidates.get(pairAt(bytes, from + this.#window - 1)) ?? [];
    const hit = candidates.find(({ bytes: wanted }) => isAt(bytes, wanted, from));
    return hit === undefined ? undefined : { from, to: from + hit.bytes.length, mark: hit.mark };
  }

  /** The same for bytes that are shorter than the window. */
  #shortBeginning(bytes: Buffer): number {
    const pairs = this.#beginPairs;
    const last = bytes.length - 1;
    if (last < 0 || this.#inWindows[bytes[last] as number] === 0) return bytes.length;
    for (let from = Math.max(0, last - this.#window + 2); from < last; from++) {
      const pair = ((bytes[from] as number) << 8) | (bytes[from + 1] as number);
      if (pairs[pair] === 1 && this.#beginsAt(bytes, from)) return from;
    }
    return this.#begins[bytes[last] as number] === 1 ? last : bytes.length;
  }

  #beginsAt(bytes: Buffer, from: number): boolean {
    const size = bytes.length - from;
    if (size >= this.longest) return false;
    return this.#all.some(
      ({ bytes: wanted }) => wanted.length > size && wanted.compare(bytes, from, bytes.length, 0, size) === 0,
    );
  }
}

/** The two bytes that end at an index. */
export function pairAt(bytes: Buffer, at: number): number {
  return ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0);
}

function isAt(bytes: Buffer, wanted: Buffer, from: number): boolean {
  return from + wanted.length <= bytes.length && wanted.compare(bytes, from, from + wanted.length) === 0;
}
