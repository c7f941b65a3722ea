import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORGE_PARTS } from "../../example/forge-world.ts";
import { RepositoryBusy, setUpExample } from "../../example/setup.ts";
import { baseLock, machineLocks } from "../../src/cli/engine/engine-locks.ts";
import { git, run } from "./stage.ts";

test("the same two clean repositories each time, whatever was there before", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "loopdash-setup-"));
  try {
    const paths = await setUpExample(workspace);
    expect(paths).toEqual([join(workspace, "shop"), join(workspace, "infra")]);
    const first = await Promise.all(paths.map((path) => git(path, "rev-parse", "HEAD")));
    await writeFile(join(workspace, "shop", "left-over.js"), "x");
    await git(join(workspace, "shop"), "branch", "left-over");

    await setUpExample(workspace);

    for (const [i, path] of paths.entries()) {
      expect(await git(path, "rev-parse", "HEAD")).toBe(first[i]);
      expect(await git(path, "branch", "--format=%(refname:short)")).toBe("main");
      expect(await git(path, "status", "--porcelain")).toBe("");
      expect(await git(path, "log", "--format=%an <%ae>")).toBe("Example <example@example.invalid>");
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});

test("another folder adds tickets and files of repositories, which pass their tests", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "loopdash-setup-"));
  try {
    const [shop = ""] = await setUpExample(workspace, FORGE_PARTS);
    expect(await readdir(join(workspace, "tickets"))).toHaveLength(11);
    expect(await git(shop, "ls-files", "test")).toContain("test/speed.test.js");
    expect(await git(shop, "ls-files", "test")).toContain("test/cart.test.js");
    expect(await run(shop, process.execPath, "--test")).toMatchObject({ code: 0 });
    // On a machine that is too busy, the test that measures time fails, and no other one.
    const busy = ["--import", join(FORGE_PARTS, "busy-machine.mjs"), "--test"];
    const { code, output } = await run(shop, process.execPath, ...busy);
    expect([code, output]).toEqual([1, expect.stringMatching(/fail 1$/m)]);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});

test("repositories that a run works on are left as they are", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "loopdash-setup-"));
  try {
    const [, infra = ""] = await setUpExample(workspace);
    const locks = machineLocks().take([baseLock(infra, "main")], { pid: process.pid, run: "test", since: 0 });
    await writeFile(join(infra, "kept.js"), "x");
    await expect(setUpExample(workspace)).rejects.toThrow(RepositoryBusy);
    expect(await git(infra, "status", "--porcelain")).toBe("?? kept.js");
    for (const lock of locks.ok ? locks.locks : []) lock[Symbol.dispose]();
    await setUpExample(workspace);
    expect(await git(infra, "status", "--porcelain")).toBe("");
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});

test("both repositories pass their tests and their smoke test as they are", async () => {
  const workspace = await mkdtemp(join(tmpdir(), "loopdash-setup-"));
  try {
    for (const path of await setUpExample(workspace)) {
      const tests = await run(path, process.execPath, "--test");
      expect(tests, tests.output).toMatchObject({ code: 0 });
      expect(tests.output).toMatch(/pass [1-9]/);
      expect(await run(path, process.execPath, "scripts/smoke.mjs")).toMatchObject({ code: 0 });
    }
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
});
