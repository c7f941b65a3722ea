import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "./scratch.ts";
import { anthropicAnswer, anthropicEvents, ask, json, message, modelGateway, sse, standIn } from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

/** A vendor that begins a stream and goes on with it when told. */
async function slowVendor() {
  const writes: ((text: string) => void)[] = [];
  const vendor = await standIn((_req, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(anthropicEvents()[0]);
    writes.push((text) => res.write(text));
  });
  return { vendor, writes };
}

describe("the cap", () => {
  it("refuses a request that may cost more than is left, before anything is sent, and cuts the line", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway, cuts } = await modelGateway(folder(), vendor.port, { capUsd: 0.01 });
    const reply = await ask(gateway, { body: message({ max_tokens: 2000 }) });
    expect(reply).toMatchObject({ status: 402, headers: { "x-should-retry": "false" } });
    expect(JSON.parse(reply.text)).toEqual({
      type: "error",
      error: { type: "billing_error", message: expect.stringContaining("the limit of $0.01 is reached") },
    });
    const small = await ask(gateway, { body: message({ max_tokens: 1 }) });
    expect(JSON.parse(small.text).error.message).toContain("loopdash closed the connection");
    expect(vendor.seen).toEqual([]);
    expect(cuts).toHaveLength(1);
    expect(gateway.cutReason()).toBe(cuts[0]);
    expect(gateway.totals()).toMatchObject({ spentUsd: 0, refused: 2 });
  });

  it("says it as OpenAI does, so that Codex gives up", async () => {
    const { gateway } = await modelGateway(folder(), 1, { api: "openai", capUsd: 0 });
    const reply = await ask(gateway, { path: "/v1/responses", body: message({ max_output_tokens: 1 }) });
    expect(reply.status).toBe(429);
    expect(JSON.parse(reply.text)).toMatchObject({
      error: { type: "insufficient_quota", code: "insufficient_quota", message: expect.any(String) },
    });
  });

  it("is never passed by requests together: what is under way counts", async () => {
    const { vendor } = await slowVendor();
    // Each sets some half a cent aside.
    const { gateway } = await modelGateway(folder(), vendor.port, { capUsd: 0.016 });
    const asked = Array.from({ length: 8 }, () => ask(gateway, { body: message() }).catch(() => undefined));
    await vi.waitFor(() => expect(gateway.totals().refused).toBe(5), PATIENT);
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(3), PATIENT);
    const { spentUsd, reservedUsd } = gateway.totals();
    expect(spentUsd + reservedUsd).toBeLessThanOrEqual(0.016);
    expect(gateway.cutReason()).toBeUndefined();
    gateway.cut("enough");
    const replies = await Promise.all(asked);
    expect(replies.filter((reply) => reply?.status === 429)).toHaveLength(5);
  });

  it.each([
    ["no limit", {}, 10_000],
    ["a limit that is none", { max_tokens: -1 }, 10_000],
    ["a limit in words", { max_tokens: "1" }, 10_000],
    ["a limit of half a token", { max_tokens: 0.5 }, 10_000],
    ["a limit", { max_tokens: 200 }, 200],
    ["two limits", { max_tokens: 1, max_completion_tokens: 300 }, 300],
    ["three answers", { max_tokens: 200, n: 3 }, 600],
  ])("sets aside what may come of a request with %s", async (_what, over, tokens) => {
    const vendor = await standIn(() => undefined);
    const { gateway } = await modelGateway(folder(), vendor.port, { api: "openai" });
    const { max_tokens: _, ...body } = JSON.parse(message());
    const asked = ask(gateway, { path: "/v1/chat/completions", body: JSON.stringify({ ...body, ...over }) }).catch(
      () => undefined,
    );
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(1), PATIENT);
    const input = ((vendor.seen[0]?.body.length ?? 0) / 3) * 1.25;
    expect(gateway.totals().reservedUsd).toBeCloseTo((tokens * 5 + input) / 1e6, 9);
    await gateway.close();
    await asked;
  });

  it("grows what is set aside with what is said to be used, and cuts in the middle of an answer", async () => {
    const { vendor, writes } = await slowVendor();
    const { gateway, usages, cuts } = await modelGateway(folder(), vendor.port, { capUsd: 0.02 });
    const asked = ask(gateway, { body: message() });
    await vi.waitFor(() => expect(writes).toHaveLength(1), PATIENT);
    // 3,000 tokens at $5 a million: more than was set aside, and less than the cap.
    writes[0]?.(sse("message_delta", { type: "message_delta", usage: { output_tokens: 3000 } }));
    await vi.waitFor(() => expect(gateway.totals().reservedUsd).toBeGreaterThan(0.015), PATIENT);
    expect(cuts).toEqual([]);
    writes[0]?.(sse("message_delta", { type: "message_delta", usage: { output_tokens: 9000 } }));
    expect(await asked).toMatchObject({ whole: false });
    expect(cuts).toEqual(["the limit of $0.02 is reached"]);
    await vi.waitFor(
      () => expect(usages).toMatchObject([{ usd: null, output: 9000, countedUsd: expect.closeTo(0.045, 3) }]),
      PATIENT,
    );
    await vi.waitFor(() => expect(vendor.open()).toBe(0), PATIENT);
  });

  it("is told where an answer cost more than it could", async () => {
    const vendor = await standIn(json(anthropicAnswer({ output_tokens: 9000 })));
    const { gateway, cuts } = await modelGateway(folder(), vendor.port, { capUsd: 0.02 });
    expect((await ask(gateway, { body: message() })).status).toBe(200);
    await vi.waitFor(() => expect(cuts).toHaveLength(1), PATIENT);
    expect(gateway.totals().spentUsd).toBeCloseTo(0.0453, 3);
  });
});

