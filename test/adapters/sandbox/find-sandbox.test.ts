import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { seccompFilter } from "../../../src/adapters/sandbox/bubblewrap/seccomp.ts";
import { findSandbox } from "../../../src/adapters/sandbox/find-sandbox.ts";
import { whyItFailed } from "../../../src/adapters/sandbox/why-not.ts";
import { bwrap, isRoot, NOTHING, PATH, useStage } from "./support.ts";

const stage = useStage();

/** A bwrap that does something else with what it is given. */
function fakeOf(version: string, script: string): string {
  const options = `if [ "$1" = --args ]; then mapfile -d "" -t read <&5; exec 5<&-; shift 2; set -- "\${read[@]}" "$@"; fi`;
  const text = `#!/bin/bash\n[ "$1" = --version ] && { echo bubblewrap ${version}; exit; }\n${options}\n${script}\n`;
  chmodSync(stage.put("bin/bwrap", text), 0o755);
  return stage.at("bin");
}

const fake = (script: string) => fakeOf("0.8.0", script);

/** The real one, with some of its arguments taken away. */
const without = (...flags: string[]) =>
  fake(
    `args=(); for a in "$@"; do case "$a" in ${flags.join("|")}) ;; *) args+=("$a");; esac; done; exec ${bwrap()} "\${args[@]}"`,
  );

