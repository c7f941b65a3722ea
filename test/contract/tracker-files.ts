import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TicketId } from "../../src/domain/values/ids.ts";
import { hasErrorCode } from "../../src/domain/values/text.ts";
import { withPatchedFs } from "../helpers/patched-fs.ts";
import { found } from "./tracker-filing.ts";
import { type FileTrackerUnderTest, filesIn } from "./tracker-kinds.ts";

const A = TicketId.parse("T-1");
const B = TicketId.parse("T-2");
const C = TicketId.parse("T-3");
const IDS = [A, B, C];
const CHILD = fileURLToPath(new URL("./tracker-child.ts", import.meta.url));

/** What every tracker adapter must do that writes files of its own. */
export function trackerFilesContract(under: FileTrackerUnderTest): void {
  describe(`tracker files contract: ${under.kind}`, () => {
    let folder = "";
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), "loopdash-tracker-")));
      await under.seed(folder, IDS);
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    seen(under, () => folder);
    refusals(under, () => folder);
    filed(under, () => folder);
    mishaps(under, () => folder);
  });
}

function seen(under: FileTrackerUnderTest, folder: () => string): void {
  test("setting what is already so leaves the file itself", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "first");
    const before = statSync(under.fileOf(folder(), B), { bigint: true });
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "second");
    const after = statSync(under.fileOf(folder(), B), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
  });

  test("a file of another time with the same content is the same ticket", async () => {
    const tracker = under.open(folder(), [A]);
    const before = (await tracker.read()).tickets.get(A);
    await utimes(under.fileOf(folder(), A), 1, 1);
    expect((await tracker.read()).tickets.get(A)).toEqual(before);
  });

  test("a watcher hears of a person's edit, and of none once it has ended", async () => {
    const tracker = under.open(folder(), [A]);
    const heard = Promise.withResolvers<void>();
    const end = tracker.watch(() => heard.resolve());
    const file = under.fileOf(folder(), A);
    writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
    await heard.promise;
    end();
  });
}

function refusals(under: FileTrackerUnderTest, folder: () => string): void {
  test("a file that is read-only is neither written nor replaced", async () => {
    const file = under.fileOf(folder(), A);
    chmodSync(file, 0o444);
    await expect(under.open(folder(), IDS).set(A, { as: "done" }, "")).rejects.toThrow(/read-only/);
    expect((await under.open(folder(), IDS).snapshot())[0]?.state).toEqual({ as: "open" });
  });

  test("a file deleted under way is an error, not a new file", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(A, { as: "done" }, "");
    rmSync(under.fileOf(folder(), A));
    await expect(tracker.set(A, { as: "open" }, "")).rejects.toThrow();
    await expect(tracker.snapshot()).rejects.toThrow();
    expect(await filesIn(under.placeOf(folder()))).not.toHaveProperty("T-1.md");
  });

  test.each([
    ["half a file", (text: string) => text.slice(0, text.length / 3)],
    ["another state word", (text: string) => text.replace(/open/g, "Done")],
    ["no UTF-8", () => Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe])],
  ])("%s is an error that names the file", async (_what, damage) => {
    const file = under.fileOf(folder(), A);
    const text = (await filesIn(under.placeOf(folder())))[file.slice(under.placeOf(folder()).length + 1)] ?? "";
    await writeFile(file, damage(text));
    const name = file.slice(file.lastIndexOf("/") + 1);
    await expect(under.open(folder(), IDS).snapshot()).rejects.toThrow(name);
    await expect(under.open(folder(), IDS).set(A, { as: "done" }, "")).rejects.toThrow(name);
  });
}

