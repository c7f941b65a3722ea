import { randomUUID } from "node:crypto";

/** The longest wait that a plugin may make by itself before it repeats a refused request. Seconds. */
const LONGEST_WAIT_S = 5;

/** Where GitHub is, and what sends requests. */
export interface OctokitOptions {
  /** Address of the REST API without a slash at its end. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

/** A client of GitHub's API, with its plugins. */
export type Octokit = Awaited<ReturnType<typeof loadOctokit>>;

/**
 * Loads Octokit, which programs that do not use GitHub need not load, and makes a client. It logs nothing. A read is repeated once
 * after a failure, a write never. A request that GitHub refused for its rate limit is repeated once if the wait is at most 5 s.
 * Writes are a second apart and writes that notify people three, as GitHub asks (docs.github.com, "Best practices for using the REST
 * API"); not on GitHub Enterprise Server (`/api/v3`), which has no rate limits unless its administrators set some.
 */
export async function loadOctokit({ baseUrl, fetch }: OctokitOptions) {
  const [{ Octokit }, { restEndpointMethods }, { paginateRest }, { throttling }, { retry }] = await Promise.all([
    import("@octokit/core"),
    import("@octokit/plugin-rest-endpoint-methods"),
    import("@octokit/plugin-paginate-rest"),
    import("@octokit/plugin-throttling"),
    import("@octokit/plugin-retry"),
  ]);
  const isSoon = (seconds: number, _options: object, _octokit: object, repeats: number): boolean =>
    seconds <= LONGEST_WAIT_S && repeats < 1;
  const Client = Octokit.plugin(restEndpointMethods, paginateRest, throttling, retry);
  const client = new Client({
    baseUrl,
    userAgent: "loopdash",
    log: { debug: silence, info: silence, warn: silence, error: silence },
    // A transferred issue answers with a redirect: what was meant for one issue must not reach another.
    request: { fetch, redirect: "manual" },
    retry: { retries: 1, doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451] },
    throttle: {
      // Clients without an id of their own share one queue for as long as the process lives: ten requests of one client that never
      // end would hold up all others (@octokit/plugin-throttling, "maxConcurrent: 10").
      id: randomUUID(),
      onRateLimit: isSoon,
      onSecondaryRateLimit: isSoon,
      ...(/\/api\/v3$/.test(baseUrl) && { write: AT_ONCE, notifications: AT_ONCE }),
    },
  });
  client.hook.before("request", ({ method, url, request, query }) => {
    const isQuery = url.endsWith("/graphql") && !/^\s*mutation\b/.test(String(query));
    // The plugin repeats whatever failed, refusals too, if the request itself names a number other than 0.
    if (method !== "GET" && !isQuery) Object.assign(request, { retries: 0 });
  });
  return client;
}

/** A group of the throttling plugin that waits for nothing. */
const AT_ONCE = {
  key: () => ({ schedule: <T>(_options: object, job: () => Promise<T>): Promise<T> => job() }),
} as unknown as NonNullable<Parameters<typeof import("@octokit/plugin-throttling").throttling>[1]["throttle"]>["write"];

function silence(): void {
  // Octokit logs each failed request, with its address; errors say what people need.
}
