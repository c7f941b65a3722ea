import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type ServerOpts } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Confinement } from "../../../src/ports/executor.ts";
import { commandOf, isRoot, useStage } from "./support.ts";

const stage = useStage();
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((settle) => server.close(settle))));
});

/** A server that greets, and counts who comes. */
async function serve(on: { path: string } | { port: number; host: string }, options: ServerOpts = {}) {
  let visits = 0;
  const server = createServer(options, (socket) => {
    visits += 1;
    socket.end("HELLO\n");
  });
  servers.push(server);
  server.listen(on);
  await once(server, "listening");
  const address = server.address();
  return { visits: () => visits, port: typeof address === "object" && address !== null ? address.port : 0 };
}

/** Connects, prints what it hears, or the error. */
const CONNECT = `const s = require("node:net").connect(JSON.parse(process.argv[1]));
s.setTimeout(3000, () => s.destroy(new Error("timeout")));
s.on("data", (data) => process.stdout.write(data)).on("error", (error) => console.log(error.code ?? error.message));`;

const connect = (to: object, confinement?: Partial<Confinement>) =>
  stage.run({
    argv: [process.execPath, "-e", CONNECT, JSON.stringify(to)],
    ...(confinement === undefined
      ? {}
      : { confinement: { write: [stage.at("wt")], read: [], mounts: [], sockets: [], ...confinement } }),
  });

describe("a confined process does not reach, and an unconfined one does,", () => {
  test.each(["127.0.0.1", "::1"])("a port of this machine at %s", async (host) => {
    const { port, visits } = await serve({ port: 0, host });
    expect((await connect({ host, port }, {})).tail).toBe("ECONNREFUSED\n");
    expect(visits()).toBe(0);
    expect((await connect({ host, port })).tail).toBe("HELLO\n");
  });

  test("an abstract socket", async () => {
    const path = `\0loopdash-test-${process.pid}`;
    const { visits } = await serve({ path });
    expect((await connect({ path }, {})).tail).toBe("ECONNREFUSED\n");
    expect(visits()).toBe(0);
    expect((await connect({ path })).tail).toBe("HELLO\n");
  });

  test.each<[where: string, path: string, Partial<Confinement> | undefined]>([
    ["a socket in a hidden folder", "outside/s", undefined],
    ["a socket in a folder that it may read", "shown/s", undefined],
    ["a socket with a blank in its name there", "shown/a b", undefined],
    ["a socket in its own worktree that somebody outside has opened", "wt/s", undefined],
  ])("%s", async (_, name) => {
    stage.put("shown/file");
    const path = stage.at(name);
    const { visits } = await serve({ path });
    const result = await connect({ path }, { read: [stage.at("shown")] });
    expect(result.tail).toMatch(/^(?:ENOENT|ECONNREFUSED|EACCES)\n$/);
    expect(visits()).toBe(0);
    expect((await connect({ path })).tail).toBe("HELLO\n");
  });

  test("somebody who waits for a datagram, as name servers do", async () => {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const heard: string[] = [];
    socket.on("message", (message) => heard.push(message.toString()));
    const script = `const s = require("node:dgram").createSocket("udp4");
s.send(process.argv[2], Number(process.argv[1]), "127.0.0.1", () => s.close());`;
    const send = (word: string, confined: boolean) =>
      stage.run({
        argv: [process.execPath, "-e", script, String(socket.address().port), word],
        ...(confined ? { confinement: { write: [stage.at("wt")], read: [], mounts: [], sockets: [] } } : {}),
      });
    await send("inside", true);
    const [first] = await Promise.all([once(socket, "message"), send("outside", false)]);
    expect(String(first[0])).toBe("outside");
    expect(heard).toEqual(["outside"]);
    await new Promise<void>((settle) => socket.close(() => settle()));
  });

  test("anything by a route: there is none, nor a device but its own loopback", async () => {
    const script = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; tail -n +2 /proc/net/route; ls /sys/class/net";
    expect((await stage.sh(script, {})).tail).toBe("lo\n");
  });

  test.each(["169.254.169.254", "10.0.0.1", "1.1.1.1", "fd00:ec2::254"])("the address %s", async (host) => {
    const { tail } = await connect({ host, port: 80 }, {});
    expect(tail).toBe("ENETUNREACH\n");
  });

  // Only root makes a network with an address in it without a user namespace, from which the sandbox could not be started. What an
  // ordinary user meets is asked above: no route and no device leads out.
  if (isRoot) {
    test("the address that clouds tell secrets at, where it is this machine's", async () => {
      // A network of its own, in which that address answers.
      const network = `perl -e '
        use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die;
        my $up = pack("a16 s x22", "lo", 0x49); ioctl($s, 0x8914, $up) or die "up: $!";
        my $at = pack("a16 s n a4 x16", "lo", AF_INET, 0, inet_aton("169.254.169.254")); ioctl($s, 0x8916, $at) or die "address: $!";
      ' && exec "$@"`;
      const script = `const net = require("node:net");
const server = net.createServer((s) => s.end("HELLO\\n")).listen(80, "169.254.169.254", () => {
  const child = require("node:child_process").spawn(process.argv[1], process.argv.slice(2), { stdio: ["ignore", "inherit", "inherit"] });
  child.on("exit", () => server.close());
});`;
      const argv = [process.execPath, "-e", CONNECT, JSON.stringify({ host: "169.254.169.254", port: 80 })];
      const env = { PATH: process.env["PATH"] ?? "" };
      const within = (command: readonly string[], more: Readonly<Record<string, string>>) =>
        spawnSync("unshare", ["--net", "sh", "-c", network, "sh", process.execPath, "-e", script, ...command], {
          encoding: "utf8",
          env: { ...more },
          timeout: 20_000,
        }).stdout;
      const nothing = { write: [stage.at("wt")], read: [], mounts: [], sockets: [] };
      const confined = await stage.sandbox().confine({ argv, cwd: stage.at("wt"), env }, nothing);
      expect(within(commandOf(confined), confined.env)).toBe("ENETUNREACH\n");
      expect(within(argv, env)).toBe("HELLO\n");
      await confined.settle();
    });
  }

  test("other kinds of sockets, which know no network namespace", async () => {
    const script = `perl -e 'for my $f (1..45) { for my $t (1, 2, 3, 5) { print "$f " and last if socket(S, $f, $t, 0) } }'`;
    const kinds = (tail: string) => tail.trim().split(" ").map(Number);
    expect(kinds((await stage.sh(script, {})).tail)).toEqual([1, 2, 10, 16]);
    expect(kinds((await stage.sh(script)).tail)).toEqual(expect.arrayContaining([1, 2, 10, 16]));
  });

  test.each([
    ["the keyring that it inherits", process.arch === "x64" ? "250, 0, -3, 1" : "219, 0, -3, 1"],
    ["a ring for io without system calls", "425, 4, $p"],
  ])("%s", async (_, call) => {
    const script = `perl -e 'my $p = "\\0" x 256; print syscall(${call}) < 0 ? "refused" : "GOT THROUGH"'`;
    expect((await stage.sh(script, {})).tail).toBe("refused");
    expect((await stage.sh(script)).tail).toBe("GOT THROUGH");
  });
});