describe("cut", () => {
  it("ends open streams, refuses everything later, and says why", async () => {
    const { vendor } = await slowVendor();
    const { gateway, usages, cuts } = await modelGateway(folder(), vendor.port);
    const asked = [1, 2, 3].map(() => ask(gateway, { body: message() }).catch(() => ({ whole: false })));
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(3), PATIENT);
    gateway.cut("the ticket was withdrawn");
    gateway.cut("something else");
    const ends = await Promise.all(asked);
    expect(ends.map(({ whole }) => whole)).toEqual([false, false, false]);
    for (const of of [{ body: message() }, { method: "GET", path: "/v1/models" }, { method: "HEAD", path: "/" }]) {
      expect((await ask(gateway, of)).status).toBe(402);
    }
    expect((await ask(gateway, { body: message() })).text).toContain("the ticket was withdrawn");
    expect(cuts).toEqual(["the ticket was withdrawn"]);
    await vi.waitFor(() => expect(usages).toHaveLength(3), PATIENT);
    await vi.waitFor(() => expect(vendor.open()).toBe(0), PATIENT);
    expect(gateway.totals()).toMatchObject({ reservedUsd: 0, spentUsd: expect.closeTo(0.015, 3) });
    expect(vendor.seen).toHaveLength(3);
  });

  it("holds for a request that had begun and not yet ended", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    let giveSecret: (secret: string) => void = () => undefined;
    const value = () => new Promise<string>((settle) => (giveSecret = settle));
    const { gateway } = await modelGateway(folder(), vendor.port, { credential: { header: "x-api-key", value } });
    const asked = ask(gateway, { body: message() });
    await vi.waitFor(() => expect(gateway.totals().requests).toBe(1), PATIENT);
    gateway.cut("now");
    await vi.waitFor(() => {
      giveSecret("k");
      expect(gateway.totals().refused).toBe(1);
    }, PATIENT);
    expect((await asked).status).toBe(402);
    expect(vendor.seen).toEqual([]);
  });
});
