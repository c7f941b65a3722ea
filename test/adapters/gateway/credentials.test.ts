import { X509Certificate } from "node:crypto";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { GatewayCertificateAuthority } from "../../../src/adapters/gateway/credentials/certificate-authority.ts";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import type { HeaderHost, HostSpec } from "../../../src/domain/batch/host-spec.ts";
import type { Gateway } from "../../../src/ports/gateway.ts";
import { type Secrets, SecretUnavailable } from "../../../src/ports/secrets.ts";
import { CertificateAuthority } from "../../helpers/certificate-authority.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { type Answer, ask, gatewayOf, standIn } from "./stage.ts";

const folder = scratchFolder();
const TOKEN = "npm_corp-token/4711";
const NAME = "npm.corp.example";

const echo: Answer = (_, res, { method, url, headers, body }) => {
  res.writeHead(200, { "x-echo": headers.authorization ?? "none", "set-cookie": "session=1" });
  res.end(JSON.stringify({ method, url, authorization: headers.authorization, host: headers.host, body, headers }));
};

/** Secrets with these values, one after the other at each renewal. */
function secretsOf(...values: readonly string[]) {
  const masker = createMasker();
  let at = 0;
  const value = (): string => {
    const text = values[Math.min(at, values.length - 1)] ?? "";
    if (text === "") throw new SecretUnavailable('the secret "npm" could not be fetched: locked');
    masker.learn("npm", text);
    return text;
  };
  const secrets: Secrets = {
    get: async () => value(),
    renew: async () => {
      at += 1;
      return value();
    },
    preload: async () => undefined,
    forget: () => undefined,
  };
  return { masker, secrets };
}

interface Scene {
  readonly answer?: Answer;
  readonly values?: readonly string[];
  readonly entry?: Partial<HeaderHost>;
  readonly others?: readonly HostSpec[];
  readonly isSecure?: boolean;
  /** The name in the host's certificate. */
  readonly name?: string;
}

/** A host, and a gateway that adds a header to requests to it. */
async function scene({ answer = echo, values = [TOKEN], entry = {}, others = [], isSecure = true, name = NAME }: Scene = {}) {
  const outer = new CertificateAuthority(join(folder(), "outer"));
  const host = await standIn(answer, isSecure ? outer.issue(`DNS:${name}`) : undefined);
  const authority = new GatewayCertificateAuthority();
  const own: HeaderHost = {
    host: NAME,
    port: host.port,
    addresses: ["127.0.0.1"],
    headers: { Authorization: "Bearer {secret:npm}" },
    ...entry,
  };
  const { masker, secrets } = secretsOf(...values);
  const gateway = await gatewayOf({
    folder: folder(),
    hosts: [own, ...others],
    resolve: async () => ["127.0.0.1"],
    credentials: { secrets, masker, authority, trusted: outer.cert },
  });
  return { host, gateway, authority, port: host.port };
}

/** Sends raw bytes through a tunnel, and gives all that comes back. */
function tunnel(
  gateway: Gateway,
  to: string,
  bytes: string,
  tls?: { readonly ca: string; readonly servername?: string },
): Promise<string> {
  const socket = connectSocket(gateway.socketPath);
  onTestFinished(() => void socket.destroy());
  return new Promise((settle) => {
    let said = "";
    const send = (stream: TLSSocket | typeof socket): void => {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString("latin1");
      });
      stream.on("close", () => settle(said));
      stream.write(bytes);
    };
    socket.on("error", (error) => settle(`${said}${error.message}`));
    socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`);
    socket.once("data", (head: Buffer) => {
      if (!head.toString().startsWith("HTTP/1.1 200")) {
        settle(head.toString());
        return;
      }
      if (tls === undefined) return send(socket);
      const secure = connect({ socket, ca: tls.ca, servername: tls.servername ?? NAME, ALPNProtocols: ["h2", "http/1.1"] });
      secure.on("error", (error) => settle(`no TLS: ${error.message}`));
      secure.once("secureConnect", () => send(secure));
    });
  });
}

const get = (port: number, more = "", host = `${NAME}:${port}`) =>
  `GET /pkg HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;

describe("a host with headers", () => {
  it("gets them over TLS, in place of those that the program sent, and the program sees nothing of them", async () => {
    const { host, gateway, authority, port } = await scene();
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
    const { host, gateway, port } = await scene({ isSecure: false });
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
    const { host, gateway, port } = await scene({ isSecure: false, entry: entry as object });
    const reply = await ask(gateway, { method: "GET", path: `http://${NAME}:${"port" in entry ? 443 : port}/` });
    expect(reply).toMatchObject({ status: 403, text: expect.stringContaining("the secret would travel in clear text") });
    expect(host.seen).toEqual([]);
  });

  it("is verified as any client does: a certificate for another name gets no request", async () => {
    const { host, gateway, authority, port } = await scene({ name: "other.example" });
    const said = await tunnel(gateway, `${NAME}:${port}`, get(port), { ca: authority.certificate });
    expect(said).toMatch(/^HTTP\/1\.1 502[^]*no TLS with npm\.corp\.example/);
    expect(host.seen).toEqual([]);
  });

  it("is asked again once with a renewed secret where it refuses one, and no third time", async () => {
    const { host, gateway, port } = await scene({
      isSecure: false,
      values: ["first-value-1", "second-value-2"],
      answer: (_, res, { headers }) => res.writeHead(headers.authorization === "Bearer second-value-2" ? 200 : 401).end("x"),
    });
    expect((await ask(gateway, { method: "GET", path: `http://${NAME}:${port}/` })).status).toBe(200);
    expect(host.seen).toHaveLength(2);
    const refusing = await scene({
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
    const { host, gateway, authority, port } = await scene({
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
    const { gateway, port } = await scene({
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
    const { host, gateway, port } = await scene({ isSecure: false, values: [""] });
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
    const { host, gateway, authority, port } = await scene();
    const said = await tunnel(gateway, `${NAME}:${port}`, bytes(port), { ca: authority.certificate });
    expect(said).not.toMatch(/^HTTP\/1\.1 2/);
    expect(host.seen).toEqual([]);
  });

  it("gets none behind a request: each that comes in one piece is checked by itself", async () => {
    const { host, gateway, authority, port } = await scene();
    const first = get(port).replace("Connection: close\r\n", "Content-Length: 0\r\n");
    const said = await tunnel(gateway, `${NAME}:${port}`, first + get(port, "", "evil.example"), { ca: authority.certificate });
    expect(said).toMatch(/^HTTP\/1\.1 200[^]*HTTP\/1\.1 421/);
    expect(host.seen).toHaveLength(1);
  });

  it("gets none by another server name in TLS", async () => {
    const { host, gateway, authority, port } = await scene();
    const said = await tunnel(gateway, `${NAME}:${port}`, get(port), { ca: authority.certificate, servername: "evil.example" });
    expect(said).toMatch(/^no TLS/);
    expect(host.seen).toEqual([]);
  });

  it("gets none of it at another host or port, nor after a redirect", async () => {
    const other = await standIn(echo);
    const { gateway } = await scene({
      isSecure: false,
      others: [{ host: "other.example", port: other.port, addresses: ["127.0.0.1"] }],
    });
    const reply = await ask(gateway, { method: "GET", path: `http://other.example:${other.port}/`, headers: { host: NAME } });
    expect(reply.status).toBe(200);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
    expect((await ask(gateway, { method: "GET", path: `http://${NAME}:${other.port}/` })).status).toBe(403);
  });

  it("gets no part of it by asking for a range of an echo", async () => {
    const { host, gateway, port } = await scene({ isSecure: false });
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
