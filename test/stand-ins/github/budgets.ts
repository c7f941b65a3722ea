/** The budgets of one hour, as GitHub counts them; changed by tests. */
export interface Limits {
  core: number;
  graphql: number;
  /** True on a GitHub Enterprise Server, whose limits are off unless its administrators set them. */
  isOff: boolean;
  /**
   * Points of a minute, beyond which there is the secondary limit: a read takes 1, a write 5. GitHub's are 900 for REST and 2,000 for
   * GraphQL (docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api). Default: no limit.
   */
  pointsPerMinute: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Counts requests and points, and tells of them in headers. */
export class Budgets {
  readonly limits: Limits;
  readonly used = { core: 0, graphql: 0 };
  readonly #now: () => number;
  #resetAt: number;
  #minute = { from: 0, points: 0 };

  constructor(limits: Partial<Limits>, now: () => number) {
    this.limits = { core: 5000, graphql: 5000, isOff: false, pointsPerMinute: Number.POSITIVE_INFINITY, ...limits };
    this.#now = now;
    this.#resetAt = now() + HOUR_MS;
  }

  /** True if so many points are left, which are then used. */
  take(resource: "core" | "graphql", points: number): boolean {
    if (this.#now() >= this.#resetAt) {
      this.#resetAt = this.#now() + HOUR_MS;
      Object.assign(this.used, { core: 0, graphql: 0 });
    }
    if (!this.limits.isOff && this.left(resource) < points) return false;
    this.used[resource] += points;
    return true;
  }

  /** How many seconds to wait before such a request; undefined if it may be answered, which then counts. */
  tooFast(isWrite: boolean): number | undefined {
    const now = this.#now();
    if (now >= this.#minute.from + MINUTE_MS) this.#minute = { from: now, points: 0 };
    const points = this.#minute.points + (isWrite ? 5 : 1);
    if (points > this.limits.pointsPerMinute) return Math.ceil((this.#minute.from + MINUTE_MS - now) / 1000);
    this.#minute.points = points;
    return undefined;
  }

  left(resource: "core" | "graphql"): number {
    return Math.max(0, this.limits[resource] - this.used[resource]);
  }

  headers(resource: "core" | "graphql"): Readonly<Record<string, string>> {
    if (this.limits.isOff) return {};
    return {
      "x-ratelimit-limit": String(this.limits[resource]),
      "x-ratelimit-remaining": String(this.left(resource)),
      "x-ratelimit-used": String(this.used[resource]),
      "x-ratelimit-reset": String(Math.ceil(this.#resetAt / 1000)),
      "x-ratelimit-resource": resource,
    };
  }

  /** What a query is told of its budget. */
  told(cost: number): object | null {
    if (this.limits.isOff) return null;
    const resetAt = new Date(this.#resetAt).toISOString();
    return { cost, limit: this.limits.graphql, remaining: this.left("graphql"), used: this.used.graphql, nodeCount: 0, resetAt };
  }
}
