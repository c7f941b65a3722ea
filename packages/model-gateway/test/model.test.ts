import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "./scratch.ts";
import {
  ANSWER_USD,
  anthropicAnswer,
  anthropicEvents,
  ask,
  certificate,
  json,
  message,
  modelGateway,
  SECRET,
  standIn,
} from "./stage.ts";

const folder = scratchFolder();

describe("a request to the model", () => {
  it("reaches the vendor with the engine's credential and with none of the client's", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const theirs = {
      "x-api-key": "sk-theirs",
      authorization: "Bearer theirs",
      "api-key": "theirs",
      "proxy-authorization": "Basic theirs",
      cookie: "session=theirs",
      "x-goog-api-key": "theirs",
      "openai-organization": "theirs",
      "x-forwarded-for": "1.2.3.4",
      "x-amz-security-token": "theirs",
      host: "evil.example",
      forwarded: "for=evil",
      "x-http-method-override": "DELETE",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a,b",
      "user-agent": "claude-cli/2",
      "x-stainless-lang": "js",
      "accept-encoding": "gzip, br",
      connection: "keep-alive, x-stainless-lang",
      te: "trailers",
      expect: "100-continue",
    };
    const reply = await ask(gateway, { path: "/v1/messages?beta=true", headers: theirs, body: message() });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual(anthropicAnswer());
    const [seen] = vendor.seen;
    expect(seen).toMatchObject({ method: "POST", url: "/v1/messages?beta=true" });
    expect(JSON.stringify(seen)).not.toMatch(/theirs|evil|1\.2\.3\.4|DELETE/);
    expect(seen?.headers).toMatchObject({
      "x-api-key": SECRET,
      host: `127.0.0.1:${vendor.port}`,
      "accept-encoding": "identity",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "a,b",
      "user-agent": "claude-cli/2",
      "content-type": "application/json",
    });
    expect(JSON.parse(seen?.body ?? "")).toEqual(JSON.parse(message()));
  });

  it("has a bearer's credential, asked for each time, where the vendor wants it so", async () => {
    const vendor = await standIn(json({ model: "mock-small", usage: { input_tokens: 1, output_tokens: 1 } }));
    let turn = 0;
    const credential = { header: "bearer", value: async () => `${SECRET}-${++turn}` } as const;
    const { gateway } = await modelGateway(folder(), vendor.port, { api: "openai", credential });
    for (const _ of [1, 2])
      await ask(gateway, { path: "/v1/responses", body: JSON.stringify({ model: "mock-small", input: "hi" }) });
    expect(vendor.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${SECRET}-1`, `Bearer ${SECRET}-2`]);
  });

  it("goes to a vendor behind TLS, whose certificate is checked", async () => {
    const tls = certificate(folder());
    const vendor = await standIn(json(anthropicAnswer()), tls);
    const over = { baseUrl: `https://localhost:${vendor.port}`, ca: tls.cert };
    const trusting = await modelGateway(folder(), vendor.port, over);
    expect((await ask(trusting.gateway, { body: message() })).status).toBe(200);
    expect(trusting.usages).toMatchObject([{ usd: expect.closeTo(ANSWER_USD, 12) }]);
    const careful = await modelGateway(folder(), vendor.port, { baseUrl: over.baseUrl });
    expect(await ask(careful.gateway, { body: message() })).toMatchObject({ status: 502 });
    expect(vendor.seen).toHaveLength(1);
    expect(careful.gateway.totals().spentUsd).toBe(0);
  });

  it("may be compressed, as Codex does it", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    for (const [coding, compress] of [
      ["zstd", zstdCompressSync],
      ["gzip", gzipSync],
      ["br", brotliCompressSync],
      ["deflate", deflateSync],
    ] as const) {
      const reply = await ask(gateway, { headers: { "content-encoding": coding }, body: compress(Buffer.from(message())) });
      expect({ coding, status: reply.status }).toEqual({ coding, status: 200 });
    }
    expect(
      vendor.seen.every(({ headers, body }) => headers["content-encoding"] === undefined && body === vendor.seen[0]?.body),
    ).toBe(true);
  });

  it("says its target with the relay's or the vendor's name in front", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    for (const host of ["127.0.0.1:18080", "localhost:1", "[::1]:9"]) {
      expect((await ask(gateway, { path: `http://${host}/v1/messages`, body: message() })).status).toBe(200);
    }
    expect(vendor.seen.map(({ url }) => url)).toEqual(["/v1/messages", "/v1/messages", "/v1/messages"]);
  });

  it("that only looks whether somebody is there is answered here", async () => {
    const vendor = await standIn(json({}));
    const { gateway } = await modelGateway(folder(), vendor.port);
    expect(await ask(gateway, { method: "HEAD", path: "/" })).toMatchObject({ status: 200, text: "" });
    expect(vendor.seen).toEqual([]);
  });

  it("that costs nothing is passed on and not booked", async () => {
    const vendor = await standIn(json({ input_tokens: 7 }));
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    expect((await ask(gateway, { path: "/v1/messages/count_tokens", body: message() })).text).toBe('{"input_tokens":7}');
    expect((await ask(gateway, { method: "GET", path: "/v1/models" })).status).toBe(200);
    expect(vendor.seen.map(({ headers }) => headers["x-api-key"])).toEqual([SECRET, SECRET]);
    expect(usages).toEqual([]);
    expect(gateway.totals()).toMatchObject({ spentUsd: 0, reservedUsd: 0, requests: 2, refused: 0 });
  });
});

