import { describe, expect, it } from "vitest";
import { TrackerBusy } from "../../../../src/ports/tracker.ts";
import type { Fault } from "../../../stand-ins/github/fault.ts";
import { GitHubStandIn } from "../../../stand-ins/github/server.ts";
import { aService, aStandIn, Clock, read, requests, takeLog, ticket, writes } from "./stage.ts";

const failure = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
};

describe("the token", () => {
  it("is asked for anew before each request, and once more after a refusal", async () => {
    const standIn = await aStandIn([{ title: "A" }], { seed: { tokens: { first: "loop", second: "loop" } } });
    let present = "first";
    const refused: string[] = [];
    const token = {
      get: async () => present,
      async renew(old: string) {
        refused.push(old);
        present = "second";
        return present;
      },
    };
    const service = aService(standIn, { token });
    await service.snapshot("whole");
    Object.assign(standIn.tokens.get("first") ?? {}, { isRevoked: true });
    expect((await service.snapshot("whole")).size).toBe(1);
    expect(refused).toEqual(["first"]);
    expect(takeLog(standIn).map(({ status }) => status)).toEqual([200, 401, 200]);
  });

  it("that is refused twice is an error, without the token", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const token = { get: async () => "wrong-1", renew: async () => "wrong-2" };
    const error = await failure(aService(standIn, { token }).snapshot("whole"));
    expect(error.message).toBe("GitHub does not accept the token (401): it is wrong, was revoked or has expired");
    expect(takeLog(standIn)).toHaveLength(2);
    expect(JSON.stringify(standIn.log)).not.toContain("wrong");
  });

  it("that cannot be renewed is the error of its source", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const token = { get: async () => "wrong", renew: () => Promise.reject(new Error("the keychain is locked")) };
    await expect(aService(standIn, { token }).snapshot("whole")).rejects.toThrow("the keychain is locked");
  });

  it("is in no error, even if an answer repeats it", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    const token = { get: async () => "ghp_4711", renew: () => Promise.reject(new Error("none")) };
    const said = "no: Bearer ghp_4711";
    for (const fault of [
      { status: 422, body: { message: said } },
      { status: 200, body: { data: null, errors: [{ message: said }] } },
    ]) {
      standIn.fault = () => fault;
      const error = await failure(aService(standIn, { token }).snapshot("whole"));
      expect(error.message).toContain("no: Bearer …");
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain("4711");
    }
  });

  it("goes to no other host, and to no other issue after a move", async () => {
    const standIn = await aStandIn(Array.from({ length: 3 }, (_, n) => ({ title: `T${n}` })));
    const service = aService(standIn);
    await service.snapshot("whole");
    standIn.fault = ({ path }) =>
      path.endsWith("/issues")
        ? { status: 200, headers: { link: '<http://127.0.0.1:1/next>; rel="next"' }, body: [] }
        : undefined;
    await expect(service.snapshot("changes")).rejects.toThrow("its answer leads to another host");
    standIn.fault = ({ method }) =>
      method === "PATCH"
        ? { status: 301, headers: { location: `${standIn.enterpriseUrl}/repos/acme/app/issues/2` }, body: {} }
        : undefined;
    const write = service.set({ id: ticket("app-1"), state: { as: "done" }, note: "", from: undefined });
    await expect(write).rejects.toThrow(/not understood/);
    expect(standIn.state.repos[0]?.issues.map(({ state }) => state)).toEqual(["open", "open", "open"]);
  });
});