function filed(under: FileTrackerUnderTest, folder: () => string): void {
  const place = () => filesIn(under.placeOf(folder()));

  test("a tracker that cannot be read takes none", async () => {
    const file = under.fileOf(folder(), A);
    const text = readFileSync(file);
    writeFileSync(file, "---\n");
    const tracker = under.open(folder(), IDS);
    const before = await place();
    await expect(tracker.file(found)).rejects.toThrow();
    await expect(tracker.taken()).rejects.toThrow();
    expect(await place()).toEqual(before);
    writeFileSync(file, text);
    expect(await tracker.snapshot()).toHaveLength(3);
  });

  test("a write that does not stick is an error, and adds nothing to the snapshot", async () => {
    const tracker = under.open(folder(), IDS);
    const [made, other] = [found.id, A].map((id) => under.fileOf(folder(), id)) as [string, string];
    const text = readFileSync(other);
    const undo = () => (made === other ? writeFileSync(made, text) : rmSync(made));
    // The last thing of a write is that its temporary file goes.
    let removals = 0;
    const file = withPatchedFs(
      "rm",
      (real) => async (path, options) => {
        await real(path, options);
        removals += 1;
        if (removals === 2) undo();
      },
      () => tracker.file(found),
    );
    await expect(file).rejects.toThrow(/T-1-d1 was filed and did not read back so/);
    expect(await tracker.snapshot()).toHaveLength(3);
  });
}

function mishaps(under: FileTrackerUnderTest, folder: () => string): void {
  test("what a person writes between reading and renaming is kept", async () => {
    const file = under.fileOf(folder(), A);
    const tracker = under.open(folder(), IDS);
    let interfered = false;
    await withPatchedFs(
      "rm",
      (real) => async (path, options) => {
        if (!interfered) writeFileSync(file, readFileSync(file, "utf8").replace("Title of T-1", "A better title"));
        interfered = true;
        await real(path, options);
      },
      () => tracker.set(A, { as: "done" }, ""),
    );
    expect(interfered).toBe(true);
    expect((await tracker.snapshot())[0]).toMatchObject({ id: A, title: "A better title", state: { as: "done" } });
  });

  test("a write that does not stick is an error", async () => {
    const file = under.fileOf(folder(), A);
    const old = readFileSync(file);
    const tracker = under.open(folder(), IDS);
    const set = withPatchedFs(
      "rename",
      (real) => async (from, to) => {
        await real(from, to);
        writeFileSync(file, old);
      },
      () => tracker.set(A, { as: "done" }, ""),
    );
    await expect(set).rejects.toThrow(/T-1 was set to done and did not read back so/);
  });

  test("killed between writing and renaming: the old state stays, and the next write clears up", async () => {
    const child = spawn(process.execPath, [CHILD, under.kind, folder(), "dies-before-rename", ...IDS], { stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const place = under.placeOf(folder());
    expect(Object.keys(await filesIn(place)).filter((name) => name.includes("loopdash-tmp"))).toHaveLength(1);
    const tracker = under.open(folder(), IDS);
    expect((await tracker.snapshot()).map((t) => t.state.as)).toEqual(["open", "open", "open"]);
    await tracker.set(A, { as: "done" }, "");
    expect((await tracker.snapshot()).map((t) => t.state.as)).toEqual(["done", "open", "open"]);
    expect(Object.keys(await filesIn(place)).filter((name) => name.includes("loopdash-tmp"))).toEqual([]);
  });

  // Only root can mount a disk of a size for its own process: nobody else is asked.
  if (process.getuid?.() !== 0) return;
  test("a full disk leaves the old state and nothing beside it", async ({ skip }) => {
    const disk = join(folder(), "disk");
    mkdirSync(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", disk]);
    if (mounted.status !== 0) skip("no small disk can be mounted here: that takes the superuser");
    try {
      await under.seed(disk, IDS);
      fill(join(disk, "filler"));
      const before = await filesIn(under.placeOf(disk));
      const tracker = under.open(disk, IDS);
      await expect(tracker.set(A, { as: "done" }, "")).rejects.toThrow(/ENOSPC/);
      expect(await filesIn(under.placeOf(disk))).toEqual(before);
      rmSync(join(disk, "filler"));
      await tracker.set(A, { as: "done" }, "");
      expect((await tracker.snapshot())[0]?.state).toEqual({ as: "done" });
    } finally {
      expect(spawnSync("umount", [disk]).status).toBe(0);
    }
  });
}

/** Writes until the disk takes no more. */
function fill(file: string): void {
  writeFileSync(file, "");
  const fd = openSync(file, "a");
  try {
    for (;;) writeSync(fd, Buffer.alloc(512));
  } catch (cause) {
    if (!hasErrorCode(cause, "ENOSPC")) throw cause;
  } finally {
    closeSync(fd);
  }
}
