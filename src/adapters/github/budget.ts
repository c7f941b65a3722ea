import { HOUR_MS, LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS, UNKNOWN_PAUSE_MS } from "../reading-pace.ts";

/** Share of a budget that faster readings may use beyond a steady half of it. */
const BURST = 0.05;

/** What is left of a budget of requests or points, and when it is full again by the server's clock. */
interface Left {
  readonly remaining: number;
  /** The whole of it; undefined if the answer does not say. */
  readonly limit: number | undefined;
  readonly resetAt: number;
}

/**
 * GitHub's budgets, one for REST ("core") and one for GraphQL, as the headers of its answers tell, and its clock. Never a limit that
 * is written down here: they differ between users, apps and servers.
 */
export class Budget {
  readonly #now: () => number;
  readonly #left = new Map<string, Left>();
  /** The server's clock minus the local one. Milliseconds. */
  #ahead = 0;
  /** Points of the present reading, and of the dearest one of late, by budget. */
  #spent = new Map<string, number>();
  #cost = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes in the headers of an answer. `Date` has whole seconds. */
  note(headers: Headers): void {
    const date = Date.parse(headers.get("date") ?? "");
    if (Number.isFinite(date)) this.#ahead = date - this.#now();
    const [remaining, reset] = [
      parseWholeNumber(headers.get("x-ratelimit-remaining")),
      parseWholeNumber(headers.get("x-ratelimit-reset")),
    ];
    if (remaining === undefined || reset === undefined) return;
    const limit = parseWholeNumber(headers.get("x-ratelimit-limit"));
    this.#left.set(headers.get("x-ratelimit-resource") ?? "core", { remaining, limit, resetAt: reset * 1000 });
  }

  /** Counts what a request took. */
  spend(resource: "core" | "graphql", points: number): void {
    this.#spent.set(resource, (this.#spent.get(resource) ?? 0) + points);
  }

  /** A reading is over: its cost is what the next one is expected to cost, if it is not cheaper than half of what was. */
  endReading(): void {
    for (const resource of ["core", "graphql"]) {
      const spent = this.#spent.get(resource) ?? 0;
      this.#cost.set(resource, Math.max(spent, (this.#cost.get(resource) ?? 0) / 2));
    }
    this.#spent = new Map();
  }

  /** The server's time. Milliseconds since the epoch. */
  serverNow(): number {
    return this.#now() + this.#ahead;
  }

  localNow(): number {
    return this.#now();
  }

  /** A time of the server by the local clock. */
  localTime(serverTime: number): number {
    return serverTime - this.#ahead;
  }

  /** When a budget that is used up is full again, by the local clock; undefined if something is left, or nothing is known. */
  resetTime(resource: "core" | "graphql"): number | undefined {
    const left = this.#left.get(resource);
    return left?.remaining === 0 ? this.localTime(left.resetAt) : undefined;
  }

  /**
   * True if less has been used of each budget than a steady half of it would have, or not much more: then readings may follow each other
   * faster for a while. Half of the hour's budget, and that share of it, is the most that is used in this way.
   */
  isAhead(): boolean {
    const isAhead = ({ remaining, limit, resetAt }: Left): boolean => {
      if (limit === undefined) return false;
      const elapsed = Math.min(1, Math.max(0, 1 - (resetAt - this.serverNow()) / HOUR_MS));
      return limit - remaining < limit * (elapsed / 2 + BURST);
    };
    return this.#left.size > 0 && [...this.#left.values()].every(isAhead);
  }

  /**
   * Milliseconds until the next reading, so that readings use at most half of what is left until the budgets are full again, and at
   * most half of the budgets in any hour. What is left alone is no measure: half of it, again and again, is nearly all. Never less
   * than `shortest`.
   */
  pauseMs(shortest = SHORTEST_PAUSE_MS): number {
    if (this.#left.size === 0) return UNKNOWN_PAUSE_MS;
    const pauses = [...this.#left].flatMap(([resource, { remaining, limit, resetAt }]) => {
      const cost = Math.max(1, this.#cost.get(resource) ?? 1);
      const within = (time: number, points: number): number => time / Math.max(1, Math.floor(points / 2 / cost));
      return [within(resetAt - this.serverNow(), remaining), ...(limit === undefined ? [] : [within(HOUR_MS, limit)])];
    });
    return Math.round(Math.min(LONGEST_PAUSE_MS, Math.max(shortest, ...pauses)));
  }
}

/** A header's value as a whole number from 0 on; undefined if it is none. */
export function parseWholeNumber(value: string | number | null | undefined): number | undefined {
  const text = String(value ?? "");
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
