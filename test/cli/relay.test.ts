import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../helpers/scratch.ts";
import { bundleRelay, bundleRelayAlone, NO_SOCKET, node, type Started, type StartOf, startRelay } from "./relay-stage.ts";

const folder = scratchFolder();
const PATIENT = { timeout: 10_000, interval: 5 };

let entry = "";
beforeAll(async () => {
  entry = await bundleRelay();
});
const start = (argv: readonly string[], startOf: StartOf = {}): Started => startRelay({ entry, folder: folder() }, argv, startOf);

describe("the program that the relay runs", () => {
  it("has the relay as its proxy, loopback direct, and what else was in its environment", async () => {
    const argv = [
      NO_SOCKET,
      "--base-url",
      "ANTHROPIC_BASE_URL",
      "--base-url",
      "OPENAI_BASE_URL=/v1",
      "--",
      ...node("console.log(JSON.stringify(process.env))"),
    ];
    const env = {
      KEPT: "1",
      ALL_PROXY: "http://outside",
      all_proxy: "http://outside",
      NO_PROXY: "*",
      HTTP_PROXY: "http://outside",
    };
    const { stdout, code } = await start(argv, { env }).ended;
    const seen = JSON.parse(stdout);
    const address = seen.HTTP_PROXY;
    expect(code).toBe(0);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const direct = "localhost,127.0.0.1,::1";
    expect(seen).toMatchObject({
      KEPT: "1",
      HTTPS_PROXY: address,
      http_proxy: address,
      https_proxy: address,
      NO_PROXY: direct,
      no_proxy: direct,
      ANTHROPIC_BASE_URL: address,
      OPENAI_BASE_URL: `${address}/v1`,
    });
    expect(stdout).not.toContain("outside");
  });

  it("has the relay's own input and output, and its arguments as they are", async () => {
    const script = "process.stdin.pipe(process.stdout); console.error(JSON.stringify(process.argv.slice(1)))";
    const argv = [NO_SOCKET, "--", ...node(script), "--", "--base-url", "a b", ""];
    expect(await start(argv, { input: "hello" }).ended).toEqual({
      code: 0,
      signal: null,
      stdout: "hello",
      stderr: '["--base-url","a b",""]\n',
    });
  });

  it("gives the relay its exit code", async () => {
    for (const code of [0, 1, 7, 255])
      expect((await start([NO_SOCKET, "--", ...node(`process.exit(${code})`)]).ended).code).toBe(code);
  });

  it("gives the relay its signal", async () => {
    for (const signal of ["SIGTERM", "SIGKILL", "SIGINT", "SIGABRT"]) {
      const ended = await start([
        NO_SOCKET,
        "--",
        ...node(`process.kill(process.pid, "${signal}"); setTimeout(() => {}, 20_000)`),
      ]).ended;
      expect(ended).toMatchObject({ code: null, signal });
    }
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const)(
    "gets %s, and decides itself what becomes of it",
    async (signal) => {
      const script = `process.on("${signal}", () => { console.log("got"); process.exit(5) }); console.log("up"); setTimeout(() => {}, 20_000)`;
      const { child, ended, said } = start([NO_SOCKET, "--", ...node(script)]);
      await vi.waitFor(() => expect(said()).toBe("up\n"), PATIENT);
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 5, stdout: "up\ngot\n" });
    },
  );

  it("is not there, or no program: a shell's codes say so", async () => {
    const plain = join(folder(), "plain");
    writeFileSync(plain, "");
    chmodSync(plain, 0o600);
    expect(await start([NO_SOCKET, "--", "/nonexistent/program"]).ended).toMatchObject({
      code: 127,
      stderr: expect.stringContaining("ENOENT"),
    });
    expect(await start([NO_SOCKET, "--", plain]).ended).toMatchObject({ code: 126, stderr: expect.stringContaining("EACCES") });
  });

  it.each([
    [[]],
    [["/s"]],
    [["/s", "--"]],
    [["--", "true"]],
    [["/s", "--base-url", "--", "true"]],
    [["/s", "--other", "X", "--", "true"]],
    [["/s", "--base-url", "A=B C", "--", "true"]],
    [["/s", "--base-url", "A=http://x", "--", "true"]],
    [["/s", "true"]],
  ])("has to be named rightly: %j is refused", async (argv) => {
    expect(await start(argv).ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("usage") });
  });
});

describe("the relay", () => {
  it("keeps an output that waits for its reader: a connection does not make it non-blocking", async () => {
    // bash, whose redirections are its own, looks at its stdout after a connection was made and let go.
    const script = `
      exec 3<>"/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:}"; cat <&3 >/dev/null; exec 3>&-
      while read -r name value; do [ "$name" = flags: ] && echo "$value" >&2; done < /proc/$$/fdinfo/1; true`;
    const { code, stderr } = await start([NO_SOCKET, "--", "bash", "--norc", "-c", script]).ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^0\d+\n$/);
    // Octal; 04000 is O_NONBLOCK (open(2), on the processors that we know).
    expect(Number.parseInt(stderr, 8) & 0o4000).toBe(0);
  });

  it("loads Node's own modules only, before the program has started", async () => {
    const alone = await bundleRelayAlone();
    const imports = [...alone.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);
    expect(imports.sort()).toEqual(["node:child_process", "node:net"]);
    expect(alone.length).toBeLessThan(9_000);
  });

  it("lets a connection go where the gateway is gone", async () => {
    const script = `
      const { connect } = require("node:net");
      const socket = connect(Number(new URL(process.env.HTTP_PROXY).port), "127.0.0.1");
      socket.on("error", () => {});
      socket.on("close", () => { console.log("let go"); process.exit(); });`;
    expect(await start([NO_SOCKET, "--", ...node(script)]).ended).toMatchObject({ code: 0, stdout: "let go\n" });
  });
});
