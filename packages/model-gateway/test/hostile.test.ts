import { once } from "node:events";
import { connect, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scratchFolder } from "./scratch.ts";
import {
  anthropicAnswer,
  anthropicEvents,
  ask,
  json,
  listening,
  message,
  modelGateway,
  PRICES,
  raw,
  SECRET,
  standIn,
} from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

const post = (headers: string, body: string, target = "/v1/messages") =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n${headers}\r\n\r\n${body}`;
const statuses = (text: string): number[] => [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

describe("a request that two readers could read differently", () => {
  const SECOND = "POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
  const size = Buffer.byteLength(message());
  const chunked = `${size.toString(16)}\r\n${message()}\r\n0\r\n\r\n`;
  it.each([
    ["both a length and chunks", `Content-Length: 5\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${SECOND}`],
    ["chunks and then a length", `Transfer-Encoding: chunked\r\nContent-Length: ${size}`, chunked],
    ["two lengths", `Content-Length: ${size}\r\nContent-Length: 5`, message()],
    ["the same length twice", `Content-Length: ${size}\r\nContent-Length: ${size}`, message()],
    ["a list of lengths", `Content-Length: ${size}, ${size}`, message()],
    ["a length with a sign", `Content-Length: +${size}`, message()],
    ["a length in hexadecimal", `Content-Length: 0x${size.toString(16)}`, message()],
    ["a negative length", "Content-Length: -1", message()],
    ["an endless length", "Content-Length: 99999999999999999999", message()],
    ["a coding that is none", "Transfer-Encoding: xchunked", chunked],
    ["chunks that are not last", "Transfer-Encoding: chunked, identity", chunked],
    ["chunks twice over", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", chunked],
    ["a space before the colon", "Transfer-Encoding : chunked", chunked],
    ["a folded header", "Transfer-Encoding:\r\n chunked", chunked],
    ["a bare CR in a header", "X-A: 1\rTransfer-Encoding: chunked", chunked],
    ["a bare LF between headers", `X-A: 1\nContent-Length: ${size}`, message()],
    ["a NUL in a header", `X-A: \u0000\r\nContent-Length: ${size}`, message()],
    ["a chunk size with a sign", "Transfer-Encoding: chunked", `+${chunked}`],
    ["a chunk size with rubbish", "Transfer-Encoding: chunked", chunked.replace("\r\n", " x\r\n")],
    ["a chunk that lies about its size", "Transfer-Encoding: chunked", `1\r\n${message()}\r\n0\r\n\r\n`],
    ["two hosts", `Host: evil.example\r\nContent-Length: ${size}`, message()],
  ])("is read in one way or not at all: %s", async (_what, headers, body) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, {}, { limits: { requestMs: 2_000 } });
    const answered = statuses(await raw(gateway, post(headers, body)));
    expect(answered.length).toBeLessThanOrEqual(1);
    // What the vendor got, if anything, is one request, framed by the gateway alone.
    expect(vendor.seen.length).toBeLessThanOrEqual(1);
    for (const seen of vendor.seen) {
      expect(seen).toMatchObject({
        url: "/v1/messages",
        headers: { host: `127.0.0.1:${vendor.port}`, "content-length": String(seen.body.length) },
      });
      expect(seen.headers).not.toHaveProperty("transfer-encoding");
      expect(JSON.parse(seen.body)).toEqual(JSON.parse(message()));
    }
    if (vendor.seen.length === 0) expect(answered.every((status) => status >= 400 && status < 500)).toBe(true);
    // A new request of somebody honest is answered as ever.
    expect((await ask(gateway, { body: message() })).status).toBe(200);
  });

  it.each([
    ["both a length and chunks", `Content-Length: ${size}\r\nTransfer-Encoding: chunked`],
    ["chunks and then a length", `Transfer-Encoding: chunked\r\nContent-Length: ${size}`],
    ["two lengths", `Content-Length: ${chunked.length}\r\nContent-Length: 5`],
    ["a space before the colon", "Transfer-Encoding : chunked"],
  ])("is refused outright where it is a known trick: %s", async (_what, headers) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    expect(statuses(await raw(gateway, post(headers, chunked)))).toEqual([400]);
    expect(vendor.seen).toEqual([]);
  });

  it("is not made so by what follows it: each is looked at by itself", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const first = post(`Content-Length: ${size}`, message()).replace("Connection: close\r\n", "");
    const text = await raw(gateway, first + SECOND);
    expect(statuses(text)).toEqual([200, 403]);
    expect(vendor.seen.map(({ url }) => url)).toEqual(["/v1/messages"]);
  });
});

describe("what is not open is refused, counted, and never reaches the vendor:", () => {
  it.each([
    ["another path", "POST /v1/files"],
    ["a path that climbs", "POST /v1/messages/../files"],
    ["a path that climbs, encoded", "POST /v1/messages/%2e%2e%2ffiles"],
    ["a path with a backslash", "POST /v1/messages\\..\\files"],
    ["a double slash", "POST //v1/messages"],
    ["a fragment", "POST /v1/messages#x"],
    ["a key in the query", `POST /v1/messages?api_key=${SECRET}`],
    ["another host, in full", "POST http://evil.example/v1/messages"],
    ["another host and the vendor's name as its user", "POST http://127.0.0.1@evil.example/v1/messages"],
    ["a name that only begins like the vendor's", "POST http://127.0.0.1.evil.example/v1/messages"],
    ["the loopback in decimal", "POST http://2130706433/v1/messages"],
    ["https in full", "POST https://127.0.0.1/v1/messages"],
    ["another method", "PUT /v1/messages"],
    ["a method in lower case", "post /v1/messages"],
    ["OPTIONS of all", "OPTIONS *"],
    ["a tunnel to the vendor", "CONNECT 127.0.0.1:PORT"],
    ["TRACE", "TRACE /v1/messages"],
  ])("%s", async (_what, line) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const head = `${line.replace("PORT", String(vendor.port))} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
    const text = await raw(gateway, `${head}\r\nContent-Length: ${message().length}\r\n\r\n${message()}`);
    // Methods that HTTP does not have stop at Node's parser.
    expect(statuses(text)[0]).toBe(line.startsWith("post") ? 400 : 403);
    expect(statuses(text)).toHaveLength(1);
    expect(text).not.toContain(SECRET);
    expect(gateway.totals().refused).toBe(1);
    expect(vendor.seen).toEqual([]);
    expect(vendor.open()).toBe(0);
  });

  it("an upgrade: it is a request like any other", async () => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port);
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-key": "x", "sec-websocket-version": "13" };
    expect((await ask(gateway, { method: "GET", path: "/v1/messages", headers })).status).toBe(403);
    expect((await ask(gateway, { headers, body: message() })).status).toBe(200);
    expect(vendor.seen[0]?.headers).not.toHaveProperty("upgrade");
  });

  it("many different things: what is remembered is bounded, and safe to show", async () => {
    const { gateway } = await modelGateway(folder(), 1);
    await ask(gateway, { path: `/v1/${"x".repeat(5_000)}` });
    for (let at = 0; at < 70; at += 1) await ask(gateway, { method: "GET", path: `http://h${at}.example/` });
    for (let at = 0; at < 70; at += 1) await ask(gateway, { method: "GET", path: `/v1/${"y".repeat(at)}` });
    await raw(gateway, "GET http://x\u001b[31m/ HTTP/1.1\r\nHost: x\r\n\r\n");
    const { refusals, refused, blocked, blockedOthers } = gateway.totals();
    expect([refused, refusals.size, blocked.length, blockedOthers]).toEqual([142, 50, 20, 50]);
    expect(Math.max(...[...refusals.keys()].map((reason) => reason.length))).toBe(160);
    expect([...refusals.keys()].join("")).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("a body that is not one request to one model is refused:", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["two", `${message()}${message()}`],
    ["bytes that are no text", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["no model", message({ model: undefined })],
    ["a model that is no name", message({ model: ["mock-small"] })],
    ["a model with too long a name", message({ model: "m".repeat(201) })],
    ["a nest without end", `{"model":"mock-small","messages":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
  ])("%s", async (_what, body) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway, usages } = await modelGateway(folder(), vendor.port);
    expect(await ask(gateway, { body })).toMatchObject({ status: 400 });
    expect(vendor.seen).toEqual([]);
    expect(usages).toEqual([]);
    expect(gateway.totals().reservedUsd).toBe(0);
  });

  it.each([
    ["is too large", (size: number) => ({ body: "x".repeat(size + 1) }), 413],
    [
      "becomes too large",
      (size: number) => ({ headers: { "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(size * 50, 0x20)) }),
      413,
    ],
    ["only says it is compressed", () => ({ headers: { "content-encoding": "gzip" }, body: message() }), 400],
    ["is compressed twice", () => ({ headers: { "content-encoding": "gzip, gzip" }, body: message() }), 415],
    ["is compressed in its own way", () => ({ headers: { "content-encoding": "constructor" }, body: message() }), 415],
  ] as const)("one that %s", async (_what, options, status) => {
    const vendor = await standIn(json(anthropicAnswer()));
    const { gateway } = await modelGateway(folder(), vendor.port, {}, { limits: { bodyBytes: 10_000 } });
    expect(await ask(gateway, options(10_000)).catch(() => ({ status }))).toMatchObject({ status });
    expect(vendor.seen).toEqual([]);
    // Nothing of it is kept.
    expect((await ask(gateway, { body: message() })).status).toBe(200);
  });

  it("too much at a time, until some of it is through", async () => {
    const vendor = await standIn(() => undefined);
    const { gateway } = await modelGateway(folder(), vendor.port, {}, { limits: { bodyBytes: 10_000, heldBytes: 12_000 } });
    const leave = new AbortController();
    const large = message({ messages: "x".repeat(8_000) });
    const first = ask(gateway, { body: large, signal: leave.signal }).catch(() => undefined);
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(1), PATIENT);
    expect((await ask(gateway, { body: large })).status).toBe(429);
    leave.abort();
    await first;
    await vi.waitFor(() => expect(gateway.totals().reservedUsd).toBe(0), PATIENT);
    void ask(gateway, { body: large }).catch(() => undefined);
    await vi.waitFor(() => expect(vendor.seen).toHaveLength(2), PATIENT);
  });
});

describe("whoever is slow, or never ends, is let go:", () => {
  it("a head that comes byte by byte", async () => {
    const { gateway } = await modelGateway(folder(), 1, {}, { limits: { headMs: 100 } });
    const text = await raw(gateway, "POST /v1/messages HTTP/1.1\r\nX-Slow: ");
    expect(statuses(text)).toEqual([408]);
  });

  it("a body that never comes", async () => {
    const { gateway } = await modelGateway(folder(), 1, {}, { limits: { headMs: 100, requestMs: 150 } });
    const text = await raw(gateway, post("Content-Length: 100", "{"));
    expect(statuses(text).every((status) => status === 408 || status === 400)).toBe(true);
  });

  it("a head that is too large", async () => {
    const { gateway } = await modelGateway(folder(), 1);
    expect(statuses(await raw(gateway, post(`X-A: ${"a".repeat(40_000)}`, "")))).toEqual([431]);
    expect(gateway.totals().refused).toBe(1);
  });

  it("more connections than there may be", async () => {
    const { gateway } = await modelGateway(folder(), 1, {}, { limits: { connections: 3 } });
    const idle = Array.from({ length: 3 }, () => connect(gateway.socketPath));
    onTestFinished(() => idle.forEach((socket) => void socket.destroy()));
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    await expect(ask(gateway, { method: "HEAD", path: "/" })).rejects.toThrow();
    idle[0]?.destroy();
    await vi.waitFor(async () => expect((await ask(gateway, { method: "HEAD", path: "/" })).status).toBe(200), PATIENT);
  });

  it.each([
    ["a vendor that does not answer", { answerMs: 100 }, "", 504],
    ["an answer that stands still", { idleMs: 100 }, ": hi\n\n", 200],
    ["an answer that never ends", { totalMs: 200 }, "tick", 200],
    ["an answer without bounds", { answerBytes: 5_000 }, "flood", 200],
  ])("%s", async (_what, limits, how, status) => {
    const vendor = await standIn((_req, res) => {
      if (how === "") return;
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(anthropicEvents()[0]);
      const tick = (): void => void (res.destroyed || res.write(": x\n\n", () => setTimeout(tick, 10)));
      if (how === "tick") tick();
      else res.write(how === "flood" ? "x".repeat(10_000) : how);
    });
    const { gateway, usages } = await modelGateway(folder(), vendor.port, {}, { limits });
    expect(await ask(gateway, { body: message() })).toMatchObject({ status, whole: status !== 200 });
    await vi.waitFor(() => expect(usages).toMatchObject([{ usd: null, countedUsd: expect.closeTo(0.005, 3) }]), PATIENT);
    await vi.waitFor(() => expect(vendor.open()).toBe(0), PATIENT);
  });

  it("a client that does not read: the vendor is not read further either", async () => {
    let sent = 0;
    const vendor = await standIn((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      const piece = Buffer.alloc(64 * 1024, 0x3a);
      const more = (): void => void (res.destroyed || res.write(piece, () => ((sent += piece.length), more())));
      more();
    });
    const { gateway } = await modelGateway(folder(), vendor.port);
    const socket = connect(gateway.socketPath);
    onTestFinished(() => void socket.destroy());
    socket.write(post(`Content-Length: ${message().length}`, message()));
    let before = -1;
    await vi.waitFor(
      () => {
        const same = sent > 0 && sent === before;
        before = sent;
        expect(same).toBe(true);
      },
      { timeout: 10_000, interval: 200 },
    );
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("a vendor's answer that is no HTTP, or would be two,", () => {
  it.each([
    ["a status below all", "HTTP/1.1 042 No\r\n\r\n"],
    ["no HTTP", "hello\r\n\r\n"],
    ["a header that would be two", "HTTP/1.1 200 OK\r\nX-A: 1\rX-B: 2\r\n\r\n"],
    ["a header with a NUL", "HTTP/1.1 200 OK\r\nX-A: 1\u0000\r\n\r\n"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a switch to something else", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nfree"],
    ["a head without an end", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`],
  ])("is answered 502 and counts as its maximum: %s", async (_what, bytes) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(Buffer.from(bytes, "latin1")));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const { gateway, usages } = await modelGateway(folder(), port, { prices: PRICES });
    expect(await ask(gateway, { body: message() })).toMatchObject({ status: 502 });
    expect(usages).toMatchObject([{ usd: null, countedUsd: expect.closeTo(0.005, 3) }]);
  });
});
