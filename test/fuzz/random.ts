import { createHash } from "node:crypto";

/** Choices that follow from a seed alone: the same seed gives the same input on every machine (sfc32, seeded by SHA-256). */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: string) {
    const digest = createHash("sha256").update(seed).digest();
    this.#state = Uint32Array.from([0, 4, 8, 12], (at) => digest.readUInt32LE(at));
  }

  /** A whole number from 0 up to, not including, 2^32. */
  next(): number {
    const state = this.#state;
    const [a = 0, b = 0, c = 0, count = 0] = state;
    const sum = (a + b + count) >>> 0;
    state.set([b ^ (b >>> 9), (c + (c << 3)) >>> 0, (((c << 21) | (c >>> 11)) + sum) >>> 0, (count + 1) >>> 0]);
    return sum;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * limit);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True `share` of the time. */
  chance(share: number): boolean {
    return this.next() / 0x1_0000_0000 < share;
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new RangeError("there is nothing to pick from");
    return found;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = this.next() & 0xff;
    return bytes;
  }

  /** As many values as `length` says. */
  list<T>(length: number, make: (index: number) => T): T[] {
    return Array.from({ length }, (_, index) => make(index));
  }

  /** A size that is small most of the time, and rarely as large as `most`. */
  size(most: number): number {
    return Math.floor(most * (this.next() / 0x1_0000_0000) ** 4);
  }
}
