import { createServer, request } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { gatewayLimits } from "../src/server/limits.ts";
import { callModel } from "../src/server/models/model-call.ts";
import type { CallOutcome } from "../src/server/prices/meter.ts";
import { scratchFolder } from "./scratch.ts";
import { anthropicAnswer, anthropicEvents, ask, json, listening, message, modelGateway, raw, standIn } from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

describe("whoever goes", () => {
  it("takes the other side along: the vendor is let go when the client is", async () => {
    const vendor = await standIn((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(anthropicEvents()[0]);
    });
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    const leave = new AbortController();
    const asked = ask(gateway, { body: message(), signal: leave.signal, onData: () => leave.abort() });
    await asked.catch(() => undefined);
    await vi.waitFor(() => expect(vendor.open()).toBe(0), PATIENT);
    await vi.waitFor(() => expect(usages).toMatchObject([{ usd: null, input: 100 }]), PATIENT);
    expect(gateway.totals().reservedUsd).toBe(0);
  });

  it("before the vendor answered is let go too", async () => {
    const vendor = await standIn(() => undefined);
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    const leave = new AbortController();
    const asked = ask(gateway, { body: message(), signal: leave.signal });
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(1), PATIENT);
    leave.abort();
    await asked.catch(() => undefined);
    await vi.waitFor(() => expect(vendor.open()).toBe(0), PATIENT);
    expect(usages).toMatchObject([{ usd: null, countedUsd: expect.closeTo(0.005, 3) }]);
  });

  it("in the middle of the answer leaves it cut off, not ended", async () => {
    const vendor = await standIn((req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(anthropicEvents()[0], () => req.socket.destroy());
    });
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 200, whole: false });
    await vi.waitFor(() => expect(usages).toMatchObject([{ usd: null }]), PATIENT);
  });

  it("goes just as the vendor begins to answer does not harm the engine", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const limits = gatewayLimits(undefined);
    const outcomes: CallOutcome[] = [];
    const hold = { observe: () => undefined, settle: (outcome: CallOutcome) => void outcomes.push(outcome) };
    let called: Promise<void> | undefined;
    const server = createServer((_req, res) => {
      const out = request({ port: vendor.port, method: "POST", path: "/v1/messages" });
      // Before the call hears of the answer, and in the same turn: `close` is told later.
      out.once("response", () => res.destroy());
      const credential = { secret: "", headers: {} };
      const others = { isRefusal: () => false, renew: async () => undefined, onAnswer: () => undefined };
      called = callModel({
        send: () => out,
        credential,
        ...others,
        body: undefined,
        res,
        limits,
        metered: { kind: "messages", hold },
      });
    });
    onTestFinished(() => void server.close());
    const out = request({ port: await listening(server) });
    out.on("error", () => undefined);
    out.end();
    await vi.waitFor(() => expect(outcomes[0]).toMatchObject({ as: "unread" }), PATIENT);
    await called;
  });

  it("was never there costs nothing", async () => {
    const vendor = await standIn(json({}));
    vendor.close();
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    const reply = await ask(gateway, { body: message() });
    expect(reply).toMatchObject({ status: 502, headers: { "x-should-retry": "true" } });
    expect(JSON.parse(reply.text)).toMatchObject({ type: "error", error: { type: "api_error" } });
    expect(usages).toEqual([]);
  });

  it("is told so when the gateway closes, and comes to a stop at once", async () => {
    const slow = await standIn((_req, res) => void res.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n"));
    const { gateway, cuts } = await modelGateway(folder(), slow.port);
    const idle = raw(gateway, "POST /v1/mess");
    const streaming = ask(gateway, { body: message() }).catch(() => ({ whole: false }));
    await vi.waitFor(() => expect(slow.seen).toHaveLength(1), PATIENT);
    await gateway.close();
    expect(await streaming).toMatchObject({ whole: false });
    await idle;
    expect(cuts).toEqual([]);
  });
});