describe("findSandbox", () => {
  test("finds the one of this machine, which holds, and leaves nothing behind", async () => {
    // A temporary folder of its own: other tests try sandboxes at the same time.
    const own = mkdtempSync(join(tmpdir(), "loopdash-find-"));
    onTestFinished(() => rmSync(own, { recursive: true }));
    vi.stubEnv("TMPDIR", own);
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = await findSandbox({ path: PATH });
    expect(found).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    if (!found.ok) return;
    const launch = { argv: ["true"], cwd: "/", env: { PATH } };
    expect((await found.sandbox.confine(launch, NOTHING)).argv).toContain(bwrap());
    expect(readdirSync(own)).toEqual([]);
  });

  test("none on the PATH", async () => {
    expect(await findSandbox({ path: "/nowhere" })).toEqual({
      ok: false,
      why: expect.stringContaining("not installed"),
      todo: expect.stringContaining("sudo apt install bubblewrap"),
    });
  });

  test.each<[string, () => string, RegExp]>([
    [
      "one that confines nothing",
      () => fake('while [ "$1" != /usr/bin/prlimit ]; do shift; done; exec "$@"'),
      /change a file outside, write a file outside/,
    ],
    ["one without a network of its own", () => without("--unshare-net"), /reach an abstract socket.*|reach a port/],
    ["one without processes of its own", () => without("--unshare-pid"), /see a process outside|Can't mount proc/],
    [
      "one that can write everything",
      () =>
        fake(
          `args=(); for a in "$@"; do [ "$a" = --remount-ro ] && args+=(--bind /tmp /tmp); args+=("$a"); done; exec ${bwrap()} "\${args[@]}"`,
        ),
      /write a file that it may only read/,
    ],
    [
      "one that hides nothing",
      () =>
        fake(
          `args=(); for a in "$@"; do [ "$a" = --remount-ro ] && args+=(--bind /tmp /tmp); args+=("$a"); done; exec ${bwrap()} "\${args[@]}"`,
        ),
      /read a hidden file/,
    ],
    ["one that does nothing and says all is well", () => fake("exit 0"), /could not be set up/],
    ["one that only says that it tried", () => fake("echo '[]'"), /could not be set up: \[\]/],
    [
      "one that fails",
      () => fake("echo 'bwrap: No permissions to create new namespace' >&2; exit 1"),
      /does not let bwrap make namespaces/,
    ],
  ])("%s is none", async (_, make, why) => {
    const found = await findSandbox({ path: `${make()}:${PATH}` });
    expect(found).toMatchObject({ ok: false, why: expect.stringMatching(why), todo: expect.stringMatching(/./) });
  });

  // Settings of the kernel belong to root: what leaves /proc writable gives an ordinary user none of them.
  test(`one with a writable /proc is ${isRoot ? "none" : "one"} for ${isRoot ? "root" : "an ordinary user"}`, async () => {
    const withoutRemount = `args=("$@"); for i in "\${!args[@]}"; do [ "\${args[i]}" = --remount-ro ] && [ "\${args[i+1]}" = /proc ] && unset "args[i]" "args[i+1]"; done; exec ${bwrap()} "\${args[@]}"`;
    const found = await findSandbox({ path: `${fake(withoutRemount)}:${PATH}` });
    const why = expect.stringMatching(/change a setting of the kernel/);
    expect(found).toMatchObject(isRoot ? { ok: false, why } : { ok: true });
  });

  test("an old one is none, and one that tells no version", async () => {
    chmodSync(stage.put("bin/bwrap", "#!/bin/sh\necho bubblewrap 0.6.1\n"), 0o755);
    expect(await findSandbox({ path: stage.at("bin") })).toMatchObject({
      ok: false,
      why: expect.stringContaining("0.6.1, and 0.8 or newer"),
    });
    chmodSync(stage.put("bin/bwrap", "#!/bin/sh\nexit 0\n"), 0o755);
    expect(await findSandbox({ path: stage.at("bin") })).toMatchObject({ ok: false, why: expect.stringContaining("version") });
  });

  test("one that fails with copies of caches is used without them", async () => {
    stage.put("home/.npm/_cacache/x");
    const path = `${fakeOf("0.10.0", `case "$*" in *--tmp-overlay*) exit 1;; esac; exec ${bwrap()} "$@"`)}:${PATH}`;
    const found = await findSandbox({ path, home: stage.at("home") });
    expect(found).toMatchObject({ ok: true, version: "0.10.0" });
    if (found.ok) expect(await stage.sh("cat ~/.npm/_cacache/x", {}, found.sandbox)).toMatchObject({ tail: "seen\n" });
  });

  test("the state folder is looked for by the process that tries to get out", async () => {
    stage.put("state/loopdash.db");
    const shows = (where: string) =>
      fake(
        `args=(); for a in "$@"; do [ "$a" = --remount-ro ] && args+=(--ro-bind ${where} ${where}); args+=("$a"); done; exec ${bwrap()} "\${args[@]}"`,
      );
    const look = (path: string) => findSandbox({ path: `${path}:${PATH}`, home: stage.at("home"), state: stage.at("state") });
    expect(await look(shows(stage.at("state")))).toMatchObject({ ok: false, escapes: ["see loopdash's state"] });
    expect(await look(shows(stage.at("outside")))).toMatchObject({ ok: true });
  });

  test("macOS has one of its own, which no other system has", async () => {
    const found = await findSandbox({ path: PATH, platform: "darwin" });
    // Where this is macOS it may hold; bubblewrap is never asked for there.
    if (process.platform !== "darwin") expect(found).toMatchObject({ ok: false, why: "there is no /usr/bin/sandbox-exec" });
    expect(await findSandbox({ path: PATH, platform: "win32" })).toMatchObject({
      ok: false,
      why: expect.stringContaining("win32"),
    });
  });
});

describe("why there is none", () => {
  const said = "bwrap: setting up uid map: Permission denied\n";

  test.each([
    ["kernel.unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"],
    ["kernel.apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"],
    ["user.max_user_namespaces", "0", "user.max_user_namespaces="],
  ])("%s", (name, value, todo) => {
    const found = whyItFailed(said, (asked) => (asked === name ? value : undefined));
    expect(found.why).toContain(`${name} is ${value}`);
    expect(found.todo).toContain(`sudo sysctl -w ${todo}`);
  });

  test("a container", () => {
    expect(whyItFailed(said, () => undefined)).toMatchObject({
      why: expect.stringContaining("uid map"),
      todo: expect.stringContaining("container"),
    });
  });

  test("anything else", () => {
    expect(whyItFailed("odd\nmore", () => undefined)).toMatchObject({ why: "bwrap does not work here: odd" });
  });
});

test("there is a filter for the processors that are known, and none for others", () => {
  for (const arch of ["x64", "arm64"]) expect(seccompFilter(arch)?.length).toBeGreaterThan(0);
  expect(seccompFilter("x64")).not.toEqual(seccompFilter("arm64"));
  expect(seccompFilter("riscv64")).toBeUndefined();
});
