import { describe, expect, it } from "vitest";
import type { ModelUpstream } from "../../../src/ports/gateway.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { ANSWER_USD, type Answer, anthropicAnswer, ask, json, message, modelGateway, standIn } from "./stage.ts";

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
});
