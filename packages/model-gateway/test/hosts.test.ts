import { once } from "node:events";
import { get as httpsGet } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Gateway } from "../src/gateway.ts";
import { scratchFolder } from "./scratch.ts";
import { certificate, gatewayOf, json, listening, standIn } from "./stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

/** Gives back what it gets, and notes who came. */
async function echo(): Promise<{ port: number; came: Socket[] }> {
  const came: Socket[] = [];
  const server = createServer((socket) => {
    came.push(socket);
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of came) socket.destroy();
  });
  return { port: await listening(server), came };
}

/** A tunnel, once it stands; or the refusal's status. */
function tunnel(gateway: Gateway, authority: string, head = ""): Promise<{ status: number; socket: Socket; text: string }> {
  return new Promise((settle, reject) => {
    const socket = connect(gateway.socketPath);
    onTestFinished(() => void socket.destroy());
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", onData);
      socket.pause();
      const rest = text.slice(end + 4);
      if (rest !== "") socket.unshift(Buffer.from(rest, "latin1"));
      settle({ status: Number(text.slice(9, 12)), socket, text: rest });
    };
    socket.on("data", onData);
    socket.on("error", reject);
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${head}`);
  });
}

const open = (hosts: string[], addresses?: (name: string) => readonly string[]) =>
  gatewayOf({
    folder: folder(),
    hosts,
    ...(addresses === undefined ? {} : { resolve: async (name: string) => addresses(name) }),
  });

describe("CONNECT to an allowed host", () => {
  it("joins both sides, whatever passes, and counts it", async () => {
    const { port } = await echo();
    const gateway = await open([`localhost:${port}`, `127.0.0.1:${port}`]);
    const { status, socket } = await tunnel(gateway, `localhost:${port}`, "early");
    expect(status).toBe(200);
    const got: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => got.push(chunk));
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    socket.resume().end(bytes);
    await once(socket, "close");
    expect(Buffer.concat(got).equals(Buffer.concat([Buffer.from("early"), bytes]))).toBe(true);
    await vi.waitFor(
      () => expect(gateway.totals()).toMatchObject({ tunnels: 1, bytesOut: 300_005, bytesIn: 300_005, refused: 0 }),
      PATIENT,
    );
  });

  it("brings all that a host said before it left, however late it is read", async () => {
    // Among these sizes are those that fill the kernel's buffers and leave the rest in the gateway's own.
    for (let size = 128 * 1024; size <= 512 * 1024; size += 16 * 1024) {
      const server = createServer((socket) => void socket.resume().end(Buffer.alloc(size)));
      const port = await listening(server);
      const gateway = await open([`127.0.0.1:${port}`]);
      const { socket } = await tunnel(gateway, `127.0.0.1:${port}`);
      // It has nothing to say itself, so the host is gone before anything is read.
      const left = new Promise((settle) => server.close(settle));
      socket.end();
      await left;
      for (let turn = 0; turn < 50; turn += 1) await new Promise((settle) => setImmediate(settle));
      let got = 0;
      socket.on("data", (chunk: Buffer) => {
        got += chunk.length;
      });
      socket.resume();
      await once(socket, "close");
      expect(got).toBe(size);
      await gateway.close();
    }
  });

  it("carries TLS end to end", async () => {
    const tls = certificate(folder());
    const host = await standIn(json({ hello: 1 }), tls);
    const gateway = await open(["registry.example.com:8443", `127.0.0.1:8443`], () => ["127.0.0.1"]);
    // The rule's port and the server's differ only in this test: the name leads to the loopback, the port is the server's.
    const own = await open([`registry.example.com:${host.port}`, `127.0.0.1:${host.port}`], () => ["127.0.0.1"]);
    const { socket } = await tunnel(own, `registry.example.com:${host.port}`);
    const secure = tlsConnect({ socket, ca: tls.cert, servername: "localhost" });
    const answer = await new Promise<string>((settle, reject) => {
      httpsGet({ host: "localhost", path: "/x", createConnection: () => secure }, (res) => {
        res.on("data", (chunk: Buffer) => settle(chunk.toString()));
      }).on("error", reject);
    });
    expect(answer).toBe('{"hello":1}');
    expect(gateway.totals().tunnels).toBe(0);
  });

  it("connects to an address that was looked at, and to no other: a name that changes is looked up once", async () => {
    const { port, came } = await echo();
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.3"]];
    const gateway = await open([`rebind.example.com:${port}`, `127.0.0.1:${port}`], () => answers.shift() ?? []);
    const { status } = await tunnel(gateway, `rebind.example.com:${port}`);
    expect({ status, came: came.length, left: answers.length }).toEqual({ status: 200, came: 1, left: 2 });
    expect((await tunnel(gateway, `rebind.example.com:${port}`)).status).toBe(403);
    expect(came).toHaveLength(1);
  });

  it("leaves out those of its addresses that are not open", async () => {
    const { port, came } = await echo();
    const gateway = await open([`mixed.example.com:${port}`, `127.0.0.2:${port}`], () => ["127.0.0.1", "127.0.0.2", "::1"]);
    // Nobody listens on 127.0.0.2; somebody does on 127.0.0.1.
    expect((await tunnel(gateway, `mixed.example.com:${port}`)).status).toBe(502);
    expect(came).toEqual([]);
  });

  it("ends with the client, with the host, with the gateway and with a cut", async () => {
    const { port, came } = await echo();
    const gateway = await open([`127.0.0.1:${port}`]);
    const mine = await tunnel(gateway, `127.0.0.1:${port}`);
    await vi.waitFor(() => expect(came).toHaveLength(1), PATIENT);
    mine.socket.destroy();
    await vi.waitFor(() => expect(came[0]?.destroyed).toBe(true), PATIENT);
    const theirs = await tunnel(gateway, `127.0.0.1:${port}`);
    await vi.waitFor(() => expect(came).toHaveLength(2), PATIENT);
    const left = once(theirs.socket.resume(), "close");
    came[1]?.destroy();
    await left;
    const cut = await tunnel(gateway, `127.0.0.1:${port}`);
    await vi.waitFor(() => expect(came).toHaveLength(3), PATIENT);
    const ended = once(cut.socket.resume(), "close");
    gateway.cut("enough");
    await ended;
    await vi.waitFor(() => expect(came[2]?.destroyed).toBe(true), PATIENT);
    expect((await tunnel(gateway, `127.0.0.1:${port}`)).status).toBe(402);
    const other = await open([`127.0.0.1:${port}`]);
    const closed = await tunnel(other, `127.0.0.1:${port}`);
    const gone = once(closed.socket.resume(), "close");
    await other.close();
    await gone;
  });

  it("that says nothing for too long is let go", async () => {
    const { port, came } = await echo();
    const gateway = await gatewayOf({ folder: folder(), hosts: [`127.0.0.1:${port}`], limits: { idleMs: 100 } });
    const { socket } = await tunnel(gateway, `127.0.0.1:${port}`);
    await once(socket.resume(), "close");
    expect(came).toHaveLength(1);
  });

  it("that cannot be reached is said to be so", async () => {
    const { port, came } = await echo();
    const gateway = await open([`gone.example.com:${port}`, "127.0.0.1:1"], () => []);
    expect(await tunnel(gateway, `gone.example.com:${port}`)).toMatchObject({ status: 502 });
    expect((await tunnel(gateway, "127.0.0.1:1")).status).toBe(502);
    expect(came).toEqual([]);
  });

  it("whose name nobody ever answers for is given up, and the client may go before", async () => {
    const never = new Promise<readonly string[]>(() => undefined);
    const gateway = await gatewayOf({
      folder: folder(),
      hosts: ["never.example.com"],
      limits: { connectMs: 50 },
      resolve: () => never,
    });
    expect((await tunnel(gateway, "never.example.com:443")).status).toBe(504);
  });

  it("is bounded in number", async () => {
    const { port } = await echo();
    const gateway = await gatewayOf({ folder: folder(), hosts: [`127.0.0.1:${port}`], limits: { tunnels: 2 } });
    const first = await tunnel(gateway, `127.0.0.1:${port}`);
    await tunnel(gateway, `127.0.0.1:${port}`);
    expect((await tunnel(gateway, `127.0.0.1:${port}`)).status).toBe(503);
    first.socket.destroy();
    await vi.waitFor(async () => expect((await tunnel(gateway, `127.0.0.1:${port}`)).status).toBe(200), PATIENT);
  });
});

describe("CONNECT is refused", () => {
  it.each([
    "127.0.0.1:PORT",
    "localhost:PORT",
    "127.1:PORT",
    "2130706433:PORT",
    "0x7f000001:PORT",
    "0177.0.0.1:PORT",
    "[::1]:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "[::ffff:7f00:1]:PORT",
    "0:PORT",
    "0.0.0.0:PORT",
    "localhost.:PORT",
    "LOCALHOST:PORT",
    "127.0.0.1.:PORT",
    "169.254.169.254:80",
    "metadata.google.internal:80",
    "example.com.:443",
    "example.com:80",
    "example.com",
    "evil.com:443",
    "example.com:443@127.0.0.1:PORT",
    "user:pw@example.com:443",
    "example.com%2eevil.com:443",
    "http://example.com:443",
    "/v1/messages",
    "*",
  ])("to %s", async (authority) => {
    const { port, came } = await echo();
    const gateway = await open(["example.com", "*.example.org"], () => ["127.0.0.1"]);
    const { status } = await tunnel(gateway, authority.replace("PORT", String(port)));
    expect([400, 403]).toContain(status);
    expect(came).toEqual([]);
    expect(gateway.totals()).toMatchObject({ refused: 1, tunnels: 0 });
  });

  it.each([
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.0.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.100.100.200",
    "fd00:ec2::254",
    "fe80::1",
    "0.0.0.0",
    "::",
    "64:ff9b::7f00:1",
    "not an address",
  ])("to an allowed name that leads to %s", async (address) => {
    const { port, came } = await echo();
    const gateway = await open([`inner.example.com:${port}`], () => [address]);
    const { status, text } = await tunnel(gateway, `inner.example.com:${port}`);
    expect(status).toBe(403);
    // What its address is, is nobody's business inside.
    expect(text).not.toContain(address);
    expect(came).toEqual([]);
  });

  it("where nothing is open", async () => {
    const gateway = await open([]);
    expect((await tunnel(gateway, "example.com:443")).text).toContain("example.com:443 is not open to this step");
  });
});
