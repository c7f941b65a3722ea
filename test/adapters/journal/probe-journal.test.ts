import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { canPass } from "../../../src/adapters/disk-error.ts";
import { probeJournal } from "../../../src/adapters/journal/probe-journal.ts";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { JournalBroken } from "../../../src/ports/run-store.ts";
import { RUN, runRow, stalled, tempFolder } from "./facts.ts";

/** Records of one run with one event, and no writer. */
function records(): string {
  const file = join(tempFolder(), "loopdash.db");
  mkdirSync(join(file, "..", "runs", RUN), { recursive: true });
  const store = openRunStore(file);
  store.create(runRow()).append(stalled("1"));
  store.close();
  return file;
}

const thrown = (act: () => void): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

test("a journal that can be written passes, and nothing is changed or left", () => {
  const file = records();
  probeJournal(file, RUN);
  const store = openRunStore(file);
  expect([...store.openForReading(RUN).read()]).toHaveLength(1);
  store.close();
  expect(existsSync(join(file, "..", "runs", RUN, "spare-room"))).toBe(false);
});

test("records that another process keeps locked do not pass, and that can be over by itself", () => {
  const file = records();
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const error = thrown(() => probeJournal(file, RUN));
  other.close();
  expect(String(error)).toContain("another process keeps it locked");
  expect(canPass(error)).toBe(true);
  probeJournal(file, RUN);
});

test("a state folder that is gone does not pass, and nobody waits for it", () => {
  const file = records();
  const runs = join(file, "..", "runs");
  const error = thrown(() => probeJournal(join(runs, "elsewhere", "loopdash.db"), RUN));
  expect([error instanceof Error, canPass(error)]).toEqual([true, false]);
});

test.each<[string, unknown, boolean]>([
  ["a full disk", Object.assign(new Error("x"), { code: "ENOSPC", syscall: "write" }), true],
  ["a quota", Object.assign(new Error("x"), { code: "EDQUOT", syscall: "write" }), true],
  ["an error of the device", Object.assign(new Error("x"), { code: "EIO", syscall: "fsync" }), true],
  ["a failed fsync of SQLite", Object.assign(new Error("x"), { errcode: 10 | (4 << 8) }), true],
  ["one inside another", new Error("cannot write", { cause: Object.assign(new Error("x"), { errcode: 13 }) }), true],
  ["a damaged file", Object.assign(new Error("x"), { errcode: 11 }), false],
  ["a read-only database", Object.assign(new Error("x"), { errcode: 8 }), false],
  ["a missing right", Object.assign(new Error("x"), { code: "EACCES", syscall: "open" }), false],
  ["a broken journal", new JournalBroken("row 3 is missing"), false],
  ["a defect", new TypeError("x is undefined"), false],
  ["what is no error", "ENOSPC", false],
])("%s: can it pass by itself?", (_, error, can) => {
  expect(canPass(error)).toBe(can);
});
