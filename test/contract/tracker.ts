import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasErrorCode } from "../../src/domain/values/error-text.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import { withPatchedFs } from "../helpers/patched-fs.ts";
import { filing } from "./tracker-filing.ts";
import { filesIn, type TrackerUnderTest } from "./tracker-kinds.ts";
import { looking } from "./tracker-looking.ts";

const A = TicketId.parse("T-1");
const B = TicketId.parse("T-2");
const C = TicketId.parse("T-3");
const IDS = [A, B, C];
const CHILD = fileURLToPath(new URL("./tracker-child.ts", import.meta.url));

/** What every tracker adapter must do, whatever it is made of. */
export function trackerContract(under: TrackerUnderTest): void {
  describe(`tracker contract: ${under.kind}`, () => {
    let folder = "";
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), "loopdash-tracker-")));
      await under.seed(folder, IDS);
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    readingAndSetting(under, () => folder);
    looking(under, () => folder);
    filing(under, () => folder);
    refusals(under, () => folder);
    mishaps(under, () => folder);
  });
}

function readingAndSetting(under: TrackerUnderTest, folder: () => string): void {
  test("a snapshot has the batch's tickets, in the batch's order, and no others", async () => {
    expect(await under.open(folder(), [C, A]).snapshot()).toMatchObject([
      { id: C, title: "Title of T-3", state: { as: "open" } },
      { id: A, title: "Title of T-1", state: { as: "open" } },
    ]);
  });

  test("what is set is read back, also by another reader, and touches no other ticket", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(A, { as: "done" }, "merged 0123abc");
    await tracker.set(B, { as: "human-gated", step: 'press "deploy" \\ then wait: # é 日本' }, "gated");
    for (const reader of [tracker, under.open(folder(), IDS)]) {
      expect((await reader.snapshot()).map((t) => t.state)).toEqual([
        { as: "done" },
        { as: "human-gated", step: 'press "deploy" \\ then wait: # é 日本' },
        { as: "open" },
      ]);
    }
    await tracker.set(A, { as: "open" }, "");
    await tracker.set(B, { as: "done" }, "");
    expect((await tracker.snapshot()).map((t) => t.state.as)).toEqual(["open", "done", "open"]);
  });

  test("setting what is already so writes nothing", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "first");
    const before = statSync(under.fileOf(folder(), B), { bigint: true });
    await tracker.set(B, { as: "human-gated", step: "press deploy" }, "second");
    const after = statSync(under.fileOf(folder(), B), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
    await tracker.set(B, { as: "human-gated", step: "press another" }, "third");
    expect((await tracker.snapshot())[1]?.state).toEqual({ as: "human-gated", step: "press another" });
  });

  test("many sets at once all land", async () => {
    const ids = Array.from({ length: 20 }, (_, n) => TicketId.parse(`M-${n}`));
    const place = join(folder(), "many");
    mkdirSync(place);
    await under.seed(place, ids);
    const tracker = under.open(place, ids);
    await Promise.all(ids.map((id) => tracker.set(id, { as: "done" }, "")));
    expect((await tracker.snapshot()).every((t) => t.state.as === "done")).toBe(true);
  });

  test("two trackers on the same place do not undo each other", async () => {
    const [one, two] = [under.open(folder(), IDS), under.open(folder(), IDS)];
    await Promise.all([one.set(A, { as: "done" }, ""), two.set(B, { as: "done" }, ""), one.set(C, { as: "done" }, "")]);
    expect((await one.snapshot()).map((t) => t.state.as)).toEqual(["done", "done", "done"]);
  });
}

function refusals(under: TrackerUnderTest, folder: () => string): void {
  test("a ticket that is not there fails the whole snapshot, and its set", async () => {
    const ghost = TicketId.parse("T-404");
    const tracker = under.open(folder(), [...IDS, ghost]);
    await expect(tracker.snapshot()).rejects.toThrow(/T-404/);
    await expect(tracker.set(ghost, { as: "done" }, "")).rejects.toThrow(/T-404/);
  });

  test("a ticket outside the batch is not set", async () => {
    const before = await filesIn(under.placeOf(folder()));
    await expect(under.open(folder(), [A]).set(B, { as: "done" }, "")).rejects.toThrow(/T-2/);
    expect(await filesIn(under.placeOf(folder()))).toEqual(before);
  });

  test.each(["", "   ", "two\nlines", "x".repeat(501), "half \ud800"])(
    "a human gate with the step %j is refused",
    async (step) => {
      const before = await filesIn(under.placeOf(folder()));
      await expect(under.open(folder(), IDS).set(A, { as: "human-gated", step }, "")).rejects.toThrow();
      expect(await filesIn(under.placeOf(folder()))).toEqual(before);
    },
  );

  test("a note cannot break out of its line", async () => {
    const tracker = under.open(folder(), IDS);
    await tracker.set(A, { as: "done" }, 'a"\nstate: open\r\n---\n\u0000\u009b{"state":"open"}');
    expect((await tracker.snapshot())[0]?.state).toEqual({ as: "done" });
  });

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

function mishaps(under: TrackerUnderTest, folder: () => string): void {
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

  test("killed at any instant: every ticket reads whole", async () => {
    for (const writes of [1, 2, 5, 9]) {
      const child = spawn(process.execPath, [CHILD, under.kind, folder(), "runs", ...IDS], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      let seen = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        seen += chunk.length;
        if (seen >= writes) child.kill("SIGKILL");
      });
      await once(child, "close");
      expect(seen).toBeGreaterThanOrEqual(writes);
      const states = (await under.open(folder(), IDS).snapshot()).map((t) => t.state.as);
      expect(states[0]).toMatch(/^(done|human-gated)$/);
    }
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
