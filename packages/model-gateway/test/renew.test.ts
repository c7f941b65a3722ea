import { describe, expect, it } from "vitest";
import type { ModelUpstream } from "../src/gateway.ts";
import { bedrockChunk } from "./aws-event-stream.ts";
import { scratchFolder } from "./scratch.ts";
import { ANSWER_USD, type Answer, anthropicAnswer, anthropicEvents, ask, json, message, modelGateway, standIn } from "./stage.ts";

const folder = scratchFolder();
const OLD = "old-token-0123456789";
const NEW = "new-token-0123456789";

/** An API that takes one token alone, and sends back what it was asked with. */
const only =
  (token: string): Answer =>
  (req, res, seen) => {
    if (req.headers.authorization !== `Bearer ${token}`) return json({ error: "unauthorized" }, 401)(req, res, seen);
    return json(anthropicAnswer(), 200, { "x-echo": `${token} ${req.headers["x-account"]}` })(req, res, seen);
  };

/** A credential that renews itself, and counts how often. */
function renewing(next: () => Promise<string>): {
  readonly credential: ModelUpstream["credential"] & object;
  readonly times: () => number;
} {
  let current = OLD;
  let times = 0;
  const renew = async () => {
    times += 1;
    current = await next();
    return current;
  };
  const headers = async () => ({ "x-account": "acc-1" });
  return { credential: { header: "bearer", value: () => current, renew, headers }, times: () => times };
}

describe("a credential that the API refuses", () => {
  it("is renewed once, and the request is repeated; the program sees the answer alone", async () => {
    const vendor = await standIn(only(NEW));
    const { credential, times } = renewing(async () => NEW);
    const answers: number[] = [];
    const { gateway } = await modelGateway(folder(), vendor.port, { credential, onAnswer: ({ status }) => answers.push(status) });
    const reply = await ask(gateway, { body: message(), headers: { "x-account": "of-the-program" } });
    expect(reply).toMatchObject({ status: 200, whole: true });
    expect(reply.headers["x-echo"]).toBe(`${"*".repeat(NEW.length)} acc-1`);
    expect(vendor.seen.map(({ headers }) => [headers.authorization, headers["x-account"]])).toEqual([
      [`Bearer ${OLD}`, "acc-1"],
      [`Bearer ${NEW}`, "acc-1"],
    ]);
    expect(vendor.seen[1]?.body).toBe(vendor.seen[0]?.body);
    expect([times(), answers]).toEqual([1, [200]]);
    expect(gateway.totals().spentUsd).toBeCloseTo(ANSWER_USD, 9);
  });

  it.each([
    ["the same one comes again", async () => OLD],
    ["the other one is refused too", async () => "third-token-0123456789"],
    ["there is no other one", () => Promise.reject(new Error(`no token for ${OLD}`))],
  ])("stays refused if %s: the program gets the 401, and nothing loops", async (_, next) => {
    const vendor = await standIn(only(NEW));
    const { credential, times } = renewing(next);
    const { gateway } = await modelGateway(folder(), vendor.port, { credential });
    const reply = await ask(gateway, { body: message() });
    expect(reply.status).toBe(401);
    expect(reply.text).not.toContain(OLD);
    expect(times()).toBe(1);
    expect(vendor.seen.length).toBeLessThanOrEqual(2);
    expect(gateway.totals().spentUsd).toBe(0);
  });

  it("is renewed once for all requests that it was refused to", async () => {
    const vendor = await standIn(only(NEW));
    let open = (_token: string): void => undefined;
    const { credential, times } = renewing(
      () =>
        new Promise((settle) => {
          open = settle;
        }),
    );
    const { gateway } = await modelGateway(folder(), vendor.port, { credential });
    const asks = [1, 2, 3].map(() => ask(gateway, { body: message() }));
    await expect.poll(() => vendor.seen.length).toBe(3);
    open(NEW);
    expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(times()).toBe(1);
  });

  it("costs nothing if the program goes while it is renewed", async () => {
    const vendor = await standIn(only(NEW));
    let open = (_token: string): void => undefined;
    const next = () =>
      new Promise<string>((settle) => {
        open = settle;
      });
    const { credential, times } = renewing(next);
    const { gateway, usages } = await modelGateway(folder(), vendor.port, { credential });
    const leave = new AbortController();
    const asked = ask(gateway, { body: message(), signal: leave.signal }).catch(() => undefined);
    await expect.poll(times).toBe(1);
    leave.abort();
    await asked;
    await expect.poll(() => gateway.totals().reservedUsd).toBe(0);
    open(NEW);
    expect((await ask(gateway, { body: message() })).status).toBe(200);
    expect(vendor.seen).toHaveLength(2);
    expect(usages).toHaveLength(1);
    expect(gateway.totals().spentUsd).toBeCloseTo(ANSWER_USD, 9);
  });

  it("is no answer and no outage; an API that is away for the repeated request is one outage", async () => {
    const vendor = await standIn((req, res, seen) => {
      if (req.headers.authorization !== `Bearer ${NEW}`) return json({ error: "unauthorized" }, 401)(req, res, seen);
      res.socket?.resetAndDestroy();
    });
    const seen: (string | number)[] = [];
    const { gateway } = await modelGateway(folder(), vendor.port, {
      credential: renewing(async () => NEW).credential,
      onAnswer: ({ status }) => seen.push(status),
      onUnreachable: (why) => seen.push(why),
    });
    expect((await ask(gateway, { body: message() })).status).toBe(502);
    expect(seen).toEqual(["ECONNRESET"]);
  });
});

describe("a key that Bedrock refuses by 403", () => {
  const MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
  const path = `/model/${MODEL}/invoke-with-response-stream`;
  const body = JSON.stringify({ max_tokens: 100, messages: [{ role: "user", content: "hi" }] });
  const prices = [{ model: "*", input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }];
  const bedrock = { platform: { kind: "bedrock", model: MODEL }, prices } as const;

  it("is renewed, and the new one is masked in the stream", async () => {
    const vendor = await standIn((req, res, seen) => {
      if (req.headers.authorization !== `Bearer ${NEW}`) return json({ message: "expired" }, 403)(req, res, seen);
      res.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
      const events = anthropicEvents({ text: `you sent ${NEW}` });
      for (const event of events) res.write(bedrockChunk(JSON.parse(event.split("data: ")[1] ?? "")));
      res.end();
    });
    const { credential, times } = renewing(async () => NEW);
    const { gateway, usages } = await modelGateway(folder(), vendor.port, { ...bedrock, credential });
    const reply = await ask(gateway, { path, body });
    expect(reply).toMatchObject({ status: 200, whole: true });
    expect([times(), usages.length]).toEqual([1, 1]);
    const decoded = [...reply.text.matchAll(/"bytes":"([^"]+)"/g)].map(([, text = ""]) => Buffer.from(text, "base64").toString());
    expect(decoded.join("")).toContain("you sent ");
    expect(decoded.join("")).not.toContain(NEW.slice(2, -2));
  });

  it("is not renewed by a 403 of another API, which is about what is allowed", async () => {
    const vendor = await standIn(json({ error: "not allowed" }, 403));
    const { credential, times } = renewing(async () => NEW);
    const { gateway } = await modelGateway(folder(), vendor.port, { credential });
    expect((await ask(gateway, { body: message() })).status).toBe(403);
    expect([times(), vendor.seen.length]).toEqual([0, 1]);
  });
});
