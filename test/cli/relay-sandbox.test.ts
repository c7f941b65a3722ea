import { createServer as createHttp } from "node:http";
import { createServer } from "node:net";
import type { Gateway } from "@loopdash/model-gateway";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { OpenGatewayOptions } from "../../src/adapters/gateway/open-gateway.ts";
import { scratchFolder } from "../helpers/scratch.ts";
import { bundleRelay, node, openedGateway, portOf, type Started, type StartOf, sandbox, startRelay } from "./relay-stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

let entry = "";
beforeAll(async () => {
  entry = await bundleRelay();
});
const start = (argv: readonly string[], startOf: StartOf = {}): Started => startRelay({ entry, folder: folder() }, argv, startOf);

const options = (options: Omit<OpenGatewayOptions, "folder">): Promise<Gateway> =>
  openedGateway({ folder: folder(), ...options });

describe("in a real sandbox", () => {
  const ask = `
    const { request } = require("node:http");
    const url = new URL(process.env.ANTHROPIC_BASE_URL + "/v1/messages");
    const out = request(url, { method: "POST", headers: { "content-type": "application/json", "x-api-key": "dummy" } }, (res) => {
      res.on("data", (chunk) => process.stdout.write(chunk));
    });
    out.end(JSON.stringify({ model: "m", max_tokens: 1, messages: [] }));`;

  it("a program reaches its model, by the socket alone, and never sees the credential", async () => {
    const keys: unknown[] = [];
    const vendor = createHttp((req, res) => {
      keys.push(req.headers["x-api-key"]);
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify({ model: "m", usage: { input_tokens: 1, output_tokens: 1 }, text: "hello" }));
    });
    const port = await portOf(vendor);
    const gateway = await options({
      model: {
        api: "anthropic",
        baseUrl: `http://127.0.0.1:${port}`,
        credential: { header: "x-api-key", value: () => "sk-of-the-engine" },
        prices: [{ model: "m", input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }],
        capUsd: 1,
      },
    });
    const argv = [gateway.socketPath, "--base-url", "ANTHROPIC_BASE_URL", "--", ...node(ask)];
    const { code, stdout, stderr } = await start(argv, { wrap: sandbox(gateway.socketPath) }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ text: "hello" });
    expect(keys).toEqual(["sk-of-the-engine"]);
    expect(gateway.totals()).toMatchObject({ spentUsd: 2e-6, requests: 1 });
  });

  it("a program reaches the hosts that were opened, and no others", async () => {
    const host = createHttp((req, res) => void res.end(`you asked ${req.headers.host}${req.url}`));
    const port = await portOf(host);
    const gateway = await options({
      hosts: [`open.example.com:${port}`, `127.0.0.1:${port}`],
      resolve: async () => ["127.0.0.1"],
    });
    const curl = (url: string, ...more: string[]) =>
      start([gateway.socketPath, "--", "curl", "-sS", "--max-time", "10", ...more, url], { wrap: sandbox(gateway.socketPath) })
        .ended;
    expect(await curl(`http://open.example.com:${port}/x`)).toMatchObject({
      code: 0,
      stdout: `you asked open.example.com:${port}/x`,
    });
    expect(await curl(`http://open.example.com:${port}/x`, "--proxytunnel")).toMatchObject({
      code: 0,
      stdout: `you asked open.example.com:${port}/x`,
    });
    expect((await curl(`http://other.example.com:${port}/x`)).stdout).toContain("is not open to this step");
    expect(await curl("https://other.example.com/x")).toMatchObject({ stdout: "", stderr: expect.stringContaining("403") });
    // Without the proxy there is no way at all, and no name is known.
    for (const url of [`http://127.0.0.1:${port}/x`, `http://open.example.com:${port}/x`]) {
      const direct = await curl(url, "--noproxy", "*");
      expect(direct.code).not.toBe(0);
      expect(direct.stdout).toBe("");
    }
  });

  it("a program still reaches its own servers on loopback, and Node's own fetch knows the way out", async () => {
    const host = createHttp((_req, res) => void res.end("outside"));
    const port = await portOf(host);
    const gateway = await options({
      hosts: [`open.example.com:${port}`, `127.0.0.1:${port}`],
      resolve: async () => ["127.0.0.1"],
    });
    const script = `
      const server = require("node:http").createServer((req, res) => res.end("own")).listen(0, "127.0.0.1", async () => {
        const own = "http://localhost:" + server.address().port;
        const texts = [await fetch(own), await fetch("http://open.example.com:${port}/")].map((res) => res.text());
        console.log((await Promise.all(texts)).join(" "));
        process.exit();
      });`;
    const ended = await start([gateway.socketPath, "--", ...node(script)], { wrap: sandbox(gateway.socketPath) }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: "own outside\n" });
  });

  it("a large transfer arrives whole, both ways at a time", async () => {
    const echo = createServer((socket) => void socket.pipe(socket));
    const port = await portOf(echo);
    const gateway = await options({ hosts: [`127.0.0.1:${port}`] });
    const script = `
      const { connect } = require("node:net");
      const { createHash } = require("node:crypto");
      const [sent, got] = [createHash("sha1"), createHash("sha1")];
      const socket = connect(Number(new URL(process.env.HTTPS_PROXY).port), "127.0.0.1");
      socket.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      socket.once("data", () => {
        socket.on("data", (chunk) => got.update(chunk));
        for (let i = 0; i < 64; i++) { const piece = Buffer.alloc(65_521, i); sent.update(piece); socket.write(piece); }
        socket.end();
      });
      socket.on("close", () => { console.log(got.digest("hex") === sent.digest("hex")); process.exit(); });`;
    const ended = await start([gateway.socketPath, "--", ...node(script)], { wrap: sandbox(gateway.socketPath) }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: "true\n" });
    await vi.waitFor(() => expect(gateway.totals()).toMatchObject({ bytesIn: 64 * 65_521, bytesOut: 64 * 65_521 }), PATIENT);
  });

  it("nothing stays when the sandbox is killed", async () => {
    const gateway = await options({ hosts: [] });
    const { child, ended, said } = start([gateway.socketPath, "--", ...node("console.log(1); setInterval(() => {}, 1000)")], {
      wrap: sandbox(gateway.socketPath),
    });
    await vi.waitFor(() => expect(said()).toBe("1\n"), PATIENT);
    child.kill("SIGKILL");
    // The pipes are closed once nobody holds them any more: the relay and its program are gone too.
    expect(await ended).toMatchObject({ signal: "SIGKILL" });
  });
});
