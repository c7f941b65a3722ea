import { X509Certificate } from "node:crypto";
import type { HostSpec } from "@loopdash/model-gateway";
import { GatewayCertificateAuthority } from "@loopdash/model-gateway/server";
import { describe, expect, it } from "vitest";
import { ask, gatewayOf, standIn } from "../../../packages/model-gateway/test/stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { echo, get, NAME, scene, TOKEN, tunnel } from "./header-host-stage.ts";

const folder = scratchFolder();

describe("a host with headers", () => {
  it("gets them over TLS, in place of those that the program sent, and the program sees nothing of them", async () => {
    const { host, gateway, authority, port } = await scene(folder());
    const said = await tunnel(gateway, `${NAME}:${port}`, get(port, "Authorization: Bearer mine\r\nauthorization_: x\r\n"), {
      ca: authority.certificate,
    });
    expect(host.seen).toMatchObject([{ url: "/pkg", headers: { authorization: `Bearer ${TOKEN}`, host: `${NAME}:${port}` } }]);
    expect(said).toMatch(/^HTTP\/1\.1 200/);
    expect(said).toContain("x-echo: Bearer [secret npm]");
    expect(said).toContain(`"authorization":"Bearer ${"*".repeat(TOKEN.length)}"`);
    expect(said).not.toContain(TOKEN);
    expect(said).not.toContain("set-cookie");
  });

  it("gets them in plain HTTP at given private addresses alone, by its URL or through a tunnel", async () => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/plain` });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain(TOKEN);
    expect(await tunnel(gateway, `${NAME}:${port}`, get(port))).toMatch(/^HTTP\/1\.1 200/);
    expect(host.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
  });

  it.each([
    ["no addresses", { addresses: undefined }],
    ["public addresses", { addresses: ["93.184.216.0/24"] }],
    ["the port of https", { port: undefined, addresses: ["10.0.0.0/8"] }],
  ])("gets nothing in plain HTTP with %s: it would travel in clear text", async (_, entry) => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false, entry: entry as object });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${"port" in entry ? 443 : port}/` });
    expect(reply).toMatchObject({ status: 403, text: expect.stringContaining("the secret would travel in clear text") });
    expect(host.seen).toEqual([]);
  });

  it("gets no header by which a server takes a request for another method", async () => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false });
    const more =
      "X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method: DELETE\r\nX_Method-Override: DELETE\r\nX-Method-Override: DELETE\r\n";
    expect(await tunnel(gateway, `${NAME}:${port}`, get(port, more))).toMatch(/^HTTP\/1\.1 200/);
    expect(Object.keys(host.seen[0]?.headers ?? {}).filter((name) => /^x-.*method/.test(name))).toEqual([]);
  });

  it("gets no secret with a character that could come back in a form which is not masked", async () => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false, values: ["geheim-mit-\u00e4"] });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/` });
    expect(reply).toMatchObject({ status: 502, text: expect.stringContaining("a character beyond ASCII") });
    expect(host.seen).toEqual([]);
  });

  it("gets no other protocol and no malformed request, and the reason is told", async () => {
    const { gateway, port } = await scene(folder(), { isSecure: false });
    const to = `${NAME}:${port}`;
    await tunnel(gateway, to, `GET / HTTP/1.1\r\nHost: ${to}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await tunnel(gateway, to, `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
    await tunnel(gateway, to, `GET / HTTP/1.1\r\nHost: ${to}\r\nX: ${"x".repeat(200_000)}\r\n\r\n`);
    expect([...gateway.totals().refusals.keys()].toSorted()).toEqual([
      `${to}: a change of protocol (WebSocket) is not passed on`,
      `${to}: a tunnel in a tunnel is not passed on`,
      `${to}: malformed: HPE_HEADER_OVERFLOW`,
    ]);
  });

  it("is verified as any client does: a certificate for another name gets no request", async () => {
    const { host, gateway, authority, port } = await scene(folder(), { name: "other.example" });
    const said = await tunnel(gateway, `${NAME}:${port}`, get(port), { ca: authority.certificate });
    expect(said).toMatch(/^HTTP\/1\.1 502[^]*no TLS with npm\.corp\.example/);
    expect(host.seen).toEqual([]);
  });

  it("is asked again once with a renewed secret where it refuses one, and no third time", async () => {
    const { host, gateway, port } = await scene(folder(), {
      isSecure: false,
      values: ["first-value-1", "second-value-2"],
      answer: (_, res, { headers }) => res.writeHead(headers.authorization === "Bearer second-value-2" ? 200 : 401).end("x"),
    });
    expect((await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/` })).status).toBe(200);
    expect(host.seen).toHaveLength(2);
    const refusing = await scene(folder(), {
      isSecure: false,
      values: ["first-value-1", "second-value-2"],
      answer: (_, res) => res.writeHead(403).end(),
    });
    expect((await ask(refusing.gateway, { method: "GET", path: `http://${NAME}:${refusing.port}/` })).status).toBe(403);
    expect(refusing.host.seen).toHaveLength(2);
    expect([...gateway.totals().refusals.keys()]).toEqual([]);
    expect([...refusing.gateway.totals().refusals.keys()]).toEqual([`${NAME}:${refusing.port} answered 403 to the secret "npm"`]);
  });

  it("answers streams, bodies and redirects unchanged, and connections are kept", async () => {
    const bytes = Buffer.alloc(300_000, "abc");
    const { host, gateway, authority, port } = await scene(folder(), {
      entry: { methods: ["GET", "POST"] },
      answer: (req, res, { body }) => {
        if (req.method === "POST") return void res.writeHead(302, { location: `https://cdn.example/?${body}` }).end();
        res.writeHead(200, { "content-length": bytes.length }).end(bytes);
      },
    });
    const said = await tunnel(
      gateway,
      `${NAME}:${port}`,
      `GET /a HTTP/1.1\r\nHost: ${NAME}:${port}\r\n\r\nPOST /b HTTP/1.1\r\nHost: ${NAME}:${port}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nhey\r\n0\r\n\r\n`,
      { ca: authority.certificate },
    );
    expect(said).toContain(bytes.toString());
    expect(said).toContain("location: https://cdn.example/?hey");
    expect(host.seen.map(({ method, body }) => `${method} ${body}`)).toEqual(["GET ", "POST hey"]);
  });

  it("that answers compressed is refused: nothing could be masked", async () => {
    const { gateway, port } = await scene(folder(), {
      isSecure: false,
      answer: (_, res, { headers }) =>
        res.writeHead(200, { "content-encoding": "gzip", "x-asked": headers["accept-encoding"] }).end("x"),
    });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/`, headers: { "accept-encoding": "gzip" } });
    expect(reply).toMatchObject({
      status: 502,
      text: expect.stringContaining("answers compressed although it was asked not to"),
    });
  });

  it("whose secret cannot be fetched gets no request, and the reason says so", async () => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false, values: [""] });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/` });
    expect(reply).toMatchObject({ status: 502, text: 'the secret "npm" could not be fetched: locked\n' });
    expect(host.seen).toEqual([]);
  });

  it("is not reached by a gateway that has no secrets", async () => {
    const host = await standIn(echo);
    const spec: HostSpec = { host: NAME, port: host.port, addresses: ["127.0.0.1"], headers: { a: "{secret:npm}" } };
    const gateway = await gatewayOf({ folder: folder(), hosts: [spec], resolve: async () => ["127.0.0.1"] });
    expect((await ask(gateway, { method: "GET", path: `http://${NAME}:${host.port}/` })).status).toBe(403);
    expect(host.seen).toEqual([]);
  });
});

