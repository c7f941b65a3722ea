import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { SandboxRuntimeConfigSchema } from "@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-config.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createExecutor } from "../../../../src/adapters/executor/process-executor.ts";
import { confinedExecutor } from "../../../../src/adapters/sandbox/confined-executor.ts";
import { createSeatbelt } from "../../../../src/adapters/sandbox/seatbelt/seatbelt.ts";
import { HIDDEN_ON_MACOS, isShown, SEATBELT, seatbeltConfig } from "../../../../src/adapters/sandbox/seatbelt/seatbelt-config.ts";
import type { Confined, Confinement, Launch, Sandbox } from "../../../../src/ports/executor.ts";
import { NOTHING, PATH, useStage } from "../support.ts";

const stage = useStage();

function configOf(confinement: Partial<Confinement>, more: { hidden?: string[]; tools?: string[] } = {}) {
  const { hidden = [stage.at("home"), stage.at("state")], tools = [] } = more;
  const state = stage.at("state");
  const closed = { places: [...hidden], secrets: [stage.at("home/.ssh")], state };
  return seatbeltConfig({ ...NOTHING, ...confinement }, { hidden, closed, tools, own: stage.at("own") });
}

const paths = (names: readonly { readonly path: string }[]) => names.map(({ path }) => path);

describe("a confinement in the library's words", () => {
  test("is a configuration as the library defines it, and every path in it is a name", async () => {
    stage.put("wt/kept");
    const path = stage.at("socket");
    const server = createServer();
    await new Promise<void>((go) => server.listen(path, go));
    onTestFinished(() => new Promise((go) => server.close(() => go())));
    const write = [stage.at("wt"), stage.at("state/worktrees/T-2")];
    const config = configOf({ write, read: [stage.at("wt/kept"), stage.at("outside")], sockets: [path] });
    expect(SandboxRuntimeConfigSchema.parse(config)).toEqual(config);
    expect(config.network).toEqual({ allowedDomains: [], deniedDomains: [], allowUnixSockets: [path] });
    const { denyRead, allowRead, allowWrite, denyWrite } = config.filesystem;
    expect(paths(denyRead)).toEqual([stage.at("home"), stage.at("state"), stage.at("home/.ssh")]);
    expect(paths(allowRead)).toEqual(expect.arrayContaining([...write, stage.at("outside"), stage.at("own")]));
    expect(paths(allowWrite)).toEqual([...write, stage.at("own")]);
    expect(paths(denyWrite)).toEqual([stage.at("wt/kept")]);
    for (const names of Object.values(config.filesystem)) for (const name of names) expect(name.literal).toBe(true);
  });

  test("shows of what is hidden only what it names, and no tool that is hidden as a whole", () => {
    const tools = [stage.at("home/.nvm"), stage.at("home"), "/usr/bin"];
    for (const name of ["home/.nvm/x", "home/notes"]) stage.put(name);
    const config = configOf({ write: [stage.at("wt")], read: [stage.at("state/worktrees/T-2")] }, { tools });
    const shown = (path: string) => isShown(config, path);
    for (const path of [stage.at("home/.nvm/x"), stage.at("state/worktrees/T-2/x"), stage.at("wt"), "/usr/bin/env"])
      expect([path, shown(path)]).toEqual([path, true]);
    for (const path of [stage.at("home/notes"), stage.at("home/.ssh/id"), stage.at("state/loopdash.db"), stage.at("state")])
      expect([path, shown(path)]).toEqual([path, false]);
  });

  test("keys stay hidden in a home that is opened", () => {
    const config = configOf({ read: [stage.at("home")] }, { hidden: [stage.at("state")] });
    expect([isShown(config, stage.at("home/x")), isShown(config, stage.at("home/.ssh/id"))]).toEqual([true, false]);
  });

  test("closes the place of a mount, and shows what is mounted where it lies", () => {
    for (const name of ["repo/config", "repo/objects/x", "outside/config", "outside/objects/x"]) stage.put(name);
    const mounts = [
      { from: stage.at("outside/config"), at: stage.at("repo/config"), write: false },
      { from: stage.at("outside/objects"), at: stage.at("repo/objects"), write: true },
      { from: stage.at("repo/objects"), at: "/run/nowhere/objects", write: false },
    ];
    const config = configOf({ read: [stage.at("repo")], mounts });
    const { allowWrite } = config.filesystem;
    expect(isShown(config, stage.at("repo/config"))).toBe(false);
    expect(isShown(config, stage.at("outside/config"))).toBe(true);
    expect(isShown(config, stage.at("repo/objects/x"))).toBe(true);
    expect(paths(allowWrite)).toEqual([stage.at("outside/objects"), stage.at("own")]);
  });

  test.each<[string, () => Partial<Confinement>, RegExp]>([
    ["hosts", () => ({ hosts: ["example.com"] }), /hosts cannot be opened on macOS/],
    ["keys", () => ({ read: [stage.put("home/.ssh/id")] }), /holds keys or logins/],
    ["everything writable", () => ({ write: ["/"] }), /cannot be made writable/],
    ["what is not there", () => ({ read: [stage.at("nowhere")] }), /cannot be reached/],
    [
      "a writable part of a read-only part of a writable folder",
      () => {
        stage.put("wt/a/b/x");
        return { write: [stage.at("wt"), stage.at("wt/a/b")], read: [stage.at("wt/a")] };
      },
      /cannot be read-only on macOS/,
    ],
    [
      "an open part of a hidden part of an open folder",
      () => ({ read: [stage.folder, stage.at("state/worktrees")] }),
      /cannot be hidden on macOS/,
    ],
  ])("refuses %s", (_, opened, message) => {
    expect(() => configOf(opened())).toThrow(message);
  });
});

