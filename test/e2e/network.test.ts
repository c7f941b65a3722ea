import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectProxy } from "../../packages/model-gateway/test/connect-proxy.ts";
import { listening } from "../../packages/model-gateway/test/stage.ts";
import type { RunEvent } from "../../src/domain/run/event.ts";
import { HONEST, Stage } from "./stage.ts";

const FINISH = [{ step: "gates" }, { step: "merge" }];

type Of<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
const of = <T extends RunEvent["type"]>(events: readonly RunEvent[], type: T): Of<T>[] =>
  events.filter((event): event is Of<T> => event.type === type);

/** A log of the first attempt at T-1. */
function log(stage: Stage, name: string): string {
  const runs = stage.path("home/runs");
  return readFileSync(join(runs, readdirSync(runs)[0] ?? "", "tickets/T-1/attempt-1", name), "utf8");
}

/** A program that asks its proxy for a host again and again, as package programs do, and never ends by itself. */
const STUBBORN = (host: string): readonly string[] => [
  process.execPath,
  "-e",
  `const { request } = require("node:http");
   const { hostname, port } = new URL(process.env.HTTP_PROXY);
   const ask = () => request({ hostname, port, method: "CONNECT", path: ${JSON.stringify(host)} })
     .on("connect", (res, socket) => { socket.destroy(); setTimeout(ask, 200); }).on("error", () => setTimeout(ask, 200)).end();
   ask();`.replaceAll(/\n */g, " "),
];

function prepared(stage: Stage, prepare: readonly (readonly string[])[], over: Record<string, unknown> = {}): string {
  stage.repo("app");
  stage.agent(HONEST);
  const { limits, ...rest } = over;
  return stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare } },
    sandbox: "required",
    finish: FINISH,
    limits: { attempts: 1, ...(limits as object) },
    ...rest,
  });
}

describe("a prepare command whose every connection is blocked", { timeout: 300_000 }, () => {
  test("fails at once, and says which host, where it leads, why, and what would allow it", async () => {
    using stage = new Stage();
    const batch = prepared(stage, [STUBBORN("localhost:4873")], { sandboxPolicy: { hosts: { prepare: ["localhost:4873"] } } });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    const allow = '"sandboxPolicy": {"hosts": {"prepare": [{"host": "localhost", "addresses": ["127.0.0.1"], "port": 4873}]}}';
    const reason = "127.0.0.1 is an address of this machine";
    expect(of(events, "connection-blocked")).toEqual([
      expect.objectContaining({
        ticket: "T-1",
        step: "prepare",
        host: "localhost",
        port: 4873,
        address: "127.0.0.1",
        reason,
        allow,
      }),
    ]);
    expect(of(events, "attempt-ended")[0]).toMatchObject({
      outcome: "stopped",
      evidence: {
        step: "prepare",
        summary: expect.stringContaining(`was ended: the sandbox blocked every connection, first localhost:4873 (${reason})`),
        detail: expect.stringContaining(`Allow it with ${allow}`),
      },
    });
    expect(log(stage, "prepare.log")).toContain(`the sandbox blocked localhost:4873 (${reason}). Allow it with ${allow}`);
    const { stdout } = await stage.run([batch, "--headless", "--fresh"]);
    expect(stdout).toContain(`prepare: the sandbox blocked localhost:4873 (${reason})`);
    const report = (await stage.run(["report"])).stdout.replaceAll(/\s+/g, " ");
    expect(report).toMatch(/app cannot be prepared: .*the sandbox blocked every connection/);
    expect(report).toContain(`Allow it with ${allow}`);
  });

  test("says so as well if the batch opens no host at all", async () => {
    using stage = new Stage();
    const { events } = await stage.events(prepared(stage, [STUBBORN("registry.npmjs.org:443")]));
    expect(of(events, "connection-blocked")).toEqual([
      expect.objectContaining({
        reason: "the batch does not open it to this step",
        allow: '"sandboxPolicy": {"hosts": {"prepare": ["registry.npmjs.org"]}}',
      }),
    ]);
    expect(of(events, "attempt-ended")[0]?.evidence?.summary).toContain("registry.npmjs.org:443");
  });
});

describe("the limits of a prepare command", { timeout: 300_000 }, () => {
  test("end one that says nothing for too long, and one that takes too long", async () => {
    for (const [limits, script, how] of [
      [{ prepareSilenceMinutes: 0.02 }, "sleep 600", "printed nothing for too long"],
      [{ minutesPerPrepare: 0.03 }, "while :; do echo busy; sleep 0.1; done", "ran out of time"],
    ] as const) {
      using stage = new Stage();
      const { events } = await stage.events(prepared(stage, [["sh", "-c", script]], { sandbox: "off", limits }));
      expect(of(events, "attempt-ended")[0]?.evidence).toMatchObject({ step: "prepare", summary: expect.stringContaining(how) });
    }
  });

  test("are beside a stage of its own: the command, and its output as activity", async () => {
    using stage = new Stage();
    const { code, events } = await stage.events(prepared(stage, [["sh", "-c", "echo installing"]]));
    expect(code).toBe(0);
    expect(of(events, "prepare-started")).toMatchObject([{ ticket: "T-1", command: "sh -c echo installing" }]);
    expect(of(events, "activity").map(({ text }) => text)).toContain("installing");
  });
});

