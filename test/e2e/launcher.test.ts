import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { terminals } from "./pty.ts";
import { HONEST, Stage } from "./stage.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const VERSIONS = { "18": "18.20.8", "20": "20.20.2", "22": "22.14.0" } as const;
const openTerminal = terminals();

/** How npm reaches its registry on this machine: tests have a home of their own. */
const npmEnv = {
  npm_config_userconfig: join(homedir(), ".npmrc"),
  npm_config_cache: join(homedir(), ".npm"),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:npm_config_|NODE_EXTRA|SSL_|https?_proxy)/i.test(name)),
  ),
  npm_config_update_notifier: "false",
};

let folder: string;
let archive: string;

/** Starts a program of this machine, outside the stage; throws its stderr. */
function must(cwd: string, env: Record<string, string>, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, env: { ...npmEnv, ...env }, encoding: "utf8" });
}

/** A folder with nothing of Node but this version and npm 10, the last one that Node 18 runs. */
function nodeFolder(major: keyof typeof VERSIONS): string {
  const bin = join(folder, `bin-${major}`);
  if (existsSync(bin)) return bin;
  mkdirSync(bin);
  symlinkSync(join(folder, "node_modules", `node${major}`, "bin/node"), join(bin, "node"));
  symlinkSync(join(folder, "node_modules/npm/bin/npm-cli.js"), join(bin, "npm"));
  return bin;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loopdash-launcher-"));
  const own = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const [x] = JSON.parse(must(ROOT, own, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder)) as [
    { filename: string },
  ];
  archive = join(folder, x.filename);
  const nodes = Object.entries(VERSIONS).map(([major, version]) => `node${major}@npm:node-linux-${process.arch}@${version}`);
  must(folder, own, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "npm@10.9.3", ...nodes);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A person's machine with this Node, the installed package, and a batch whose agent runs on that Node, in the sandbox. */
function aStage(major: keyof typeof VERSIONS, agent = HONEST) {
  const stage = new Stage();
  const env = { PATH: `${nodeFolder(major)}:/usr/bin:/bin`, XDG_DATA_HOME: join(folder, "data"), ...npmEnv };
  mkdirSync(stage.path("package"));
  must(stage.path("package"), { ...stage.env, ...env }, "npm", "install", "--no-audit", "--no-fund", archive);
  stage.repo("app", { "package.json": '{"scripts": {"test": "node --test"}}', "a.test.mjs": 'import "node:test";\n' });
  stage.agent(agent);
  const finish = [{ step: "gates" }, { step: "check", name: "tests", command: ["npm", "test"] }, { step: "merge" }];
  const batch = stage.batch(["T-1"], { agent: { kind: "command", command: ["node", "agent.mjs"] }, sandbox: "required", finish });
  const loopdash = stage.path("package/node_modules/.bin/loopdash");
  return { stage, batch, loopdash, env, [Symbol.dispose]: () => stage[Symbol.dispose]() };
}

describe.each(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])("installed with Node %s", (major) => {
  test("fetches its Node once, and works a batch to its end while agents and checks keep theirs", async () => {
    using on = aStage(major, `fs.writeFileSync("node.txt", process.versions.node);`);
    const start = (...args: string[]) => on.stage.execute([on.loopdash, ...args], on.env).ended;
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const first = await start("--version");
    expect(first).toMatchObject({ code: 0, stdout: `${version}\n` });
    // The first of these tests fetches it.
    expect(first.stderr).toMatch(/^(?:loopdash: needs Node 24\.15 or newer; fetching Node 24\.\d+\.\d+ with npm, once .*\n)?$/);
    expect(await start("--version")).toMatchObject({ code: 0, stderr: "" });
    expect(await start(on.batch, "--dry-run")).toMatchObject({ code: 0, stdout: expect.stringContaining("ready at once (1)") });
    const run = await start(on.batch, "--headless");
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(readFileSync(on.stage.path("app/node.txt"), "utf8")).toBe(VERSIONS[major]);
  });

  test("is the program's own process: Ctrl-C, signals and a resize reach it, and its end is the command's", async () => {
    using on = aStage(major, "await wait(60_000);");
    const argv = [on.loopdash, on.batch] as const;
    const lines = openTerminal(on.stage, [], { argv: [...argv, "--json"], env: on.env });
    await lines.waitFor(() => lines.raw.includes('"agent-started"'));
    expect(readlinkSync(`/proc/${lines.pid}/exe`)).toMatch(/\/data\/loopdash\/node-24\.\d+\.\d+\/node$/);
    lines.type("\x03");
    expect(await lines.exitCode()).toBe(130);
    const dashboard = openTerminal(on.stage, [], { argv: [...argv], env: on.env });
    await dashboard.waitFor(/\S T-1 /);
    await dashboard.press("j", /▌. T-1 /);
    dashboard.resize({ columns: 120, rows: 30 });
    await dashboard.settled();
    process.kill(dashboard.pid, "SIGKILL");
    expect(await dashboard.ended).toMatchObject({ signal: 9 });
  });
});