/** Not the system's: leaves out the profile, which only macOS can apply, and does the rest. */
const FAKE = '#!/bin/sh\n[ "$1" = -p ] || exit 64\nprintf %s "$2" >"$(dirname "$0")/profile"; shift 2; exec "$@"\n';

/** The start line with that in the place of the system's program. */
function faked(sandbox: Sandbox): Sandbox {
  chmodSync(stage.put("fake/sandbox-exec", FAKE), 0o755);
  const replaced = (confined: Confined): Confined => ({
    ...confined,
    argv: confined.argv.map((arg, i) => (i === 2 ? arg.replace(SEATBELT, stage.at("fake/sandbox-exec")) : arg)),
  });
  return {
    kind: "seatbelt",
    layers: false,
    confine: async (launch, confinement) => replaced(await sandbox.confine(launch, confinement)),
  };
}

function seatbelt(): Sandbox {
  return createSeatbelt({ home: stage.at("home"), state: stage.at("state") });
}

describe("how a program is started", () => {
  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}, confinement: Partial<Confinement> = {}) =>
    confinedExecutor(createExecutor(), faked(seatbelt())).run({
      argv,
      cwd: stage.at("wt"),
      env: { PATH, ...env },
      logFile: stage.at("log"),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      marker: `seatbelt-${process.pid}-${Math.random()}`,
      confinement: { ...NOTHING, write: [stage.at("wt")], ...confinement },
    });

  test("with its arguments, its environment and its end, whatever is in them", async () => {
    const odd = ["a b", "", "$(touch ran)", "'; touch ran; '", "é\n", "--", "=x"];
    const script = 'printf "%s|" "$@" "$A" "$BASH_ENV"; exit 7';
    const result = await run(["/bin/sh", "-c", script, "sh", ...odd], {
      A: "$(touch ran)'",
      BASH_ENV: stage.put("env.sh", "touch ran\n"),
    });
    expect(result).toMatchObject({ ending: "exited", exitCode: 7 });
    expect(result.tail).toBe(`${odd.join("|")}|$(touch ran)'|${stage.at("env.sh")}|`);
    expect(existsSync(stage.at("wt/ran"))).toBe(false);
  });

  test("in a home and a temporary folder of its own, which go with it, and toolchains of the home are found there", async () => {
    stage.put("home/.nvm/x");
    // A temporary folder of its own: other tests make folders at the same time.
    mkdirSync(stage.at("tmp"));
    vi.stubEnv("TMPDIR", stage.at("tmp"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { tail } = await run(["/bin/sh", "-c", 'echo "$HOME"; echo "$TMPDIR"; cat ~/.nvm/x; : >"$TMPDIR/x" && ls "$TMPDIR"']);
    const [home = "", temporary = "", ...rest] = tail.trim().split("\n");
    expect([home, temporary].every((path) => path.startsWith(stage.at("tmp/loopdash-own-")))).toBe(true);
    expect(rest).toEqual(["seen", "x"]);
    expect(readdirSync(stage.at("tmp"))).toEqual([]);
  });

  test("by programs of the system only, until the profile holds", async () => {
    for (const name of ["env", "sh", "sandbox-exec"]) {
      chmodSync(stage.put(`wt/bin/${name}`, `#!/bin/sh\n: >"${stage.at("wt")}/planted-${name}"\n`), 0o755);
    }
    const result = await run(["/bin/echo", "ran"], { PATH: `${stage.at("wt/bin")}:${PATH}` });
    expect(result).toMatchObject({ exitCode: 0, tail: "ran\n" });
    expect(readdirSync(stage.at("wt"))).toEqual(["bin"]);
  });

  test("under a profile that closes the network, and names what is hidden and what may be written", async () => {
    await run(["/bin/echo"]);
    const profile = readFileSync(stage.at("fake/profile"), "utf8");
    expect(profile).toMatch(/^\(version 1\)\n\(deny default /);
    expect(profile).not.toMatch(/\(allow network/);
    const rule = (action: string, what: string) =>
      [...profile.matchAll(new RegExp(`^\\(${action} ${what}\\n((?:  .*\\n)*)`, "gm"))].map(([, body]) => body).join("");
    for (const path of [...HIDDEN_ON_MACOS.slice(2, 5), stage.at("home"), stage.at("state")])
      expect(rule("deny", "file-read\\*")).toContain(`(subpath ${JSON.stringify(path)})`);
    expect(rule("allow", "file-write\\*")).toContain(`(subpath ${JSON.stringify(stage.at("wt"))})`);
    expect(rule("allow", "file-write\\*")).not.toContain(stage.at("state"));
  });

  test("and one that never began is told from one that failed", async () => {
    const launch: Launch = { argv: ["/bin/echo"], cwd: stage.at("wt"), env: { PATH } };
    const confined = await seatbelt().confine(launch, { ...NOTHING, write: [stage.at("wt")] });
    expect(await confined.settle()).toEqual({ reported: false, empty: true });
  });

  test.each<[string, () => readonly [argv: string[], cwd: string], RegExp]>([
    ["a program that is not there", () => [["no-such-program"], stage.at("wt")], /there is no program/],
    ["a working folder that is hidden", () => [["/bin/echo"], stage.at("state")], /is hidden in the sandbox/],
  ])("not: %s", async (_, options, message) => {
    const [argv, cwd] = options();
    const launch = { argv, cwd, env: { PATH } };
    await expect(seatbelt().confine(launch, { ...NOTHING, write: [stage.at("wt")] })).rejects.toThrow(message);
  });

  test("a link that an earlier attempt may have set is not followed", async () => {
    symlinkSync(stage.at("outside"), stage.at("wt/cache"));
    expect(await run(["/bin/echo"], {}, { write: [stage.at("wt"), join(stage.at("wt"), "cache")] })).toMatchObject({
      ending: "failed-to-start",
      message: expect.stringContaining("symbolic link"),
    });
  });
});
