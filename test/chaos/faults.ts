import type { Random } from "../fuzz/random.ts";

/** What goes wrong with one request, in words that both stand-ins know. */
export type Mishap =
  /** Nothing. */
  | { readonly kind: "none" }
  /** A server's failure, an answer that is cut off, a connection that is reset, or no answer at all. With `after`, what was asked for happened. */
  | { readonly kind: "5xx" | "reset" | "truncate" | "hang" | "half"; readonly after: boolean; readonly status: number }
  /** Too many requests in a short time: nothing happens, and the answer says when to come back. Seconds. */
  | { readonly kind: "limit"; readonly seconds: number };

/** How a service behaves during one run. */
export interface Climate {
  /** How often which mishap comes to one request. */
  readonly shares: Readonly<Record<"5xx" | "reset" | "truncate" | "hang" | "half" | "limit", number>>;
  /** True: mishaps come in storms, with calm between them. */
  readonly isStormy: boolean;
  /** The server's clock minus that of loopdash. Milliseconds. */
  readonly skewMs: number;
  /** Readings show an earlier world so often, which is at most so old. Milliseconds. */
  readonly stale: { readonly share: number; readonly mostMs: number };
  /** A request or answer takes its time so often, at most so long. Milliseconds. */
  readonly slow: { readonly share: number; readonly mostMs: number };
  /** Nodes of the largest page. */
  readonly page: number;
  /** Lists come in another order, or with an item twice, so often. */
  readonly shuffled: number;
  /** The token expires so long after the start. Milliseconds; undefined if it does not. */
  readonly tokenMs: number | undefined;
}

/**
 * The climate of a run. In three of four, 30 % of the requests end in a server's failure: among many other mishaps, in storms, or
 * almost alone. In one of four, lists come in small pages, and fewer requests fail, or no list would ever be read to its end.
 */
export function climateOf(random: Random): Climate {
  const kind = random.pick(["mixed", "storms", "failures", "pages"] as const);
  const few = kind === "mixed" ? 0.02 : 0.01;
  return {
    shares: { "5xx": kind === "pages" ? 0.08 : 0.3, reset: few, truncate: few, hang: few / 4, half: few, limit: few / 2 },
    isStormy: kind === "storms",
    skewMs: random.pick([0, 0, 1, -1]) * random.below(10 * 60_000),
    stale: { share: random.pick([0, 0.2, 0.5]), mostMs: 5_000 },
    slow: { share: 0.2, mostMs: random.pick([300, 4_000]) },
    page: kind === "pages" ? random.pick([9, 5]) : 100,
    shuffled: kind === "pages" ? 0.3 : random.pick([0, 0.1]),
    tokenMs: random.chance(0.5) ? random.between(20_000, 240_000) : undefined,
  };
}

/** Storms and the calm between them. Milliseconds. */
const STORM_MS = { least: 3_000, most: 60_000 };
const CALM_MS = { least: 5_000, most: 120_000 };
/** What mishaps are multiplied by in a storm, and in calm weather. */
const [IN_STORM, IN_CALM] = [2.5, 0.1];

/** Decides what goes wrong, from a seed alone. */
export class Weather {
  readonly climate: Climate;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #begun: number;
  #isStorm = false;
  #changesAt = 0;

  constructor(climate: Climate, random: Random, now: () => number) {
    this.climate = climate;
    this.#random = random;
    this.#now = now;
    this.#begun = now();
  }

  /** What goes wrong with the next request. */
  next(): Mishap {
    const random = this.#random;
    const factor = this.#factor();
    let left = random.next() / 0x1_0000_0000;
    for (const [kind, share] of Object.entries(this.climate.shares)) {
      left -= share * factor;
      if (left >= 0) continue;
      if (kind === "limit") return { kind, seconds: random.pick([1, 3, 20, 60]) };
      const status = random.pick([500, 502, 503, 504]);
      return { kind: kind as "5xx", after: random.chance(0.5), status };
    }
    return { kind: "none" };
  }

  /** How old the world is that the next reading shows; never older than the run. Milliseconds. */
  age(): number {
    const { share, mostMs } = this.climate.stale;
    const age = this.#random.chance(share) ? this.#random.between(1, mostMs) : 0;
    return Math.min(age, this.#now() - this.#begun);
  }

  /** How long the next request, or answer, is under way. Milliseconds. */
  delay(): number {
    const { share, mostMs } = this.climate.slow;
    return this.#random.chance(share) ? this.#random.between(1, mostMs) : 0;
  }

  /** A list as a bad page has it: the same items in another order, one of them twice. */
  shuffle<T>(items: readonly T[]): readonly T[] {
    if (items.length < 2 || !this.#random.chance(this.climate.shuffled)) return items;
    const all = [...items, this.#random.pick(items)];
    for (let at = all.length - 1; at > 0; at -= 1) {
      const other = this.#random.below(at + 1);
      [all[at], all[other]] = [all[other] as T, all[at] as T];
    }
    return all;
  }

  #factor(): number {
    if (!this.climate.isStormy) return 1;
    const now = this.#now();
    if (now >= this.#changesAt) {
      this.#isStorm = this.#changesAt !== 0 && !this.#isStorm;
      const { least, most } = this.#isStorm ? STORM_MS : CALM_MS;
      this.#changesAt = now + this.#random.between(least, most);
    }
    return this.#isStorm ? IN_STORM : IN_CALM;
  }
}
