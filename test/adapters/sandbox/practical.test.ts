import {
  chmodSync,
  copyFileSync,
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import { bubblewrapVersion, laysOverlays } from "../../../src/adapters/sandbox/bubblewrap/version.ts";
import { confinedExecutor } from "../../../src/adapters/sandbox/confined-executor.ts";
import { bwrap, NOTHING, PATH, useStage } from "./support.ts";

const stage = useStage();
const HELLO = "#!/bin/sh\necho hello\n";

const program = (path: string): void => chmodSync(stage.put(path, HELLO), 0o755);
const inside = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  stage.run({
    argv,
    env: { PATH, HOME: stage.at("home"), F: stage.folder, ...env },
    confinement: { ...NOTHING, write: [stage.at("wt")] },
  });

describe("toolchains keep working", () => {
  test.each<[string, () => string]>([
    ["a folder of the PATH below the home", () => (program("home/tools/bin/hello"), stage.at("home/tools/bin"))],
    [
      "one in a folder that is a link",
      () => {
        program("home/versions/2/bin/hello");
        symlinkSync("versions/2", stage.at("home/current"));
        return stage.at("home/current/bin");
      },
    ],
    [
      "one with links to packages elsewhere in the home",
      () => {
        program("home/.local/share/hello/versions/2/hello");
        mkdirSync(stage.at("home/.local/bin"), { recursive: true });
        symlinkSync("../share/hello/versions/2/hello", stage.at("home/.local/bin/hello"));
        return stage.at("home/.local/bin");
      },
    ],
    [
      "node_modules/.bin of a hidden folder",
      () => {
        program("home/project/node_modules/hello/cli.sh");
        mkdirSync(stage.at("home/project/node_modules/.bin"));
        symlinkSync("../hello/cli.sh", stage.at("home/project/node_modules/.bin/hello"));
        return stage.at("home/project/node_modules/.bin");
      },
    ],
    ["one below /tmp", () => (program("outside/bin/hello"), stage.at("outside/bin"))],
  ])("%s", async (_, make) => {
    const env = { PATH: `${make()}:${PATH}` };
    expect(await inside(["hello"], env)).toMatchObject({ exitCode: 0, tail: "hello\n" });
    expect(await inside(["sh", "-c", "hello && ! (echo x >> $(command -v hello)) 2>/dev/null"], env)).toMatchObject({
      exitCode: 0,
    });
  });

  test("a program named by its path, below a hidden folder", async () => {
    program("home/deep/er/hello");
    expect(await inside([stage.at("home/deep/er/hello")])).toMatchObject({ exitCode: 0, tail: "hello\n" });
  });

  test("a program in the worktree stays writable", async () => {
    program("wt/bin/hello");
    const result = await inside(["sh", "-c", "hello && echo >> bin/hello"], { PATH: `${stage.at("wt/bin")}:${PATH}` });
    expect(result).toMatchObject({ exitCode: 0, tail: "hello\n" });
  });

  test("the home as a folder of the PATH shows no more of it", async () => {
    program("home/hello");
    expect(await inside(["sh", "-c", "ls ~"], { PATH: `${stage.at("home")}:${PATH}` })).toMatchObject({ exitCode: 0, tail: "" });
  });

  test("a folder of the PATH in the state folder is not shown", async () => {
    program("state/worktrees/T-2/bin/hello");
    const result = await inside(["sh", "-c", "ls $F/state"], { PATH: `${stage.at("state/worktrees/T-2/bin")}:${PATH}` });
    expect(result.tail).not.toContain("worktrees");
  });

  test("toolchains and caches of the home are there, to read", async () => {
    const known = [
      ".nvm/x",
      ".rustup/x",
      ".cargo/bin/x",
      ".cargo/registry/x",
      "go/pkg/mod/x",
      ".npm/_cacache/x",
      ".cache/pip/x",
      ".m2/repository/x",
    ];
    const closed = [".cargo/credentials.toml", ".m2/settings.xml", ".config/x", ".npmrc", ".bash_history"];
    for (const name of [...known, ...closed]) stage.put(`home/${name}`);
    const script = "cd; for f in $(find . -type f | sort); do (echo x >> $f) 2>/dev/null && echo WRITTEN; echo $f; done";
    expect((await inside(["sh", "-c", script])).tail.trim().split("\n")).toEqual(known.map((name) => `./${name}`).toSorted());
  });

  test("caches of programs that fail on a read-only one start empty where hosts are open, unless they are copies", async () => {
    for (const name of [".npm/_cacache/x", ".cargo/registry/x", "go/pkg/mod/x", ".cache/pip/x"]) stage.put(`home/${name}`);
    const confinement = { ...NOTHING, write: [stage.at("wt")], hosts: [{ host: "example.com", port: 443 }] };
    const seen = async (overlays: boolean) => {
      const argv = ["sh", "-c", "cd; find . -type f | sort; mkdir -p .npm/_cacache && echo x > .npm/_cacache/y && echo WRITTEN"];
      return (await stage.run({ argv, env: { PATH }, confinement }, stage.sandbox({ overlays }))).tail;
    };
    expect(await seen(false)).toBe("./.cache/pip/x\n./go/pkg/mod/x\nWRITTEN\n");
    if (laysOverlays((await bubblewrapVersion(bwrap())) ?? "0")) expect(await seen(true)).toContain("./.npm/_cacache/x\n");
  });

  test("what a program caches goes to a folder of its own", async () => {
    stage.put("home/.npm/_cacache/x");
    expect(await inside(["sh", "-c", "mkdir -p ~/.cache/go-build ~/.npm/_logs && echo x > ~/.npm/_logs/x"])).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(stage.at("home/.cache"))).toBe(false);
  });

  test("node, and npm without a network, which does not wait for one", async () => {
    stage.put("wt/package.json", '{"name":"x","version":"1.0.0"}');
    expect(await inside([process.execPath, "-p", "process.versions.node"])).toMatchObject({ exitCode: 0 });
    const begun = performance.now();
    expect(await inside(["npm", "install", "no-such-package-at-all"])).toMatchObject({ exitCode: 1 });
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test("a package that npm has in its cache is installed from there, and the cache is the same afterwards", async () => {
    stage.put("outside/pack/package.json", '{"name":"packed","version":"1.0.0"}');
    stage.put("outside/made/package.json", '{"name":"made","version":"1.0.0"}');
    // A registry on loopback fills the cache; inside there is none.
    const fill = `const { execFileSync } = require("node:child_process"), http = require("node:http"), fs = require("node:fs");
const run = (...args) => require("node:util").promisify(require("node:child_process").execFile)("npm", args, { cwd: process.env.F + "/outside/made" });
execFileSync("npm", ["pack", "--silent"], { cwd: process.env.F + "/outside/pack" });
const tgz = fs.readFileSync(process.env.F + "/outside/pack/packed-1.0.0.tgz");
const integrity = "sha512-" + require("node:crypto").createHash("sha512").update(tgz).digest("base64");
const server = http.createServer((q, a) => {
  a.setHeader("cache-control", "max-age=3600");
  if (q.url.endsWith(".tgz")) return a.end(tgz);
  a.setHeader("content-type", "application/json");
  a.end(JSON.stringify({ name: "packed", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name: "packed", version: "1.0.0",
    dist: { integrity, tarball: "http://127.0.0.1:" + server.address().port + "/packed/-/packed-1.0.0.tgz" } } } }));
}).listen(0, "127.0.0.1", async () => {
  const registry = "http://127.0.0.1:" + server.address().port + "/";
  await run("install", "packed", "--registry", registry, "--no-audit");
  console.log(registry);
  server.close();
});`;
    const confinement = { ...NOTHING, write: [stage.at("wt")] };
    const filled = await stage.run({ argv: [process.execPath, "-e", fill] });
    const registry = filled.tail.trim();
    expect(registry).toMatch(/^http:.*\/$/);
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(stage.at("outside/made", name), stage.at("wt", name));
    const cache = stage.at("home/.npm/_cacache");
    const content = () => readdirSync(cache, { recursive: true, withFileTypes: true }).map((entry) => bytesOf(entry));
    const before = content();
    expect(before.length).toBeGreaterThan(5);
    // With a writable copy what is put into the cache is there, and elsewhere it cannot be put there.
    const overlays = laysOverlays((await bubblewrapVersion(bwrap())) ?? "0");
    const sandbox = stage.sandbox({ overlays });
    const spoil = "for f in $(find ~/.npm/_cacache -type f); do (echo bad >$f) 2>/dev/null && echo WRITTEN; done | sort -u";
    const run = (script: string) =>
      stage.run({ argv: ["sh", "-c", script], env: { PATH, npm_config_registry: registry }, confinement }, sandbox);
    expect(await run(`npm ci --prefer-offline --silent && ls node_modules; ${spoil}`)).toMatchObject({
      exitCode: 0,
      tail: `packed\n${overlays ? "WRITTEN\n" : ""}`,
    });
    expect(content()).toEqual(before);
    expect(await run("rm -r node_modules && npm ci --silent && ls node_modules")).toMatchObject({ tail: "packed\n" });
  });
});

function bytesOf(entry: Dirent): string {
  const path = join(entry.parentPath, entry.name);
  return `${path} ${entry.isFile() ? readFileSync(path, "base64") : ""}`;
}

test("caches that can be written are copies, and one that was removed meanwhile is not missed", async () => {
  const names = [".npm/_cacache", "go", ".m2/repository"];
  for (const name of names) stage.put(`home/${name}/x`);
  stage.put("home/.nvm/x");
  const sandbox = stage.sandbox({ overlays: true });
  const launch = { argv: ["true"], cwd: stage.at("wt"), env: { PATH } };
  const copied = async () => {
    const { files = [], settle } = await sandbox.confine(launch, { ...NOTHING, write: [stage.at("wt")] });
    // bwrap reads its options from file 5.
    const argv = readFileSync(files[2] ?? "", "utf8").split("\0");
    await settle();
    expect(argv).toContain(stage.at("home/.nvm"));
    return argv.filter((at, i) => argv[i - 1] === "--tmp-overlay" && argv[i - 2] === at && at.startsWith(stage.at("home")));
  };
  expect((await copied()).toSorted()).toEqual(names.map((name) => stage.at("home", name)).toSorted());
  rmSync(stage.at("home/go"), { recursive: true });
  expect(await copied()).not.toContain(stage.at("home/go"));
});

describe("the environment inside", () => {
  test("names no folder that is not there, and what is set for a reason is kept", async () => {
    const env = {
      XDG_CACHE_HOME: stage.at("wt"),
      XDG_CONFIG_HOME: stage.at("outside"),
      XDG_STATE_HOME: "/nowhere",
      npm_config_audit: "true",
    };
    const { tail } = await inside(["env"], env);
    const names = new Map(
      tail
        .trim()
        .split("\n")
        .map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]),
    );
    expect(names.get("XDG_CACHE_HOME")).toBe(stage.at("wt"));
    expect(names.has("XDG_CONFIG_HOME")).toBe(false);
    expect(names.has("XDG_STATE_HOME")).toBe(false);
    expect(names.get("npm_config_audit")).toBe("true");
    expect(names.get("HOME")).toBe(stage.at("home"));
    expect(names.get("TMPDIR")).toBe("/tmp");
  });

  test("what makes a program load other code acts inside only", async () => {
    const env = { PATH, BASH_ENV: stage.put("wt/env.sh", "echo acted\n"), LD_PRELOAD: "/nowhere.so" };
    const argv = ["/bin/bash", "-c", "printenv LD_PRELOAD"];
    const confined = await stage.sandbox().confine({ argv, cwd: stage.at("wt"), env }, { ...NOTHING, write: [stage.at("wt")] });
    await confined.settle();
    expect(Object.keys(confined.env)).not.toEqual(expect.arrayContaining(["LD_PRELOAD"]));
    expect(Object.keys(confined.env)).not.toEqual(expect.arrayContaining(["BASH_ENV"]));
    const { tail } = await inside(argv, env);
    expect(tail).toContain("/nowhere.so\n");
    expect(tail.match(/^acted$/gm)).toHaveLength(1);
  });
});