describe("limits of the rate", () => {
  const busy = async (standIn: GitHubStandIn, clock: Clock): Promise<number> => {
    const error = await failure(aService(standIn, { now: clock.now }).snapshot("whole"));
    expect(error).toBeInstanceOf(TrackerBusy);
    return ((error as TrackerBusy).retryAt - clock.ms) / 1000;
  };

  it.each([
    [
      "a primary limit",
      {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795694520" },
        body: { message: "API rate limit exceeded" },
      },
      121,
    ],
    [
      "a secondary limit",
      { status: 403, headers: { "retry-after": "90" }, body: { message: "You have exceeded a secondary rate limit" } },
      91,
    ],
    ["a secondary limit without a time", { status: 403, body: { message: "You have exceeded a secondary rate limit" } }, 60],
    ["429", { status: 429, headers: { "retry-after": "30" }, body: { message: "slow down" } }, 31],
    ["429 without a time", { status: 429, body: { message: "slow down" } }, 60],
  ])("are told with the time of their end: %s", async (name, fault: Fault, seconds) => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now });
    standIn.fault = () => fault;
    expect(await busy(standIn, clock)).toBe(seconds);
    // The plugin takes the time of a reset by the machine's own clock, for which it is over.
    expect(requests(standIn).length).toBeLessThanOrEqual(name === "a primary limit" ? 2 : 1);
  });

  it("of GraphQL come with status 200", async () => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now, limits: { graphql: 0 } });
    expect(await busy(standIn, clock)).toBe(3601);
  });

  it("are by the server's clock", async () => {
    const [clock, server] = [new Clock(), new Clock()];
    server.ms += 7_200_000;
    const standIn = await aStandIn([{ title: "A" }], { now: server.now, limits: { graphql: 0 } });
    expect(await busy(standIn, clock)).toBe(3601);
    clock.ms += 3_601_000;
    server.ms += 3_601_000;
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(server.ms / 1000 + 600) };
    standIn.fault = () => ({ status: 403, headers, body: { message: "API rate limit exceeded" } });
    expect(await busy(standIn, clock)).toBe(601);
  });

  it("that are over in some seconds are waited for, once", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = () =>
      standIn.log.length === 0
        ? { status: 403, headers: { "retry-after": "1" }, body: { message: "a secondary rate limit" } }
        : undefined;
    expect(Object.keys(await read(standIn))).toEqual(["app-1"]);
    standIn.fault = () => ({ status: 403, headers: { "retry-after": "1" }, body: { message: "a secondary rate limit" } });
    takeLog(standIn);
    await expect(read(standIn)).rejects.toThrow(TrackerBusy);
    expect(requests(standIn)).toHaveLength(2);
  });
});

describe("the pause between readings", () => {
  it("is 30 s if nothing is known, and on a server without limits", async () => {
    const standIn = await aStandIn([{ title: "A" }], { limits: { isOff: true } });
    const service = aService(standIn);
    expect(service.pauseMs?.()).toBe(30_000);
    await service.snapshot("whole");
    expect(service.pauseMs?.()).toBe(30_000);
  });

  it.each([
    [5000, 10_000],
    [1000, 10_000],
    [101, 72_000],
    [41, 180_000],
    [3, 300_000],
    [1, 300_000],
  ])("spreads half of what is left over the time: %i points", async (graphql, pause) => {
    const clock = new Clock();
    const standIn = await aStandIn([{ title: "A" }], { now: clock.now, limits: { graphql } });
    // One issue costs one point, the most of a hundred seven.
    const service = aService(standIn, { now: clock.now, listed: ["app-1"] });
    await service.snapshot("whole");
    expect(service.pauseMs?.()).toBe(pause);
  });
});