describe("a machine with a proxy", { timeout: 300_000 }, () => {
  test("is left through it by a prepare command, and its password is in no log, journal or environment", async () => {
    const server = createServer((_req, res) => void res.end("package\n"));
    const proxy = await connectProxy("worker:s3cr3t-of-the-company", await listening(server));
    onTestFinished(() => void server.close());
    using stage = new Stage();
    const snoop = "cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | sort -u; env";
    const fetching = `fetch("http://registry.invalid/").then(async (res) => console.log(res.status, await res.text()))`;
    const batch = prepared(
      stage,
      [
        ["sh", "-c", snoop],
        [process.execPath, "-e", fetching],
      ],
      {
        sandboxPolicy: { hosts: { prepare: ["registry.invalid:80"] } },
      },
    );
    const url = `http://worker:s3cr3t-of-the-company@127.0.0.1:${proxy.port}`;
    const { code, stdout } = await stage.run([batch, "--json"], { HTTP_PROXY: url, HTTPS_PROXY: url });
    expect(code).toBe(0);
    expect(proxy.asked.map(({ target }) => target)).toContain("registry.invalid:80");
    expect(log(stage, "prepare.log")).toMatch(/HTTPS_PROXY=http:\/\/127\.0\.0\.1:/);
    expect(log(stage, "prepare.log")).toContain("200 package");
    expect(stdout + stage.everything()).not.toMatch(/s3cr3t-of-the-company|d29ya2VyOnMzY3IzdC/);
  });
});

describe("a staging server on this machine", { timeout: 300_000 }, () => {
  /** Runs a batch whose `verify` reads http://localhost:PORT, with these hosts. */
  async function verifies(hosts: (port: number) => readonly unknown[]) {
    const server = createServer((_req, res) => void res.end("staging says hello\n"));
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    const script = `require("node:http").get("http://localhost:${port}/", (res) => res.on("data", (data) => { if (String(data) !== "staging says hello\\n") process.exitCode = 8; })).on("error", (e) => { console.log(e.code); process.exitCode = 7; });`;
    const verify = { step: "verify", name: "live", command: [process.execPath, "-e", script] };
    const batch = prepared(stage, [], { finish: [...FINISH, verify], sandboxPolicy: { hosts: { live: hosts(port) } } });
    return { ...(await stage.events(batch)), port };
  }

  test("is read by a verify to which the batch opens its address and port, without a word about proxies", async () => {
    const { code, events } = await verifies((port) => [{ host: "localhost", addresses: ["127.0.0.1"], port }]);
    expect(of(events, "step-ended").at(-1)).toMatchObject({ ok: true });
    expect(code).toBe(0);
  });

  test("is not read by one to which the batch opens another port", async () => {
    const { code } = await verifies((port) => [{ host: "localhost", addresses: ["127.0.0.1"], port: port === 1 ? 2 : 1 }]);
    expect(code).toBe(1);
  });
});

describe("an agent whose connections are blocked", { timeout: 300_000 }, () => {
  test("is told of each host once: in its log, the feed and the evidence, though the batch opens none", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent(`const ask = () => fetch("https://registry.npmjs.org/left").catch(() => undefined);
await ask(); await ask(); await fetch("http://10.1.2.3:8080/").catch(() => undefined); process.exit(3);`);
    const batch = stage.batch(["T-1"], { sandbox: "required", finish: FINISH, limits: { attempts: 1 } });
    const { code, events } = await stage.events(batch);
    expect(code).toBe(1);
    expect(of(events, "connection-blocked").map(({ step, host, port }) => [step, host, port])).toEqual([
      ["agent", "registry.npmjs.org", 443],
      ["agent", "10.1.2.3", 8080],
    ]);
    const line =
      'the sandbox blocked registry.npmjs.org:443 (the batch does not open it to this step). Allow it with "sandboxPolicy": {"hosts": {"agent": ["registry.npmjs.org"]}}';
    expect(log(stage, "agent.log").split(line)).toHaveLength(2);
    expect(of(events, "attempt-ended")[0]?.evidence).toMatchObject({ step: "agent", detail: expect.stringContaining(line) });
    const { stdout } = await stage.run([batch, "--headless", "--fresh"]);
    expect(stdout).toContain("agent: the sandbox blocked registry.npmjs.org:443");
  });
});