describe("a confined process does reach", () => {
  test("the socket that it was given, also by another name", async () => {
    const path = stage.at("outside/gateway");
    await serve({ path });
    expect((await connect({ path }, { sockets: [path] })).tail).toBe("HELLO\n");
    const at = "/run/loopdash/gateway";
    expect((await connect({ path: at }, { mounts: [{ from: path, at, write: false }] })).tail).toBe("HELLO\n");
  });

  test("but cannot take it away or put its own in its place", async () => {
    const path = stage.at("outside/gateway");
    await serve({ path });
    const { tail } = await stage.sh("rm -f $F/outside/gateway 2>/dev/null; mv $F/outside/gateway x 2>/dev/null; echo $?", {
      sockets: [path],
    });
    expect(tail).toBe("1\n");
  });

  test("itself, by its own loopback and its own sockets", async () => {
    const script = `const net = require("node:net");
const ask = (on) => new Promise((settle) => { const server = net.createServer((s) => s.end("HELLO\\n")).listen(on, () =>
  net.connect(server.address().port ? { port: server.address().port, host: "127.0.0.1" } : on).on("data", (d) => { process.stdout.write(d); server.close(settle); })); });
ask({ port: 0, host: "127.0.0.1" }).then(() => ask({ path: "own.sock" })).then(() => ask({ path: "\\0own" }));`;
    const confinement = { write: [stage.at("wt")], read: [], mounts: [], sockets: [] };
    expect((await stage.run({ argv: [process.execPath, "-e", script], confinement })).tail).toBe("HELLO\nHELLO\nHELLO\n");
  });
});