describe("an answer that is none", () => {
  it.each<[string, Fault, RegExp]>([
    ["a reset", "reset", /^GitHub cannot be reached: /],
    ["half an answer", "truncate", /^GitHub cannot be reached: /],
    ["no JSON", { status: 200, headers: { "content-type": "text/html" }, body: "<html>" }, /not understood/],
    ["another shape", { status: 200, body: { data: { r0: null } } }, /not understood/],
    ["no data", { status: 200, body: {} }, /not understood/],
    ["null", { status: 200, body: null }, /not understood$/],
    ["errors that are no list", { status: 200, body: { errors: "\u001b]0;x\u0007" } }, /not understood$/],
    ["odd errors", { status: 200, body: { errors: [{ message: "\u001b]0;x\u0007", path: [{}] }] } }, /not understood$/],
    ["a failure", { status: 502, body: { message: "Bad gateway" } }, /^GitHub failed to read issues \(502\): Bad gateway/],
  ])("is an error after one repeat: %s", async (_, fault, message) => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = () => fault;
    await expect(read(standIn)).rejects.toThrow(message);
    expect(requests(standIn).length).toBeLessThanOrEqual(2);
  });

  it.each(["l0", "l1"])("is an error if its pages never end: %s", async (list) => {
    const standIn = await aStandIn([{ title: "A", labels: ["loopdash", "batch"] }]);
    standIn.alter = (answer) => {
      const { data } = answer as { data: { r0: Record<string, object> } };
      Object.assign(data.r0[list] ?? {}, { nodes: [], total: 0, pageInfo: { hasNextPage: true, endCursor: null } });
      return answer;
    };
    await expect(read(standIn)).rejects.toThrow("its pages lead in a circle");
  });

  it.each(["comments", "subIssues"] as const)("is an error if the %s of an issue never end", async (field) => {
    const standIn = await aStandIn(Array.from({ length: 60 }, (_, n) => ({ title: `T${n}` })));
    const jo = standIn.person("jo");
    for (let n = 1; n < 60; n += 1) jo.comment("acme/app", 1, `${n}`);
    jo.subIssues("acme/app", 1, ...Array.from({ length: 59 }, (_, n) => ({ repo: "acme/app", number: n + 2 })));
    const known = { comments: { hasPreviousPage: true, startCursor: null }, subIssues: { hasNextPage: true, endCursor: null } };
    standIn.alter = (answer) => {
      const { n1 } = (answer as { data: { r0: Record<string, Record<string, object>> } }).data.r0;
      // Each page of comments and sub-issues but the first.
      Object.assign(n1?.[field] ?? {}, { pageInfo: known[field] });
      return answer;
    };
    await expect(read(standIn)).rejects.toThrow("its pages lead in a circle");
  });

  it("is waited for no longer than the limit", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = () => "hang";
    await expect(aService(standIn, { timeoutMs: 100 }).snapshot("whole")).rejects.toThrow(
      "GitHub cannot be reached: no answer within 1 s",
    );
  });

  it("is got over by a repeat", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = () => (standIn.log.length === 0 ? "reset" : undefined);
    expect(Object.keys(await read(standIn))).toEqual(["app-1"]);
  });

  it("is an error if nobody listens", async () => {
    const gone = await new GitHubStandIn().open();
    const baseUrl = gone.enterpriseUrl;
    await gone[Symbol.asyncDispose]();
    const service = aService(await aStandIn([]), { spec: { baseUrl } });
    await expect(service.snapshot("whole")).rejects.toThrow(/^GitHub cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  });
});

describe("a refusal", () => {
  it("says what was refused, and what the token needs", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = ({ method }) =>
      method === "PATCH"
        ? {
            status: 403,
            body: { message: "Resource not accessible by\u001b[31m token", documentation_url: "https://docs.github.com/x" },
          }
        : undefined;
    const write = aService(standIn).set({ id: ticket("app-1"), state: { as: "done" }, note: "", from: undefined });
    await expect(write).rejects.toThrow(
      "GitHub refuses to set the issue to closed (403): Resource not accessible by token; the token needs the right to read and write issues there",
    );
    expect(writes(standIn)).toEqual(["POST /issues/1/comments", "PATCH /issues/1"]);
  });

  it("of a part of a query is one of the whole", async () => {
    const standIn = await aStandIn([{ title: "A" }, { title: "B" }]);
    standIn.fault = ({ path }) =>
      path === "/graphql"
        ? {
            status: 200,
            body: {
              data: { rateLimit: null, r0: { id: "R", nameWithOwner: "acme/app", n1: null, n2: null, l0: null } },
              errors: [{ type: "FORBIDDEN", path: ["r0", "n1"], message: "SAML" }],
            },
          }
        : undefined;
    await expect(read(standIn, { listed: ["app-1", "app-2"] })).rejects.toThrow("GitHub answers with an error: SAML");
  });

  it("of an issue for other reasons than that it is not there is none of its absence", async () => {
    const standIn = await aStandIn([{ title: "A" }]);
    standIn.fault = ({ path }) =>
      path === "/graphql"
        ? { status: 200, body: { data: null, errors: [{ type: "NOT_FOUND", path: ["r0", "l0"], message: "No list" }] } }
        : undefined;
    await expect(read(standIn, { listed: ["app-1"] })).rejects.toThrow("No list");
  });
});

describe("an issue with a part missing", () => {
  it.each(["state", "stateReason", "labels", "comments", "timelineItems", "updatedAt", "viewerDidAuthor", "blockedBy"])(
    "is no issue: %s",
    async (field) => {
      const standIn = await aStandIn([{ title: "A" }]);
      const service = aService(standIn, { listed: ["app-1"] });
      standIn.alter = (answer) =>
        JSON.parse(JSON.stringify(answer), (key, value) => (key === "n1" ? { ...value, [field]: undefined } : value));
      const reading = service.snapshot("whole");
      await expect(reading).rejects.toThrow(new RegExp(`not understood: .*${field}`));
    },
  );
});
