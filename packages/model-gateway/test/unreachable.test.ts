import { describe, expect, it } from "vitest";
import { scratchFolder } from "./scratch.ts";
import { anthropicAnswer, ask, json, message, modelGateway, standIn } from "./stage.ts";

const folder = scratchFolder();

/** A gateway, and why its model's API could not be reached. */
async function watched(port: number, over: Parameters<typeof modelGateway>[2] = {}) {
  const reasons: string[] = [];
  const statuses: number[] = [];
  const onUnreachable = (why: string) => void reasons.push(why);
  const onAnswer = ({ status }: { readonly status: number }) => void statuses.push(status);
  const { gateway } = await modelGateway(folder(), port, { ...over, onUnreachable, onAnswer });
  return { gateway, reasons, statuses };
}

describe("a model's API that gives no answer is reported:", () => {
  it("a connection that is refused", async () => {
    const { gateway, reasons, statuses } = await watched(1);
    expect((await ask(gateway, { body: message() })).status).toBe(502);
    expect([reasons, statuses]).toEqual([["ECONNREFUSED"], []]);
  });

  it("a connection that is reset", async () => {
    const vendor = await standIn((_, res) => res.socket?.resetAndDestroy());
    const { gateway, reasons } = await watched(vendor.port);
    expect((await ask(gateway, { body: message() })).status).toBe(502);
    expect(reasons).toEqual(["ECONNRESET"]);
  });

  it("a host that has no address", async () => {
    const { gateway, reasons } = await watched(1, { baseUrl: "http://no-such-host.invalid" });
    expect((await ask(gateway, { body: message() })).status).toBe(502);
    expect(reasons).toEqual([expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/)]);
  });

  it("and nothing is, if it answers, even with an error or a redirect", async () => {
    const vendor = await standIn((req, res, seen) => {
      const status = Number(req.headers["x-stainless-want"]);
      if (status === 302) return void res.writeHead(302, { location: "http://elsewhere.test" }).end();
      json(anthropicAnswer(), status)(req, res, seen);
    });
    const { gateway, reasons, statuses } = await watched(vendor.port);
    for (const want of ["200", "503", "302"]) await ask(gateway, { headers: { "x-stainless-want": want }, body: message() });
    expect([reasons, statuses]).toEqual([[], [200, 503, 302]]);
  });
});
