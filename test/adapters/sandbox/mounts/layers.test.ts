import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExecutor } from "../../../../src/adapters/executor/process-executor.ts";
import { createBubblewrap } from "../../../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { confinedExecutor } from "../../../../src/adapters/sandbox/confined-executor.ts";
import { findProgram } from "../../../../src/adapters/sandbox/find-program.ts";
import { canLayLayers } from "../../../../src/adapters/sandbox/mounts/layers.ts";
import type { ExecResult } from "../../../../src/ports/executor.ts";

const PLACE = "/home/somebody/app";

describe("a layer over a folder", () => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-layers-")));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const bwrap = findProgram("bwrap", { cwd: "/", path: process.env["PATH"] ?? "/usr/bin" }) ?? "bwrap";
  let n = 0;

  /** Runs a script in a fresh layer; `file` and `src/code` lie in what is shown, `sealed` is mounted read-only. */
  async function inLayer(script: string): Promise<{ result: ExecResult; folder: string }> {
    n += 1;
    const folder = at(`run-${n}`);
    for (const name of ["from/src", "from/test", "upper", "work"]) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ["file", "src/code", "test/sealed"]) writeFileSync(join(folder, "from", name), "before");
    const executor = confinedExecutor(
      createExecutor(),
      createBubblewrap({ program: bwrap, home: at("home"), layers: true, readOverlays: true }),
    );
    const from = join(folder, "from");
    const result = await executor.run({
      argv: ["/bin/sh", "-c", script],
      cwd: from,
      env: { PATH: "/usr/bin:/bin" },
      logFile: join(folder, "log"),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      marker: `layers-${n}`,
      confinement: {
        write: [],
        read: [],
        mounts: [{ from: join(from, "test/sealed"), at: `${PLACE}/test/sealed`, write: false }],
        sockets: [],
        layers: [{ from, at: PLACE, upper: join(folder, "upper"), work: join(folder, "work") }],
      },
    });
    return { result, folder };
  }

  test("can be laid on this machine", async () => {
    expect(await canLayLayers(bwrap)).toBe(true);
  });

  test("starts the program at the place where the folder is shown, without the mark of the engine", async () => {
    const { result } = await inLayer('pwd; cat file; echo; echo "[$LOOPDASH_FENCE]"');
    expect(result).toMatchObject({ ending: "exited", exitCode: 0, tail: `${PLACE}\nbefore\n[]\n` });
  });

  test("keeps what is shown as it was, and records what was written, also where it was put back", async () => {
    const { result, folder } = await inLayer("echo after >file; printf before >file; rm src/code; echo new >src/new");
    expect(result).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(folder, "from/file"), "utf8")).toBe("before");
    expect(existsSync(join(folder, "from/src/new"))).toBe(false);
    expect(existsSync(join(folder, "upper/file"))).toBe(true);
    expect(lstatSync(join(folder, "upper/src/code")).isCharacterDevice()).toBe(true);
  });

  test.each([
    ["writing", "echo after >test/sealed"],
    ["removing", "rm -f test/sealed"],
    ["replacing", "echo after >x && mv -f x test/sealed"],
    ["renaming the folder around it", "mv test other && mkdir test && echo after >test/sealed"],
    ["linking over it", "ln -sf /etc/passwd test/sealed"],
    ["mounting over it", "mount --bind file test/sealed || unshare -Um mount --bind file test/sealed"],
  ])("refuses %s of a file that is mounted read-only in it", async (_, script) => {
    const { result } = await inLayer(`(${script}) 2>/dev/null; cat test/sealed`);
    expect(result.tail).toBe("before");
  });

  test("leaves nothing behind that its owner may not remove", async () => {
    const { folder } = await inLayer("echo new >src/new");
    expect(statSync(join(folder, "work/work")).mode & 0o777).toBe(0o700);
  });

  test("leaves nothing mounted outside", async () => {
    const { folder } = await inLayer("true");
    expect(execFileSync("cat", ["/proc/self/mountinfo"], { encoding: "utf8" })).not.toContain(folder);
  });
});
