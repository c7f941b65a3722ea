import fs, { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readSnapshot } from "../../oracle/read.ts";
import { readWhole } from "../../oracle/stable-file.ts";
import { scratchFolder } from "../helpers/scratch.ts";

const folder = scratchFolder();
const tickets = () => join(folder(), "tickets");
const put = (id: string, state: string) => writeFileSync(join(tickets(), `${id}.md`), `---\nstate: ${state}\n---\n`);
const states = async () =>
  Object.fromEntries((await readSnapshot({ kind: "folder", folder: tickets() })).map((t) => [t.id, t.state]));

const real = { openSync: fs.openSync, lstatSync: fs.lstatSync, readSync: fs.readSync };
beforeEach(() => mkdirSync(tickets()));
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(fs, real);
  syncBuiltinESMExports();
});

/** A clock on which a second goes by between any two looks: the reader soon gives up. */
function hurry(): void {
  let seconds = 0;
  vi.spyOn(performance, "now").mockImplementation(() => 1_000 * seconds++);
}

/** Runs `act` before the reader opens a path that ends like this, as if another process did it just then. */
function beforeOpening(ending: string, act: (time: number) => void): void {
  let time = 0;
  fs.openSync = (path, flags, mode) => {
    if (String(path).endsWith(ending)) act(time++);
    return real.openSync(path, flags, mode);
  };
  syncBuiltinESMExports();
}

describe("a snapshot is of one instant", () => {
  test("tickets that change places while they are read are read again", async () => {
    put("A", "done");
    put("Z", "open");
    beforeOpening("Z.md", (time) => {
      if (time > 0) return;
      put("A", "open");
      put("Z", "done");
    });
    expect(await states()).toEqual({ A: "open", Z: "done" });
  });

  test("one that changed is seen among others that did not", async () => {
    put("A", "done");
    put("Z", "open");
    const racy = () => ["A", "Z"].some((id) => readWhole(join(tickets(), `${id}.md`), 100).racy);
    while (racy()) await pause(1);
    beforeOpening("Z.md", (time) => {
      if (time === 0) put("A", "open");
    });
    expect(await states()).toEqual({ A: "open", Z: "open" });
  });

  test("a ticket that comes, goes or is renamed while they are read is seen", async () => {
    put("A", "done");
    put("Z", "done");
    beforeOpening("Z.md", (time) => {
      if (time < 4) put(`B-${time}`, "open");
      if (time === 4) rmSync(join(tickets(), "Z.md"));
    });
    expect(await states()).toEqual({ A: "done", "B-0": "open", "B-1": "open", "B-2": "open", "B-3": "open" });
    beforeOpening("B-3.md", (time) => {
      if (time === 0) renameSync(join(tickets(), "A.md"), join(tickets(), "C.md"));
    });
    expect(await states()).toMatchObject({ "B-0": "open", C: "done" });
  });

  test("one write more within the same tick of the clock is seen", async () => {
    put("A", "open");
    const frozen = fs.lstatSync(join(tickets(), "A.md"), { bigint: true });
    // A file system whose clock stands still: both writes carry the same times.
    const opened = fs.fstatSync;
    let reads = 0;
    const still = (fd: number) => Object.assign(opened(fd, { bigint: true }), times(frozen.ctimeNs, reads++));
    fs.fstatSync = ((fd: number) => still(fd)) as typeof fs.fstatSync;
    const lstatSync = (path: string) => {
      if (reads === 1) put("A", "done");
      return Object.assign(real.lstatSync(path, { bigint: true }), times(frozen.ctimeNs, 0));
    };
    Object.assign(fs, { lstatSync });
    syncBuiltinESMExports();
    try {
      expect(await states()).toEqual({ A: "done" });
      expect(reads).toBeGreaterThan(1);
    } finally {
      fs.fstatSync = opened;
    }
  });

  test("a file that grows while it is read is read no further than it said, and not believed", async () => {
    const file = join(folder(), "tracker.json");
    writeFileSync(file, '{"version":1,"tickets":[]}');
    let beyond = 0;
    hurry();
    const readSync = (fd: number, bytes: Uint8Array, offset: number, length: number) => {
      const { size } = fs.fstatSync(fd);
      appendFileSync(file, " ".repeat(1_000));
      const got = real.readSync(fd, bytes, offset, length, null);
      beyond = Math.max(beyond, offset + got - size);
      return got;
    };
    Object.assign(fs, { readSync });
    syncBuiltinESMExports();
    await expect(readSnapshot({ kind: "embedded", file })).rejects.toThrow("kept changing");
    expect(beyond).toBe(1);
  });
});

/** Times that are just now on the first reading and long ago on later ones, with one and the same stamp. */
function times(ctimeNs: bigint, read: number): object {
  return { mtimeNs: ctimeNs, ctimeNs, ctimeMs: read === 0 ? BigInt(Date.now()) : 0n };
}