describe("a home that is not there", () => {
  test.each(["/", `/nonexistent-${process.pid}`])("%s", async (home) => {
    const sandbox = stage.sandbox({ home });
    const result = await stage.sh("cd && pwd && echo x > x", {}, sandbox);
    expect(result).toMatchObject({ exitCode: 0, tail: "/tmp/home\n" });
  });
});

test("two start at the same time, and a request without a confinement is left as it is", async () => {
  const results = await Promise.all([1, 2, 3].map((n) => stage.sh(`echo ${n}; ls $F/outside/../state 2>/dev/null | wc -l`, {})));
  expect(results.map(({ tail }) => tail)).toEqual(["1\n0\n", "2\n0\n", "3\n0\n"]);
  expect((await stage.sh("ls $F/state")).tail).toBe("worktrees\n");
});

test("a sandbox that cannot say no in words is a defect, and nothing runs", async () => {
  const broken = { kind: "bubblewrap", layers: false, confine: () => Promise.reject(new Error("defect")) } as const;
  const executor = confinedExecutor(createExecutor(), broken);
  const request = {
    argv: ["touch", "ran"],
    cwd: stage.at("wt"),
    env: { PATH },
    logFile: stage.at("log"),
    timeoutMs: 1_000,
    signal: new AbortController().signal,
    marker: "practical",
    confinement: NOTHING,
  };
  await expect(executor.run(request)).rejects.toThrow("defect");
  expect(existsSync(stage.at("wt/ran"))).toBe(false);
});
