import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDatabase } from "../../../src/adapters/journal/schema.ts";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { type Fence, RunId } from "../../../src/domain/values/ids.ts";
import { UserError } from "../../../src/domain/values/user-error.ts";
import { JournalBroken, type RunStore } from "../../../src/ports/run-store.ts";
import { RUN, runRow, stalled, tempFolder } from "./facts.ts";

function fresh(): { file: string; store: RunStore } {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  return { file, store };
}

/** The UserError that `act` throws. */
function refusalOf(act: () => unknown): UserError {
  try {
    act();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function fileIn(folder: string): string {
  const file = join(folder, "x");
  writeFileSync(file, "");
  return file;
}

const OTHER = RunId.parse("other");

describe("runs", () => {
  test("are listed newest first, with how they ended", () => {
    const { store } = fresh();
    store.create(runRow({ startedAt: 1 }));
    store.create(runRow({ run: OTHER, startedAt: 2 }));
    store.end(RUN, { at: 9, verdict: "not-done", exitCode: 1, reason: "nothing left to run" });
    expect(store.list()).toEqual([
      runRow({ run: OTHER, startedAt: 2 }),
      { ...runRow({ startedAt: 1 }), endedAt: 9, verdict: "not-done", exitCode: 1, reason: "nothing left to run" },
    ]);
  });

  test("the unfinished one is the newest of its batch without an end", () => {
    const { store } = fresh();
    const names = ["a", "b", "c"].map((name) => RunId.parse(name));
    for (const [i, run] of names.entries()) store.create(runRow({ run, startedAt: i }));
    store.create(runRow({ run: OTHER, startedAt: 10, batchPath: "/elsewhere" }));
    expect(store.unfinished("/b/batch.json")?.run).toBe("c");
    store.end(RunId.parse("c"), { at: 9, verdict: "done", exitCode: 0, reason: "" });
    expect(store.unfinished("/b/batch.json")?.run).toBe("b");
    expect(store.unfinished("/nowhere")).toBeUndefined();
  });

  test("that are not on record cannot be opened or ended", () => {
    const { store } = fresh();
    expect(refusalOf(() => store.open(RUN)).message).toContain("no such run");
    expect(refusalOf(() => store.openForReading(RUN)).message).toContain("no such run");
    expect(() => store.end(RUN, { at: 9, verdict: "done", exitCode: 0, reason: "" })).toThrow("not on record");
  });

  test("cannot be made twice", () => {
    const { store } = fresh();
    store.create(runRow()).append(stalled("a"));
    expect(() => store.create(runRow())).toThrow("UNIQUE");
    expect([...store.openForReading(RUN).read()]).toHaveLength(1);
  });
});

describe("numbers", () => {
  test("durations come from the newest run of the batch that has them", () => {
    const { store } = fresh();
    store.create(runRow({ startedAt: 2 }));
    store.create(runRow({ run: OTHER, startedAt: 1 }));
    store.recordDuration(RUN, "T-1", 100.4);
    store.recordDuration(RUN, "T-1", 110);
    store.recordDuration(OTHER, "T-1", 500);
    store.recordDuration(OTHER, "constructor", 7);
    expect(store.durations("/b/batch.json")).toEqual({ "T-1": 110, constructor: 7 });
    expect(store.durations("/nowhere")).toEqual({});
  });

  test("costs add up since a time, without one run", () => {
    const { store } = fresh();
    store.create(runRow());
    store.create(runRow({ run: OTHER }));
    const take = (run: RunId, fence: number, at: number, usd: number) =>
      store.reserveCost({ run, fence: fence as Fence, at, usd, since: 0, capUsd: 100 });
    expect([take(RUN, 1, 10, 1.5), take(RUN, 2, 20, 1.5), take(OTHER, 1, 30, 4)]).toEqual([true, true, true]);
    expect(store.spentSince(0)).toBe(7);
    expect(store.spentSince(20)).toBe(5.5);
    expect(store.spentSince(0, OTHER)).toBe(3);
    expect(store.spentSince(31)).toBe(0);
  });

  test("a cost that is no amount is not taken", () => {
    const { store } = fresh();
    store.create(runRow());
    const take = (run: RunId, usd: number) => store.reserveCost({ run, fence: 1 as Fence, at: 10, usd, since: 0, capUsd: 100 });
    expect(() => take(RUN, -1)).toThrow("constraint");
    // A number that is none is below nothing.
    expect(take(RUN, Number.NaN)).toBe(false);
    expect(() => take(OTHER, 1)).toThrow("FOREIGN KEY");
    expect(store.spentSince(0)).toBe(0);
  });

  test("of two engines that want the last dollars of the day one gets them; what it did cost frees the rest", () => {
    const { store, file } = fresh();
    store.create(runRow());
    const second = openRunStore(file);
    second.create(runRow({ run: OTHER }));
    const want = (runStore: RunStore, run: RunId, fence: number, usd: number, since = 0) =>
      runStore.reserveCost({ run, fence: fence as Fence, at: 10, usd, since, capUsd: 3 });
    expect(want(store, RUN, 1, 2)).toBe(true);
    expect(want(second, OTHER, 1, 2)).toBe(false);
    // Asked again for the same attempt it is not counted twice.
    expect(want(store, RUN, 1, 2)).toBe(true);
    store.settleCost(RUN, 1 as Fence, 0.5);
    expect(want(second, OTHER, 1, 2)).toBe(true);
    expect(store.spentSince(0)).toBe(2.5);
    // Yesterday's money is yesterday's.
    expect(want(store, RUN, 2, 3)).toBe(false);
    expect(want(store, RUN, 2, 3, 11)).toBe(true);
    second.close();
  });
});

describe("the file", () => {
  test("is this user's alone, as is a folder that was made for it", () => {
    const folder = join(tempFolder(), "new");
    const store = openRunStore(join(folder, "loopdash.db"));
    onTestFinished(() => store.close());
    store.create(runRow()).append(stalled("a"));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name).sort()).toEqual(["loopdash.db", "loopdash.db-shm", "loopdash.db-wal", "spare-room"]);
    for (const { name, parentPath } of entries) {
      const wanted = files.some((file) => file.name === name) ? 0o600 : 0o700;
      expect(statSync(join(parentPath, name)).mode & 0o777, name).toBe(wanted);
    }
  });

  test("that others could read is closed to them", () => {
    const { file, store } = fresh();
    chmodSync(file, 0o644);
    store.close();
    openRunStore(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("survives power loss from each commit on", () => {
    const db = openDatabase(join(tempFolder(), "loopdash.db"));
    onTestFinished(() => db.close());
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    expect(pragma("busy_timeout")).toBe(5_000);
  });

  test("of a newer loopdash is refused and left as it is", () => {
    const { file, store } = fresh();
    store.close();
    const db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
    db.close();
    const refusal = refusalOf(() => openRunStore(file));
    expect(refusal).toMatchObject({ exitCode: 4, todo: expect.stringContaining("Update loopdash") });
    expect(refusal.why).toContain("a newer loopdash");
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("of another program is refused and left as it is", () => {
    const file = join(tempFolder(), "loopdash.db");
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE theirs (a)");
    db.close();
    expect(refusalOf(() => openRunStore(file))).toMatchObject({ exitCode: 4, why: "the file is another program's database" });
  });

  test.for([
    ["no database", (file: string) => writeFileSync(file, "something else ".repeat(500))],
    ["cut off", (file: string) => truncateSync(file, 8_192)],
    ["a header and nothing", (file: string) => truncateSync(file, 100)],
  ] as const)("that is %s is refused", ([, spoil]) => {
    const { file, store } = fresh();
    store.create(runRow());
    store.close();
    spoil(file);
    expect(refusalOf(() => openRunStore(file))).toMatchObject({ exitCode: 4, why: "it is damaged, or not a database" });
  });

  test("that lost its tables is refused", () => {
    const { file, store } = fresh();
    store.close();
    const db = new DatabaseSync(file);
    db.exec("DROP TABLE journal");
    db.close();
    expect(refusalOf(() => openRunStore(file))).toMatchObject({ exitCode: 4, why: "it is damaged, or not a database" });
  });

  test.for([
    ["a folder in its place", (folder: string) => folder],
    ["a file for a folder", (folder: string) => join(fileIn(folder), "loopdash.db")],
    ["a place where nothing can be made", () => "/proc/loopdash/loopdash.db"],
  ] as const)("with %s is refused", ([, place]) => {
    expect(refusalOf(() => openRunStore(place(tempFolder())))).toMatchObject({ exitCode: 4 });
  });

  test("a page damaged inside a journal is found when it is read", () => {
    const { file, store } = fresh();
    const journal = store.create(runRow());
    for (let i = 0; i < 200; i++) journal.append(stalled(`${i}`.repeat(100)));
    store.close();
    const fd = openSync(file, "r+");
    writeSync(fd, Buffer.alloc(4_096, 7), 0, 4_096, statSync(file).size - 4_096);
    closeSync(fd);
    const damaged = openRunStore(file);
    onTestFinished(() => damaged.close());
    expect(() => [...damaged.openForReading(RUN).read()]).toThrow(JournalBroken);
  });

  test("can be made and used by several engines at once", async () => {
    const file = join(tempFolder(), "loopdash.db");
    const first = new DatabaseSync(file);
    onTestFinished(() => void (first.isOpen && first.close()));
    first.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    const runs = ["a", "b"].map((name) => RunId.parse(name));
    const argv = (run: RunId) => [join(import.meta.dirname, "opener.child.ts"), file, run];
    const children = runs.map((run) => spawn(process.execPath, argv(run), { stdio: "inherit" }));
    onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
    const ended = Promise.all(children.map((child) => once(child, "exit")));
    // All have found an empty file, and wait for the first of them that may fill it.
    await vi.waitFor(() => children.forEach((child) => void expect(openFiles(child.pid)).toContain(`${file}-wal`)), {
      timeout: 20_000,
      interval: 20,
    });
    first.exec("ROLLBACK");
    first.close();
    expect(await ended).toEqual(runs.map(() => [0, null]));
    const store = openRunStore(file);
    onTestFinished(() => store.close());
    for (const run of runs) expect([...store.openForReading(run).read()]).toHaveLength(50);
  });
});

function openFiles(pid: number | undefined): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => readlink(`/proc/${pid}/fd/${fd}`));
}

function readlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    // It was closed since it was listed.
    return String(error);
  }
}