describe("the launcher", () => {
  const bare = (env: Record<string, string>) => {
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    mkdirSync(stage.path("package/bin"), { recursive: true });
    symlinkSync(join(ROOT, "dist"), stage.path("package/dist"));
    const loopdash = stage.path("package/bin/loopdash");
    writeFileSync(loopdash, readFileSync(join(ROOT, "bin/loopdash")), { mode: 0o755 });
    const path = {
      PATH: `${nodeFolder("20")}:/usr/bin:/bin`,
      npm_config_fetch_retries: "0",
      npm_config_cache: stage.path("cache"),
    };
    return { stage, run: () => stage.execute([loopdash, "--version"], { ...npmEnv, ...path, ...env }).ended };
  };

  test("takes LOOPDASH_NODE, and refuses one that is too old", async () => {
    expect(await bare({ LOOPDASH_NODE: process.execPath }).run()).toMatchObject({ code: 0, stderr: "" });
    const old = await bare({ LOOPDASH_NODE: join(nodeFolder("20"), "node") }).run();
    expect(old).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("is not Node 24.15 or newer") });
  });

  test("takes the package node beside it, and any that is new enough of PATH", async () => {
    const { stage, run: start } = bare({});
    mkdirSync(stage.path("node/bin"), { recursive: true });
    symlinkSync(process.execPath, stage.path("node/bin/node"));
    expect(await start()).toMatchObject({ code: 0, stderr: "" });
    const path = `${nodeFolder("20")}:${join(process.execPath, "..")}:/usr/bin:/bin`;
    expect(await bare({ PATH: path }).run()).toMatchObject({ code: 0, stderr: "" });
  });

  test("takes none from a relative folder of PATH, which may be a clone's", async () => {
    const { stage, run: start } = bare({ PATH: `evil:${nodeFolder("20")}:/usr/bin:/bin`, npm_config_offline: "true" });
    stage.write("evil/node", `#!/bin/sh\ntouch ${stage.path("taken")}\necho v24.21.0\n`, 0o755);
    expect((await start()).code).toBe(4);
    expect(existsSync(stage.path("taken"))).toBe(false);
  });

  test("says in three lines why nothing could be fetched and what to do", async () => {
    const { code, stdout, stderr } = await bare({ npm_config_offline: "true" }).run();
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr.split("\n").slice(1)).toEqual([
      "loopdash: there is no Node 24.15 or newer, and none could be fetched",
      expect.stringMatching(/^ {2}why: npm: request to \S+ failed: cache mode is 'only-if-cached'/),
      "  do:  Go online once. Or: Install Node 24.15 or newer, or name one: LOOPDASH_NODE=/path/to/node",
      "",
    ]);
  });

  test("runs nothing of a registry that serves another file under that name", async () => {
    const bytes = Buffer.from("not a Node");
    const server = createServer((req, res) => {
      const dist = {
        tarball: `http://${req.headers.host}/x.tgz`,
        integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
      };
      const version = /version=(\S+)/.exec(readFileSync(join(ROOT, "bin/loopdash"), "utf8"))?.[1] ?? "";
      const name = decodeURIComponent(req.url ?? "").slice(1);
      res.end(req.url === "/x.tgz" ? bytes : JSON.stringify({ name, versions: { [version]: { name, version, dist } } }));
    });
    await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
    onTestFinished(() => void server.close());
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { stage, run: start } = bare({ npm_config_registry: registry });
    expect(await start()).toMatchObject({ code: 4, stderr: expect.stringContaining("is not the one that was released") });
    expect(existsSync(stage.path(".local/share/loopdash/node-24.21.0/node"))).toBe(false);
  });

  test("fetches the Node that loopdash is tested with", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(readFileSync(join(ROOT, "bin/loopdash"), "utf8")).toContain(`\nversion=${devDependencies.node}\n`);
  });
});
