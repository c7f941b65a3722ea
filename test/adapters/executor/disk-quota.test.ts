import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, type PathLike, readdirSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import type fsp from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { quotaExecutor } from "../../../src/adapters/executor/disk-quota.ts";
import { diskUse } from "../../../src/adapters/executor/disk-use.ts";
import { createExecutor } from "../../../src/adapters/executor/process-executor.ts";
import type { ExecResult } from "../../../src/ports/executor.ts";
import { withPatchedFs } from "../../helpers/patched-fs.ts";

let root = "";
let outbox = "";
let worktree = "";

function makeFolders(): void {
  outbox = join(root, "outbox");
  worktree = join(root, "worktree");
  for (const folder of [outbox, worktree]) mkdirSync(folder);
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "loopdash-quota-")));
  makeFolders();
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const MIB = 2 ** 20;
const executorOf = (bytes: number) => quotaExecutor(createExecutor(), { roots: [root], bytes, everyMs: 20 });

let runs = 0;

function run(executor: ReturnType<typeof executorOf>, script: string, cwd = worktree, box = outbox) {
  runs += 1;
  return executor.run({
    argv: ["/bin/sh", "-c", script],
    cwd,
    env: { PATH: "/usr/bin:/bin", LOOPDASH_OUTBOX: box },
    logFile: join(root, `${runs}.log`),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    marker: `quota-${process.pid}-${runs}`,
  });
}

describe("a program that writes more than it may", () => {
  test("is killed for the bytes of its outbox, which is empty afterwards", async () => {
    const script = 'trap "" TERM; head -c 80000000 /dev/zero > "$LOOPDASH_OUTBOX/big"; while :; do sleep 0.1; done';
    expect(await run(executorOf(1024 * MIB), script)).toMatchObject({
      ending: "over-quota",
      message: "it filled its outbox, which holds more than 64 MiB",
    });
    expect(readdirSync(outbox)).toEqual([]);
  });

  test("is told of although it ended by itself before anybody looked", async () => {
    const script = 'i=0; mkdir "$LOOPDASH_OUTBOX/d"; cd "$LOOPDASH_OUTBOX/d"; seq 2100 | xargs touch';
    expect(await run(executorOf(1024 * MIB), script)).toMatchObject({
      ending: "over-quota",
      message: "it filled its outbox, which holds more than 2000 files and folders",
    });
  });

  test("is killed for what is in its worktree", async () => {
    const script = "for i in 1 2 3; do head -c 8000000 /dev/zero > $i; done; while :; do sleep 0.1; done";
    expect(await run(executorOf(16 * MIB), script)).toMatchObject({
      ending: "over-quota",
      message: "its worktree holds more than 16 MiB (limits.diskGiB)",
    });
  });
});

test("what a program may do is left alone: holes in files, links to elsewhere, a pipe, a few files", async () => {
  const script = `truncate -s 9T sparse; ln -s / "$LOOPDASH_OUTBOX/link"; mkfifo "$LOOPDASH_OUTBOX/pipe"; echo note > "$LOOPDASH_OUTBOX/notes.md"; sleep 0.2`;
  expect(await run(executorOf(64 * MIB), script)).toMatchObject({ ending: "exited", exitCode: 0 });
  expect(readdirSync(outbox).toSorted()).toEqual(["link", "notes.md", "pipe"]);
});

test("on a small disk, who filled it is killed, and who works beside it is not", async (context) => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m,mode=700", "tmpfs", root], { stdio: "pipe" });
  } catch {
    context.skip("needs the right to mount a small file system");
  }
  try {
    makeFolders();
    const other = join(root, "other");
    mkdirSync(other);
    const executor = executorOf(1024 * MIB);
    const honest = run(executor, "head -c 3000000 /dev/zero > big; until [ -e go ]; do sleep 0.05; done", other);
    const greedy = run(executor, "trap '' TERM; cat /dev/zero > big; while :; do sleep 0.1; done");
    expect(await greedy).toMatchObject({
      ending: "over-quota",
      message: expect.stringMatching(/^it filled the disk: its folders hold/),
    });
    rmSync(worktree, { recursive: true });
    writeFileSync(join(other, "go"), "");
    expect(await honest).toMatchObject({ ending: "exited", exitCode: 0 });
  } finally {
    execFileSync("umount", ["-l", root]);
  }
});

test("who filled the disk and ended by itself is told of although others are being counted at this moment", async () => {
  const other = join(root, "other");
  mkdirSync(join(other, "outbox"), { recursive: true });
  writeFileSync(join(other, "counted"), "");
  const [counting, greedyLooks, honestEnds] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  let full = false;
  let greedyIsGone = false;
  const exited = { ending: "exited", exitCode: 1, signal: null, tail: "" } as unknown as ExecResult;
  const executor = quotaExecutor(
    {
      killStrays: () => Promise.resolve(0),
      run: async ({ cwd }) => {
        if (cwd === other) return await honestEnds.promise.then(() => exited);
        writeFileSync(join(outbox, "big"), Buffer.alloc(20 * MIB, 1));
        full = true;
        await counting.promise;
        greedyIsGone = true;
        return exited;
      },
    },
    { roots: [root], bytes: 1024 * MIB, everyMs: 20 },
  );
  const disk = { bsize: 4_096, blocks: 8_000, ffree: 1_000 };
  const smallDisk = (async () => {
    // The look of the program that is gone; what it learns is known to it before the count of the others goes on.
    if (greedyIsGone) setImmediate(() => setImmediate(greedyLooks.resolve));
    return { ...disk, bavail: full ? 0 : 8_000 };
  }) as unknown as typeof fsp.statfs;
  const slowCount = (real: typeof fsp.lstat) =>
    (async (path: PathLike) => {
      if (String(path) === join(other, "counted")) {
        counting.resolve();
        await greedyLooks.promise;
      }
      return await real(path);
    }) as unknown as typeof fsp.lstat;
  await withPatchedFs(
    "statfs",
    () => smallDisk,
    () =>
      withPatchedFs("lstat", slowCount, async () => {
        const honest = run(executor, "", other, join(other, "outbox"));
        expect(await run(executor, "")).toMatchObject({
          ending: "over-quota",
          message: expect.stringMatching(/^it filled the disk: its folders hold 20 MiB/),
        });
        full = false;
        expect(readdirSync(outbox)).toEqual([]);
        honestEnds.resolve();
        expect(await honest).toEqual(exited);
      }),
  );
});

describe("diskUse", () => {
  test("counts what is allocated, and ends at its bounds", async () => {
    for (let i = 0; i < 100; i += 1) writeFileSync(join(worktree, `f${i}`), "x");
    writeFileSync(join(worktree, "sparse"), "");
    truncateSync(join(worktree, "sparse"), 2 ** 40);
    expect(await diskUse(worktree, { bytes: 64 * MIB, entries: 200 })).toMatchObject({ entries: 101, hidden: false });
    expect((await diskUse(worktree, { bytes: 64 * MIB, entries: 50 })).over).toBe("more than 50 files and folders");
    expect(await diskUse(join(root, "absent"), { bytes: 1, entries: 1 })).toEqual({ bytes: 0, entries: 0, hidden: false });
  });

  test("ends at folders that are nested beyond the length of a path", async () => {
    const nest = 'for (let i = 0; i < 25; i++) { fs.mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)); }';
    execFileSync(process.execPath, ["-e", nest], { cwd: worktree });
    expect((await diskUse(worktree, { bytes: 64 * MIB, entries: 200 })).over).toMatch(/beyond the length of a path/);
    execFileSync("rm", ["-rf", worktree]);
  });
});