describe("an answer", () => {
  it("is streamed: each event comes before the next is sent", async () => {
    const events = anthropicEvents();
    let go: () => void = () => undefined;
    const vendor = await standIn((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      let at = 0;
      go = () => (at < events.length ? res.write(events[at++]) : res.end());
      go();
    });
    const { gateway } = await modelGateway(folder(), vendor.port);
    let got = "";
    const reply = await ask(gateway, {
      body: message({ stream: true }),
      // The next one is only sent once this one is here: a gateway that collects them never ends.
      onData: (text) => {
        got += text;
        if (got.endsWith("\n\n")) go();
      },
    });
    expect(reply).toMatchObject({ status: 200, whole: true, text: events.join("") });
    expect(reply.headers["content-type"]).toBe("text/event-stream");
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("that comes compressed although nobody asked for it is read and passed on plain: %s", async (coding, compress) => {
    const bytes = compress(Buffer.from(anthropicEvents().join("")));
    const vendor = await standIn((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding, "content-length": bytes.length });
      res.end(bytes);
    });
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    const reply = await ask(gateway, { body: message() });
    expect(reply).toMatchObject({ text: anthropicEvents().join(""), whole: true });
    expect(reply.headers).not.toHaveProperty("content-encoding");
    expect(usages).toMatchObject([{ usd: expect.any(Number) }]);
  });

  it("in a coding that nobody here reads is not passed on, and counts as its maximum", async () => {
    const vendor = await standIn(json(anthropicAnswer(), 200, { "content-encoding": "compress" }));
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 502 });
    expect(usages).toMatchObject([{ usd: null, countedUsd: expect.closeTo(0.005, 3) }]);
  });

  it("sends nobody elsewhere: a redirect is refused and not followed, and costs nothing", async () => {
    const other = await standIn(json(anthropicAnswer()));
    for (const status of [301, 302, 303, 307, 308]) {
      const vendor = await standIn(json({}, status, { location: `http://127.0.0.1:${other.port}/v1/messages` }));
      const { gateway } = await modelGateway(folder(), vendor.port);
      const reply = await ask(gateway, { body: message() });
      expect(reply.status).toBe(502);
      expect(reply.headers).not.toHaveProperty("location");
      expect(gateway.totals().spentUsd).toBe(0);
    }
    expect(other.seen).toEqual([]);
  });

  it("brings no cookie, no other host and no word about the connection inside", async () => {
    const headers = {
      "set-cookie": "a=b",
      "alt-svc": 'h3=":443"',
      location: "http://evil",
      connection: "close, x-hop",
      "x-hop": "1",
      "request-id": "req_1",
    };
    const vendor = await standIn(json(anthropicAnswer(), 200, headers));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const reply = await ask(gateway, { body: message() });
    for (const name of ["set-cookie", "alt-svc", "location", "x-hop"]) expect(reply.headers).not.toHaveProperty(name);
    expect(reply.headers["request-id"]).toBe("req_1");
  });

  it("that is an error comes as the vendor said it, and costs nothing", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const vendor = await standIn(json(error, 529, { "retry-after": "3" }));
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    const reply = await ask(gateway, { body: message() });
    expect(reply).toMatchObject({ status: 529, headers: { "retry-after": "3" } });
    expect(JSON.parse(reply.text)).toEqual(error);
    expect(usages).toEqual([]);
    expect(gateway.totals()).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
  });

  it("never shows the credential, wherever the vendor repeats it", async () => {
    const half = Math.floor(SECRET.length / 2);
    const vendor = await standIn((req, res) => {
      res.writeHead(Number(req.headers["x-stainless-want"] ?? 401), {
        "content-type": "text/event-stream",
        "x-echo": `key ${SECRET}`,
      });
      res.write(`no such key: ${SECRET.slice(0, half)}`);
      // In two pieces, so that neither has it whole.
      setImmediate(() => res.end(`${SECRET.slice(half)}, ${SECRET}${SECRET} and sk-ant-of`));
    });
    const { gateway } = await modelGateway(folder(), vendor.port);
    for (const want of ["401", "200"]) {
      const reply = await ask(gateway, { headers: { "x-stainless-want": want }, body: message() });
      const stars = "*".repeat(SECRET.length);
      expect(reply.status).toBe(Number(want));
      expect(reply.text).toBe(`no such key: ${stars}, ${stars}${stars} and sk-ant-of`);
      expect(reply.headers["x-echo"]).toBe(`key ${stars}`);
    }
  });
});

describe("the credential", () => {
  it.each([
    ["cannot be had", () => Promise.reject(new Error(`no keyring for ${SECRET}`))],
    ["has a line break in it", () => `${SECRET}\r\nx-evil: 1`],
    ["is empty", () => ""],
  ])("that %s is not told, and nothing is sent", async (_what, value) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, { credential: { header: "x-api-key", value } });
    const reply = await ask(gateway, { body: message() });
    expect(reply.status).toBe(502);
    expect(reply.text + JSON.stringify([...gateway.totals().refusals])).not.toContain(SECRET);
    expect(vendor.seen).toEqual([]);
    expect(gateway.totals()).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
  });
});
