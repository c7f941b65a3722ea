import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type FileRead, isUnchanged, readWhole } from "../../oracle/stable-file.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();
const file = () => join(folder(), "a.txt");
afterEach(() => {
  vi.restoreAllMocks();
});

/** Reads until the last write is long enough ago. */
async function settled(path: string): Promise<FileRead> {
  for (;;) {
    const read = readWhole(path, 100);
    if (!read.racy) return read;
    await pause(1);
  }
}

describe("a file that is read whole", () => {
  test("is its text, byte order mark and all, up to the bound", () => {
    writeFileSync(file(), "\ufeffäb");
    expect(readWhole(file(), 6)).toMatchObject({ path: file(), text: "\ufeffäb" });
    expect(() => readWhole(file(), 5)).toThrow(`${JSON.stringify(file())} is larger than 5 bytes`);
    writeFileSync(file(), "");
    expect(readWhole(file(), 0).text).toBe("");
  });

  test("is a file, and no link", () => {
    expect(() => readWhole(folder(), 100_000)).toThrow(`${JSON.stringify(folder())} is not a regular file`);
    writeFileSync(file(), "x");
    symlinkSync(file(), join(folder(), "link"));
    expect(() => readWhole(join(folder(), "link"), 100)).toThrow("ELOOP");
  });

  test("is UTF-8", () => {
    writeFileSync(file(), Buffer.from([0x61, 0xff]));
    expect(() => readWhole(file(), 100)).toThrow(
      expect.objectContaining({
        message: `${JSON.stringify(file())} is not UTF-8 text`,
        cause: expect.any(TypeError) as Error,
      }),
    );
  });

  test("that holds more than it says is not believed", () => {
    expect(statSync("/proc/version").size).toBe(0);
    expect(readWhole("/proc/version", 100)).toEqual({ path: "/proc/version", text: "", stamp: "", racy: true });
  });

  test("is closed again, also where it is refused", () => {
    const open = () => readdirSync("/proc/self/fd").length;
    writeFileSync(file(), "\ufeff");
    const before = open();
    for (let n = 0; n < 50; n++) readWhole(file(), 100);
    for (let n = 0; n < 50; n++) expect(() => readWhole(file(), 1)).toThrow();
    expect(open()).toBeLessThan(before + 20);
  });

  test.each([
    [0, true],
    [19, true],
    [-19, true],
    [20, false],
    [-20, false],
  ])("%i ms after it was written could be written again unseen: %s", (ms, racy) => {
    writeFileSync(file(), "x");
    const { ctimeMs } = statSync(file(), { bigint: true });
    vi.spyOn(Date, "now").mockReturnValue(Number(ctimeMs) + ms);
    expect(readWhole(file(), 100).racy).toBe(racy);
  });
});

describe("a large file", () => {
  const MIB = 1024 * 1024;
  // 20 ms, and one for each 16 KiB.
  test.each([
    [83, true],
    [-83, true],
    [84, false],
    [-84, false],
  ])("may be in the middle of a write for longer: %i ms after it began, %s", (ms, racy) => {
    writeFileSync(file(), "x".repeat(MIB));
    const { ctimeMs } = statSync(file(), { bigint: true });
    vi.spyOn(Date, "now").mockReturnValue(Number(ctimeMs) + ms);
    expect(readWhole(file(), MIB).racy).toBe(racy);
  });
});

describe("a file is unchanged", () => {
  test("as long as nobody writes to it, and not while one more write could be missed", async () => {
    writeFileSync(file(), "x");
    const read = await settled(file());
    expect(isUnchanged(read)).toBe(true);
    expect(isUnchanged({ ...read, racy: true })).toBe(false);
  });

  test.each<[string, () => void]>([
    ["written in place, in the same length", () => writeFileSync(file(), "y")],
    ["gone", () => rmSync(file())],
    ["another file", () => (writeFileSync(join(folder(), "b"), "x"), renameSync(join(folder(), "b"), file()))],
    ["a folder", () => (rmSync(file()), mkdirSync(file()))],
    ["linked once more", () => linkSync(file(), join(folder(), "b"))],
  ])("but not when it is %s", async (_what, change) => {
    writeFileSync(file(), "x");
    const read = await settled(file());
    change();
    expect(isUnchanged(read)).toBe(false);
  });
});
