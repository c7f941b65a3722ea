import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { describe, expect, test } from "vitest";
import { DeliveryCheck } from "../../../../src/adapters/tracker/webhook/delivery.ts";
import { headersOf, type Kind, linearBody, NOW, opened, SECRET, signed } from "./webhook-stage.ts";

describe.each<[Kind, number]>([
  ["linear", 200],
  ["github", 202],
])("a delivery of %s", (kind, taken) => {
  const body = linearBody();

  test("is taken, and causes one reading", async () => {
    const { deliver, seen } = await opened(kind);
    expect(await deliver(body)).toBe(taken);
    expect(seen).toEqual({ changes: 1, problems: [] });
  });

  test.each<[string, (genuine: Record<string, string>) => Record<string, string>, string]>([
    ["another secret", () => headersOf(kind, body, "d-1", "guessed"), body],
    ["another body", (genuine) => genuine, linearBody(NOW, "remove")],
    ["no signature", (genuine) => ({ [Object.keys(genuine)[1] ?? ""]: "d-1" }), body],
    ["a signature cut short", (genuine) => cutShort(genuine), body],
    ["an empty signature", (genuine) => ({ ...genuine, [Object.keys(genuine)[0] ?? ""]: "" }), body],
    ["the signature of the other service", () => headersOf(kind === "linear" ? "github" : "linear", body), body],
    ["an empty secret", () => headersOf(kind, body, "d-1", ""), body],
  ])("with %s is refused with 401, and is not remembered", async (_, change, wrong) => {
    const { send, deliver, seen } = await opened(kind);
    expect(await send({ headers: change(headersOf(kind, body)), body: wrong })).toBe(401);
    expect(seen).toEqual({ changes: 0, problems: [] });
    expect(await deliver(body)).toBe(taken);
  });

  test("is refused with 409 when it comes again, also under another id, and so is another one with its id", async () => {
    const { clock, deliver, seen } = await opened(kind);
    await deliver(body);
    clock.advance(2_000);
    expect(await deliver(body)).toBe(409);
    expect(await deliver(body, "d-2")).toBe(409);
    expect(await deliver(linearBody(NOW, "create"))).toBe(409);
    expect(await deliver(linearBody(NOW, "create"), "d-2")).toBe(taken);
    expect(seen.changes).toBe(2);
  });

  test("without an id is refused with 400", async () => {
    const { send, seen } = await opened(kind);
    const [signature = "", value = ""] = Object.entries(headersOf(kind, body))[0] ?? [];
    expect(await send({ headers: { [signature]: value }, body })).toBe(400);
    expect(seen.changes).toBe(0);
  });
});

function cutShort(genuine: Record<string, string>): Record<string, string> {
  const [name = "", value = ""] = Object.entries(genuine)[0] ?? [];
  return { ...genuine, [name]: value.slice(0, -2) };
}

describe("the time in a delivery of Linear", () => {
  test.each([-60_000, 0, 60_000])("may be %i ms from now", async (ms) => {
    const { deliver } = await opened("linear");
    expect(await deliver(linearBody(NOW + ms))).toBe(200);
  });

  test.each([-60_001, 60_001, -86_400_000])("is refused with 409 if it is %i ms from now", async (ms) => {
    const { deliver, seen } = await opened("linear");
    expect(await deliver(linearBody(NOW + ms))).toBe(409);
    expect(seen.changes).toBe(0);
  });

  test.each(["{}", "[]", "no JSON", '{"webhookTimestamp": "1"}', '{"webhookTimestamp": null}', "null"])(
    "is refused with 400 if %s has none",
    async (body) => {
      const { deliver } = await opened("linear");
      expect(await deliver(body)).toBe(400);
    },
  );
});

describe("signatures", () => {
  test("are those that Linear's own SDK takes", () => {
    const body = linearBody();
    const client = new LinearWebhookClient(SECRET);
    expect(client.verify(Buffer.from(body), headersOf("linear", body)["linear-signature"] ?? "")).toBe(true);
  });

  /** GitHub Docs, "Validating webhook deliveries", Testing the webhook payload validation. */
  test("are those of GitHub's own example", async () => {
    const { send } = await opened("github", { secret: async () => "It's a Secret to Everybody" });
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const headers = { "x-hub-signature-256": signature, "x-github-delivery": "1" };
    expect(await send({ headers, body: "Hello, World!" })).toBe(202);
  });
});

test("10,000 deliveries are remembered, the oldest of which is forgotten first", () => {
  const check = new DeliveryCheck("github", () => NOW);
  const take = (i: number) => {
    const body = Buffer.from(`body ${i}`);
    const claimed = Buffer.from(signed(`body ${i}`), "hex");
    check.take({ headers: { "x-github-delivery": `d-${i}` }, body, claimed, secret: SECRET });
  };
  for (let i = 0; i < 10_000; i++) take(i);
  for (const i of [0, 1, 9_999]) expect(() => take(i)).toThrow("taken before");
  take(10_000);
  expect(() => take(1)).toThrow("taken before");
  expect(() => take(0)).not.toThrow();
});
