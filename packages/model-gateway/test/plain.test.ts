import { request } from "node:http";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scratchFolder } from "./scratch.ts";
import { ask, gatewayOf, json, listening, raw, standIn } from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

const open = (hosts: string[], addresses?: (name: string) => readonly string[]) =>
  gatewayOf({
    folder: folder(),
    hosts,
    ...(addresses === undefined ? {} : { resolve: async (name: string) => addresses(name) }),
  });

describe("a plain HTTP request", () => {
  it("to an allowed host with its port is passed on, both ways", async () => {
    const host = await standIn((req, res, seen) => {
      res.writeHead(201, { "set-cookie": ["a=1", "b=2"], location: "/next", connection: "x-hop", "x-hop": "1" });
      res.end(`${req.method} ${seen.body}`);
    });
    const gateway = await open([`deb.example.org:${host.port}`, `127.0.0.1:${host.port}`], () => ["127.0.0.1"]);
    const reply = await ask(gateway, {
      method: "PUT",
      path: `http://deb.example.org:${host.port}/a/b?c=d`,
      headers: {
        host: "evil.example",
        "proxy-authorization": "Basic x",
        "proxy-connection": "keep-alive",
        authorization: "own",
        te: "trailers",
      },
      body: "hello",
    });
    expect(reply).toMatchObject({ status: 201, text: "PUT hello", headers: { "set-cookie": ["a=1", "b=2"], location: "/next" } });
    expect(reply.headers).not.toHaveProperty("x-hop");
    expect(host.seen).toMatchObject([
      { url: "/a/b?c=d", headers: { host: `deb.example.org:${host.port}`, authorization: "own" } },
    ]);
    expect(JSON.stringify(host.seen)).not.toMatch(/evil|proxy|trailers/);
    const totals = gateway.totals();
    expect(totals.bytesOut).toBeGreaterThan(100);
    expect(totals.bytesIn).toBeGreaterThan(100);
  });

  it.each([
    ["another host", "http://evil.example.org:PORT/"],
    ["another port", "http://deb.example.org/"],
    ["the loopback", "http://127.0.0.1:PORT/"],
    ["the loopback in another spelling", "http://2130706433:PORT/"],
    ["credentials", "http://a:b@deb.example.org:PORT/"],
    ["https", "https://deb.example.org:PORT/"],
    ["a path only", "/v1/messages"],
  ])("to %s is refused", async (_what, url) => {
    const host = await standIn(json({}));
    const gateway = await open([`deb.example.org:${host.port}`], () => ["127.0.0.1"]);
    expect((await ask(gateway, { method: "GET", path: url.replace("PORT", String(host.port)) })).status).toBe(403);
    expect((await ask(gateway, { method: "GET", path: `http://deb.example.org:${host.port}/` })).status).toBe(403);
    expect(host.seen).toEqual([]);
  });

  it("is framed again, so that a body cannot become a second request", async () => {
    const host = await standIn(json({}));
    const gateway = await open([`127.0.0.1:${host.port}`]);
    const second = `GET /second HTTP/1.1\r\nHost: x\r\n\r\n`;
    const url = `http://127.0.0.1:${host.port}/first`;
    const chunked = `${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
    await raw(gateway, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`);
    await raw(
      gateway,
      `DELETE ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${second.length}\r\n\r\n${second}`,
    );
    expect(host.seen.map(({ method, url: at, body }) => [method, at, body])).toEqual([
      ["GET", "/first", second],
      ["DELETE", "/first", second],
    ]);
  });

  it("does not become anything else", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.write("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nfree"));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const gateway = await open([`127.0.0.1:${port}`]);
    const upgrade = { connection: "upgrade", upgrade: "websocket" };
    expect((await ask(gateway, { method: "GET", path: `http://127.0.0.1:${port}/`, headers: upgrade })).status).toBe(502);
    expect((await ask(gateway, { method: "TRACE", path: `http://127.0.0.1:${port}/` })).status).toBe(403);
  });

  it.each([
    ["a status below all", "HTTP/1.1 042 No\r\n\r\n"],
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
    ["a header that would be two", "HTTP/1.1 200 OK\r\nX-A: 1\rX-B: 2\r\n\r\n"],
    ["a header with a NUL", "HTTP/1.1 200 OK\r\nX-A: 1\u0000\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a head without an end", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`],
  ])("that is answered with %s is answered 502, and the engine lives", async (_what, bytes) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(Buffer.from(bytes, "latin1")));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const gateway = await open([`127.0.0.1:${port}`]);
    expect((await ask(gateway, { method: "GET", path: `http://127.0.0.1:${port}/` })).status).toBe(502);
  });

  it("lets the host go when the client is gone", async () => {
    const host = await standIn(() => undefined);
    const gateway = await open([`127.0.0.1:${host.port}`]);
    const out = request({ socketPath: gateway.socketPath, path: `http://127.0.0.1:${host.port}/` });
    out.on("error", () => undefined);
    out.end();
    await vi.waitFor(() => expect(host.open()).toBe(1), PATIENT);
    out.destroy();
    await vi.waitFor(() => expect(host.open()).toBe(0), PATIENT);
  });
});