describe("a program that wants a secret", () => {
  const refused: Readonly<Record<string, (port: number) => string>> = {
    "for another Host header": (port) => get(port, "", `evil.example:${port}`),
    "for a Host header without the port": (port) => get(port, "", NAME),
    "by a URL in a tunnel": (port) => `GET http://evil.example/ HTTP/1.1\r\nHost: ${NAME}:${port}\r\nConnection: close\r\n\r\n`,
    "by a tunnel in a tunnel": (port) => `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${NAME}:${port}\r\n\r\n`,
    "by another protocol": (port) => get(port, "Upgrade: websocket\r\n").replace("close", "upgrade"),
    "by a method that changes things": (port) => get(port).replace("GET", "PUT"),
    "by TRACE": (port) => get(port).replace("GET", "TRACE"),
    "by two lengths": (port) => get(port, "Content-Length: 5\r\nContent-Length: 6\r\n"),
    "by length and chunks": (port) => get(port, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
    "by chunks in another spelling": (port) => get(port, "Transfer-Encoding: xchunked\r\n"),
    "by a header that is folded": (port) => get(port, "X: a\r\n Host: evil.example\r\n"),
  };
  it.each(Object.entries(refused))("gets none %s", async (_, bytes) => {
    const { host, gateway, authority, port } = await scene(folder());
    const said = await tunnel(gateway, `${NAME}:${port}`, bytes(port), { ca: authority.certificate });
    expect(said).not.toMatch(/^HTTP\/1\.1 2/);
    expect(host.seen).toEqual([]);
  });

  it("gets none behind a request: each that comes in one piece is checked by itself", async () => {
    const { host, gateway, authority, port } = await scene(folder());
    const first = get(port).replace("Connection: close\r\n", "Content-Length: 0\r\n");
    const said = await tunnel(gateway, `${NAME}:${port}`, first + get(port, "", "evil.example"), { ca: authority.certificate });
    expect(said).toMatch(/^HTTP\/1\.1 200[^]*HTTP\/1\.1 421/);
    expect(host.seen).toHaveLength(1);
  });

  it("gets none by another server name in TLS", async () => {
    const { host, gateway, authority, port } = await scene(folder());
    const said = await tunnel(gateway, `${NAME}:${port}`, get(port), { ca: authority.certificate, servername: "evil.example" });
    expect(said).toMatch(/^no TLS/);
    expect(host.seen).toEqual([]);
  });

  it("gets none of it at another host or port, nor after a redirect", async () => {
    const other = await standIn(echo);
    const { gateway } = await scene(folder(), {
      isSecure: false,
      others: [{ host: "other.example", port: other.port, addresses: ["127.0.0.1"] }],
    });
    const reply = await ask(gateway, { method: "GET", path: `http://other.example:${other.port}/`, headers: { host: NAME } });
    expect(reply.status).toBe(200);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
    expect((await ask(gateway, { method: "GET", path: `http://${NAME}:${other.port}/` })).status).toBe(403);
  });

  it("gets no part of it by asking for a range of an echo", async () => {
    const { host, gateway, port } = await scene(folder(), { isSecure: false });
    await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/`, headers: { range: "bytes=0-3", "if-range": "x" } });
    expect(host.seen[0]?.headers).not.toHaveProperty("range");
    expect(host.seen[0]?.headers).not.toHaveProperty("if-range");
  });
});

describe("the authority of a gateway", () => {
  it("issues certificates for one name or address each, which only it signed", () => {
    const [one, two] = [new GatewayCertificateAuthority(), new GatewayCertificateAuthority()];
    const root = new X509Certificate(one.certificate);
    expect(root).toMatchObject({ ca: true });
    expect(root.verify(root.publicKey)).toBe(true);
    for (const name of [NAME, "10.1.2.3", "fd00::1:2"]) {
      const leaf = new X509Certificate(one.certificateFor(name).cert);
      expect(leaf).toMatchObject({ ca: false });
      expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
      expect(leaf.verify(new X509Certificate(two.certificate).publicKey)).toBe(false);
      expect(name === NAME ? leaf.checkHost(name) : leaf.checkIP(name)).toBeDefined();
      expect(leaf.checkHost("evil.example")).toBeUndefined();
      expect(Date.parse(leaf.validTo) - Date.now()).toBeLessThan(31 * 24 * 3_600_000);
    }
    expect(one.certificateFor(NAME)).toBe(one.certificateFor(NAME));
    expect(one.certificate).not.toContain("PRIVATE");
  });
});
