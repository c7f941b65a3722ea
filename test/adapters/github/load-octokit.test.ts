import { describe, expect, it } from "vitest";
import { loadOctokit } from "../../../src/adapters/github/load-octokit.ts";

const baseUrl = "https://github.example/api/v3";
/** Requests that the throttling plugin has under way at the same time. */
const MOST_AT_ONCE = 10;

describe("a client", () => {
  it("waits for no request of another client", async () => {
    const full = Promise.withResolvers<void>();
    let sent = 0;
    const fetch = (): Promise<Response> => {
      sent += 1;
      if (sent === MOST_AT_ONCE) full.resolve();
      return new Promise(() => undefined);
    };
    const never = await loadOctokit({ baseUrl, fetch });
    for (let n = 0; n < MOST_AT_ONCE; n += 1) void never.request("GET /meta");
    await full.promise;
    const client = await loadOctokit({ baseUrl, fetch: () => Promise.resolve(Response.json({})) });
    expect((await client.request("GET /meta")).status).toBe(200);
  });
});
