import { describe, expect, test } from "vitest";
import { LinearRefusal } from "../../../../src/adapters/tracker/linear/client/failures.ts";
import { TrackerBusy } from "../../../../src/ports/tracker.ts";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { type Fault, LinearStandIn } from "../../../stand-ins/linear/stand-in.ts";
import { aWorld, id, Stage } from "./stage.ts";

const SECRET = "lin_api_secret";

/** The error of a reading. */
async function problem(stage: Stage, options: Parameters<Stage["service"]>[1] = {}): Promise<Error> {
  return await stage
    .service({ team: "ENG" }, options)
    .snapshot("whole")
    .then(
      () => new Error("there was none"),
      (error: unknown) => error as Error,
    );
}

const errors = (message: string, extensions: object = {}): Fault => ({
  status: 200,
  body: { data: null, errors: [{ message, extensions }] },
});
const json = (body: unknown, status = 200): Fault => ({ status, body: body as object });

describe("an answer of Linear that is none", () => {
  test.each([
    ["a lost connection", "reset", /^Linear cannot be reached at 127\.0\.0\.1:\d+: \S+/],
    ["half of the JSON", { after: "truncate" }, /^Linear's answer is cut off or is not JSON$/],
    ["an error of the server", { status: 502, body: "<html>" }, /^Linear answered with HTTP 502$/],
    ["an error of the server with JSON", json({ errors: [{ message: "oops" }] }, 500), /^Linear answered with HTTP 500$/],
    [
      "text",
      { status: 200, body: "hello" },
      /^Linear's answer is not what its API promises: it has no data \(HTTP 200\); is apiUrl right\?$/,
    ],
    ["null", json(null), /^Linear's answer is not what its API promises/],
    ["no data", json({ data: null }), /^Linear's answer is not what its API promises/],
    ["other data", json({ data: { issues: [] } }), /^Linear's answer is not what its API promises: issues must be an object/],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" }, /^Linear cannot be reached at /],
    [
      "an error inside Linear",
      errors("Internal server error", { type: "internal error", code: "INTERNAL_SERVER_ERROR" }),
      /^Linear failed: Internal server error$/,
    ],
    ["a lock inside Linear", errors("Lock timeout", { type: "lock timeout" }), /^Linear failed: Lock timeout$/],
    ["a refusal", errors("Argument \u001b[31mValidation Error"), /^Linear refuses the request: Argument Validation Error$/],
    ["too much at once", errors("Query too complex", { code: "INPUT_ERROR" }), /^Linear refuses the request: Query too complex$/],
    ["a 404", { status: 404, body: "not here" }, /^Linear answered with HTTP 404$/],
    [
      "a ban",
      json({ errors: [{ message: "no", extensions: { type: "forbidden" } }] }, 403),
      /^Linear forbids the request: the token has too few rights \(no\)$/,
    ],
    ["a bare 403", { status: 403, body: "" }, /^Linear forbids the request: the token has too few rights$/],
  ] as const)("is an error: %s", async (_, fault, message) => {
    const stage = await Stage.open();
    stage.standIn.fault = ({ name }) => (name === "LoopdashIssues" ? (fault as Fault) : undefined);
    const found = await problem(stage);
    expect(found.message).toMatch(message);
    expect(found).not.toBeInstanceOf(TrackerBusy);
    // It is not repeated.
    expect(stage.standIn.asked().filter((name) => name === "LoopdashIssues")).toHaveLength(1);
  });

  test("is an error in the SDK's own requests too", async () => {
    const stage = await Stage.open();
    stage.standIn.fault = ({ name }) => (name === "organization" ? "reset" : undefined);
    expect((await problem(stage)).message).toMatch(/^Linear cannot be reached/);
    stage.standIn.fault = ({ name }) => (name === "organization" ? json({ data: {} }) : undefined);
    expect((await problem(stage)).message).toMatch(/^Linear's answer is not what its API promises/);
    stage.standIn.fault = ({ name }) => (name === "updateIssue" ? errors("no such state") : undefined);
    await expect(stage.service().set({ id: id("ENG-1"), state: { as: "done" }, note: "", from: undefined })).rejects.toThrow(
      LinearRefusal,
    );
  });

  test("is an error after the time limit", async () => {
    const stage = await Stage.open();
    stage.standIn.fault = ({ name }) => (name === "LoopdashIssues" ? "hang" : undefined);
    expect((await problem(stage, { timeoutMs: 1_000 })).message).toBe("Linear did not answer within 1 seconds");
  });

  test("is an error if a part failed: there is no half truth", async () => {
    const stage = await Stage.open();
    stage.standIn.tamper = (data, { name }) =>
      name === "LoopdashIssues" ? { ...(data as object), errors: [{ message: "the labels are away", path: ["issues"] }] } : data;
    expect((await problem(stage)).message).toBe("Linear refuses the request: the labels are away");
  });

  test("nobody listens", async () => {
    const stage = await Stage.open();
    const service = stage.service();
    await stage.standIn.stop();
    await expect(service.snapshot("whole")).rejects.toThrow(/^Linear cannot be reached at 127\.0\.0\.1:\d+: ECONNREFUSED$/);
  });
});

test("a redirect is not followed: it could take the token elsewhere", async () => {
  const [stage, other] = [await Stage.open(), await Stage.open()];
  const location = stage.standIn.url;
  other.standIn.fault = () => ({ status: 307, headers: { location }, body: "" });
  expect((await problem(other)).message).toMatch(/^Linear cannot be reached at /);
  expect(stage.standIn.log).toEqual([]);
  // It is answered there, if it is asked.
  expect((await problem(stage)).message).toBe("there was none");
});

test("a ticket with a hole is an error, whatever is missing, and never done", async () => {
  const stage = await Stage.open({ world: aWorld(1) });
  const { people } = stage.standIn;
  const blocker = people.createIssue({ teamId: uuidOf("team OPS"), title: "Blocker" });
  people.relate(blocker.id, "ENG-1", { type: "blocks" });
  people.createIssue({ teamId: uuidOf("team OPS"), title: "Child", parentId: stage.issue("ENG-1").id });
  people.attach("ENG-1", { title: "Link", url: "https://link.example" });
  stage.comment("ENG-1", "Comment");
  stage.label("ENG-1", "label");
  stage.move("ENG-1", "In Progress");
  const paths: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      if (!Array.isArray(value)) paths.push(at);
      walk(inner, at);
    }
  };
  stage.standIn.tamper = (data, { name }) => {
    if (name === "LoopdashIssues" && paths.length === 0) walk(data, []);
    return data;
  };
  expect((await stage.service().snapshot("whole")).size).toBe(1);
  expect(paths.length).toBeGreaterThan(60);
  for (const path of paths) {
    stage.standIn.tamper = (data, { name }) => {
      if (name !== "LoopdashIssues") return data;
      const copy = structuredClone(data) as object;
      const last = path.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key) as object, copy);
      Reflect.deleteProperty(last, path.at(-1) ?? "");
      return copy;
    };
    expect((await problem(stage)).message, path.join(".")).toMatch(/^Linear's answer is not what its API promises/);
  }
});

describe("a token", () => {
  test("that has expired is renewed once, and the request repeated", async () => {
    const stage = await Stage.open();
    let token = "lin_oauth_old";
    const refused: string[] = [];
    stage.standIn.grant("lin_oauth_old");
    const source = { get: async () => token, renew: async (old: string) => (refused.push(old), (token = "lin_oauth_new")) };
    const service = stage.service({ team: "ENG" }, { token: source });
    await service.snapshot("whole");
    stage.standIn.revoke("lin_oauth_old");
    stage.standIn.grant("lin_oauth_new");
    expect((await service.snapshot("whole")).size).toBe(3);
    expect(refused).toEqual(["lin_oauth_old"]);
    await service.snapshot("whole");
    expect(refused).toHaveLength(1);
  });

  test("that is refused again is an error without it", async () => {
    const stage = await Stage.open();
    const asked: string[] = [];
    const source = { get: async () => `${SECRET}1`, renew: async () => (asked.push("again"), `${SECRET}2`) };
    const found = await problem(stage, { token: source });
    expect(found.message).toBe(
      "Linear does not accept the token: it is wrong, has expired or was revoked; give loopdash another one",
    );
    expect(asked).toEqual(["again"]);
    expect(JSON.stringify([found.stack, found.cause])).not.toContain(SECRET);
  });

  test("that cannot be renewed is the error of its source", async () => {
    const stage = await Stage.open();
    const source = {
      get: async () => SECRET,
      renew: async () => {
        throw new Error("the secret linear-token gave nothing");
      },
    };
    expect((await problem(stage, { token: source })).message).toBe("the secret linear-token gave nothing");
  });

  test("is in no message, also if the service repeats it", async () => {
    const stage = await Stage.open();
    stage.standIn.grant(SECRET);
    stage.standIn.fault = ({ name }) =>
      name === "LoopdashIssues" ? errors(`the key ${SECRET} may not; ask ${SECRET}`) : undefined;
    const found = await problem(stage, { token: { get: async () => SECRET, renew: async () => SECRET } });
    expect(found.message).toBe("Linear refuses the request: the key … may not; ask …");
    expect(JSON.stringify([found.stack, found.cause])).not.toContain(SECRET);
  });
});

describe("a rate limit", () => {
  const NOW = Date.UTC(2026, 0, 1);

  test("of Linear is TrackerBusy until the server's reset, by the local clock", async () => {
    // The server's clock is a day ahead.
    const stage = await Stage.open({ budget: { requests: 3, complexity: 100_000 }, now: () => NOW + 86_400_000 });
    stage.standIn.advance(600_000);
    let late = 0;
    const service = stage.service({ team: "ENG" }, { now: () => NOW + late });
    const busy = await service.snapshot("whole").catch((error: unknown) => error);
    expect(busy).toBeInstanceOf(TrackerBusy);
    expect(busy).toMatchObject({ message: "Linear's rate limit is reached for this token", retryAt: NOW + 3_000_000 });
    stage.standIn.advance(3_000_000);
    late = 3_000_000;
    expect((await service.snapshot("whole")).size).toBe(3);
  });

  test("of points is one too", async () => {
    const stage = await Stage.open({ budget: { requests: 1_000, complexity: 9_000 }, now: () => NOW });
    const service = stage.service({ team: "ENG" }, { now: () => NOW });
    await expect(service.snapshot("whole")).rejects.toMatchObject({ name: "TrackerBusy", retryAt: NOW + 3_600_000 });
  });

  test.each([
    ["a 429 with retry-after", { status: 429, headers: { "retry-after": "17" }, body: "" }, NOW + 17_000],
    ["a 429 that says nothing", { status: 429, body: "" }, NOW + 60_000],
    ["a 400 by its type", json({ errors: [{ message: "slow", extensions: { type: "ratelimited" } }] }, 400), NOW + 60_000],
  ])("is one: %s", async (_, fault, retryAt) => {
    const stage = await Stage.open();
    stage.standIn.fault = ({ name }) => (name === "LoopdashIssues" ? fault : undefined);
    expect(await problem(stage, { now: () => NOW })).toMatchObject({ name: "TrackerBusy", retryAt });
  });
});

test("the token is sent as a key or as a bearer, by its form", async () => {
  const stage = await Stage.open();
  stage.standIn.grant("lin_oauth_1");
  stage.standIn.grant("0123456789abcdef");
  for (const token of [LinearStandIn.TOKEN, "lin_oauth_1", "0123456789abcdef"])
    expect(
      (await stage.service({ team: "ENG" }, { token: { get: async () => token, renew: async () => token } }).snapshot("whole"))
        .size,
    ).toBe(3);
});
