import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { GatewayCertificateAuthority } from "@loopdash/model-gateway/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../../packages/model-gateway/test/stage.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { gatewayExecutor } from "../../../src/adapters/gateway/gateway-executor.ts";
import { createBubblewrap } from "../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { createMasker } from "../../../src/adapters/secrets/masker.ts";
import { createSecrets } from "../../../src/adapters/secrets/secrets.ts";
import type { ExecRequest, Executor } from "../../../src/ports/executor.ts";
import { bundleRelay } from "../../cli/relay-stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();

const requestOf = (over: Partial<ExecRequest>): ExecRequest => ({
  argv: ["true"],
  cwd: join(folder(), "work"),
  env: { PATH: process.env["PATH"] ?? "" },
  logFile: join(folder(), "log"),
  timeoutMs: 20_000,
  signal: new AbortController().signal,
  marker: "gated",
  ...over,
});
const confined = (hosts?: readonly string[]) => ({
  write: [join(folder(), "work")],
  read: [],
  mounts: [],
  sockets: [],
  ...(hosts === undefined ? {} : { hosts }),
});
const relay = () => ({ argv: [process.execPath, join(folder(), "relay", "relay.mjs")], read: [join(folder(), "relay")] });
const gated = (executor: Executor): Executor => gatewayExecutor(executor, { folder: join(folder(), "sockets"), relay: relay() });

/** Notes what it is to run, and whether the socket is there meanwhile. */
function noting(): { executor: Executor; seen: ExecRequest[]; there: boolean[] } {
  const seen: ExecRequest[] = [];
  const there: boolean[] = [];
  const run = async (request: ExecRequest) => {
    seen.push(request);
    there.push(existsSync(request.confinement?.sockets[0] ?? ""));
    return { ending: "exited", exitCode: 0, signal: null, tail: "done", durationMs: 1 } as const;
  };
  return { executor: { run, killStrays: async () => 7 }, seen, there };
}

describe("a request whose confinement names hosts", () => {
  it("is run behind the relay, with a socket that lives as long as it", async () => {
    const { executor, seen, there } = noting();
    const result = await gated(executor).run(requestOf({ argv: ["npm", "ci"], confinement: confined(["registry.npmjs.org"]) }));
    expect(result).toMatchObject({ exitCode: 0, tail: "done" });
    const [socket = ""] = seen[0]?.confinement?.sockets ?? [];
    expect(seen[0]?.argv).toEqual([...relay().argv, socket, "--", "npm", "ci"]);
    expect(seen[0]?.confinement?.read).toEqual(relay().read);
    expect(there).toEqual([true]);
    expect(await readdir(join(folder(), "sockets"))).toEqual([]);
  });

  it("that is no host is refused before anything is started", async () => {
    const { executor, seen } = noting();
    await expect(gated(executor).run(requestOf({ confinement: confined(["*.com"]) }))).rejects.toMatchObject({
      name: "UserError",
    });
    expect(seen).toEqual([]);
  });

  it("reaches them from a real sandbox, and is told what it did not reach", async () => {
    const host = createServer((_req, res) => void res.end("hello from outside"));
    const port = await listening(host);
    onTestFinished(() => void host.close());
    for (const name of ["work", "home", "relay"]) await mkdir(join(folder(), name));
    writeFileSync(join(folder(), "relay", "relay.mjs"), await bundleRelay());
    const program = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].find((path) => existsSync(path)) ?? "bwrap";
    const sandbox = createBubblewrap({ program, home: join(folder(), "home") });
    const executor = gated(confinedExecutor(createExecutor(), sandbox));
    const script = `
      const texts = [fetch("http://127.0.0.1:${port}/", {}), fetch("http://evil.example/")].map(async (res) => (await res).status);
      Promise.allSettled(texts).then((all) => console.log(JSON.stringify(all)));`;
    // Loopback is the sandbox's own there, so the address is asked for as a proxy is asked.
    const asked = script.replace(`fetch("http://127.0.0.1:${port}/", {})`, `viaProxy("http://127.0.0.1:${port}/")`);
    const viaProxy = `
      const { request } = require("node:http");
      const viaProxy = (url) => new Promise((settle) => {
        const { hostname, port } = new URL(process.env.HTTP_PROXY);
        request({ hostname, port, path: url }, (res) => { res.resume(); settle({ status: res.statusCode }); }).end();
      });`;
    const argv = [process.execPath, "-e", viaProxy + asked];
    const open = await executor.run(requestOf({ argv, confinement: confined([`127.0.0.1:${port}`]) }));
    expect(open).toMatchObject({ ending: "exited", exitCode: 0 });
    const [line = "", ...marks] = open.tail.split("\n").filter((text) => text !== "");
    // Node asks for a tunnel even where plain HTTP would do.
    expect(JSON.parse(line)).toMatchObject([{ value: 200 }, { status: "rejected" }]);
    const why = "the batch does not open it to this step";
    const allow = '"sandboxPolicy": {"hosts": {"agent": ["evil.example:80"]}}';
    expect(marks).toEqual([`[loopdash: the sandbox blocked evil.example:80 (${why}). Allow it with ${allow}]`]);
    expect(open.blocked).toEqual([{ host: "evil.example", port: 80, reason: why, allow }]);
    expect(readFileSync(join(folder(), "log"), "utf8")).toContain("blocked evil.example:80");
    const ended = await executor.run(
      requestOf({ argv: ["sh", "-c", "kill -TERM $$"], confinement: confined([`127.0.0.1:${port}`]) }),
    );
    expect(ended).toMatchObject({ ending: "exited", signal: "SIGTERM" });
    const failed = await executor.run(requestOf({ argv: ["sh", "-c", "exit 3"], confinement: confined([`127.0.0.1:${port}`]) }));
    expect(failed).toMatchObject({ ending: "exited", exitCode: 3 });
  });
});

describe("a program that asks for a host by the name of a secret", () => {
  it("is told of it without the secret, in its log and in its output", async () => {
    const masker = createMasker();
    masker.learn("npm", "S3cretValue99");
    const asking = async ({ confinement, logFile }: ExecRequest) => {
      writeFileSync(logFile, "");
      const socket = connect(confinement?.sockets[0] ?? "");
      socket.write("CONNECT S3cretValue99.example:443 HTTP/1.1\r\nhost: S3cretValue99.example:443\r\n\r\n");
      await once(socket, "data");
      socket.destroy();
      return { ending: "exited", exitCode: 0, signal: null, tail: "", durationMs: 1 } as const;
    };
    const secrets = createSecrets({ specs: {}, masker, folder: folder(), env: {} });
    const executor = gatewayExecutor(
      { run: asking, killStrays: async () => 0 },
      {
        ...{ folder: join(folder(), "sockets"), relay: relay() },
        credentials: { secrets, masker, authority: new GatewayCertificateAuthority(), trusted: "" },
      },
    );
    const { tail } = await executor.run(requestOf({ confinement: confined(["registry.example.com"]) }));
    expect(tail).toContain("the sandbox blocked [secret npm].example:443");
    for (const text of [tail, readFileSync(join(folder(), "log"), "utf8")]) expect(text).not.toMatch(/s3cretvalue99/i);
  });
});

describe("a request without hosts", () => {
  it("is handed on as it is", async () => {
    const { executor, seen } = noting();
    for (const confinement of [undefined, confined()]) {
      const request = requestOf(confinement === undefined ? {} : { confinement });
      await gated(executor).run(request);
      expect(seen.at(-1)).toBe(request);
    }
    expect(await gated(executor).killStrays({ processes: [], markers: [] })).toBe(7);
  });
});
