import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { linkAfter, origin } from "../../../src/adapters/journal/chain.ts";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import type { RunEvent, RunFact } from "../../../src/domain/run/event.ts";
import { type Journal, JournalBroken } from "../../../src/ports/run-store.ts";
import { ANNOUNCING, activity, RUN, runRow, stalled, tempFolder, WAITING } from "./facts.ts";

function fresh(): { file: string; journal: Journal; close: () => void } {
  const file = join(tempFolder(), "loopdash.db");
  let now = 1_000;
  const store = openRunStore(file, { now: () => now++ });
  onTestFinished(() => store.close());
  return { file, journal: store.create(runRow()), close: () => store.close() };
}

/** What somebody else finds in the file now. */
function onDisk(file: string): RunEvent[] {
  const store = openRunStore(file);
  try {
    return [...store.openForReading(RUN).read()];
  } finally {
    store.close();
  }
}

function edit(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

describe("append", () => {
  test("numbers events from 1 and takes the time from the clock", () => {
    const { file, journal } = fresh();
    const events = [journal.append(stalled("a")), journal.append(activity("b")), journal.append(stalled("c"))];
    expect(events.map((event) => [event.seq, event.at, event.type])).toEqual([
      [1, 1_000, "ticket-stalled"],
      [2, 1_001, "activity"],
      [3, 1_002, "ticket-stalled"],
    ]);
    expect(onDisk(file)).toEqual(events);
  });

  test("has a state fact in the file on return, with the activity before it", () => {
    const { file, journal } = fresh();
    journal.append(activity("a"));
    expect(onDisk(file)).toEqual([]);
    journal.append(stalled("b"));
    expect(onDisk(file).map((event) => event.seq)).toEqual([1, 2]);
  });

  test("returns what a reader of the file gets, odd text and numbers too", () => {
    const { file, journal } = fresh();
    const odd = Object.assign(stalled("x"), { extra: undefined, cost: Number.NaN });
    const returned = [journal.append(stalled("nul \u0000, half a pair \ud83d, newline \n, é, 🙂, |")), journal.append(odd)];
    expect(onDisk(file)).toStrictEqual(returned);
  });

  test("writes activity within a quarter of a second", async () => {
    const { file, journal } = fresh();
    const began = performance.now();
    journal.append(activity("a"));
    await vi.waitFor(() => expect(onDisk(file)).toHaveLength(1), { timeout: 5_000, interval: 10 });
    expect(performance.now() - began).toBeGreaterThan(200);
  });

  test.each(ANNOUNCING)("has $type in the file on return, after all that waited and in its order", (fact) => {
    const { file, journal } = fresh();
    const waited = WAITING.map((each) => journal.append(each));
    expect(onDisk(file)).toEqual([]);
    const announced = journal.append(fact);
    const late = journal.append(WAITING[1] as RunFact);
    expect(onDisk(file)).toEqual([...waited, announced]);
    expect([...journal.read()]).toEqual([...waited, announced, late]);
    expect([...journal.read()].map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test.each(WAITING)("writes $type within a quarter of a second, however often it is followed", (fact) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { file, journal } = fresh();
    journal.append(fact);
    vi.advanceTimersByTime(200);
    const last = journal.append(activity("more"));
    vi.advanceTimersByTime(49);
    expect(onDisk(file)).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(onDisk(file).map((event) => event.seq)).toEqual([1, last.seq]);
    // What comes after an announcing fact has a quarter of a second of its own.
    journal.append(fact);
    vi.advanceTimersByTime(100);
    journal.append(stalled("at once"));
    journal.append(fact);
    vi.advanceTimersByTime(249);
    expect(onDisk(file)).toHaveLength(4);
    vi.advanceTimersByTime(1);
    expect(onDisk(file)).toHaveLength(5);
  });

  test("writes activity once 200 rows of it wait", () => {
    const { file, journal } = fresh();
    for (let i = 0; i < 199; i++) journal.append(activity(`${i}`));
    expect(onDisk(file)).toHaveLength(0);
    journal.append(activity("199"));
    expect(onDisk(file)).toHaveLength(200);
  });

  test.for([
    ["flush", (returnType: ReturnType<typeof fresh>) => returnType.journal.flush()],
    ["close", (returnType: ReturnType<typeof fresh>) => returnType.journal.close()],
    ["the store's close", (returnType: ReturnType<typeof fresh>) => returnType.close()],
  ] as const)("%s writes what waits", ([, act]) => {
    const opened = fresh();
    opened.journal.append(activity("a"));
    act(opened);
    expect(onDisk(opened.file)).toHaveLength(1);
  });

  test("refuses after close, and on a journal for reading", () => {
    const { file, journal } = fresh();
    journal.close();
    expect(() => journal.append(stalled("a"))).toThrow("is closed");
    const reader = openRunStore(file);
    onTestFinished(() => reader.close());
    expect(() => reader.openForReading(RUN).append(stalled("a"))).toThrow("for reading only");
    expect(onDisk(file)).toEqual([]);
  });

  test("goes on where an earlier engine stopped", () => {
    const { file, journal, close } = fresh();
    journal.append(stalled("a"));
    journal.append(activity("b"));
    close();
    const store = openRunStore(file, { now: () => 5_000 });
    onTestFinished(() => store.close());
    const event = store.open(RUN).append(stalled("c"));
    expect(event.seq).toBe(3);
    expect(onDisk(file)).toHaveLength(3);
  });
});

describe("read", () => {
  test("gives the writer its waiting activity too", () => {
    const { journal } = fresh();
    journal.append(activity("a"));
    expect([...journal.read()]).toHaveLength(1);
  });

  test("keeps runs apart in one file", () => {
    const { file, journal } = fresh();
    const store = openRunStore(file);
    onTestFinished(() => store.close());
    const other = store.create(runRow({ run: "other" as typeof RUN }));
    for (let i = 0; i < 3; i++) {
      journal.append(stalled(`mine ${i}`));
      other.append(stalled(`other ${i}`));
    }
    expect([...other.read()].map((event) => event.seq)).toEqual([1, 2, 3]);
    expect(onDisk(file)).toHaveLength(3);
  });

  test("reads page by page past 500 rows, up to where it began", () => {
    const { journal } = fresh();
    for (let i = 0; i < 1_203; i++) journal.append(activity(`${i}`));
    const seen: number[] = [];
    for (const event of journal.read()) {
      if (event.seq === 600) journal.append(stalled("later"));
      seen.push(event.seq);
    }
    expect(seen).toEqual(Array.from({ length: 1_203 }, (_, i) => i + 1));
    expect([...journal.read()]).toHaveLength(1_204);
  });

  const AT_3 = `WHERE run = '${RUN}' AND seq = 3`;
  test.for([
    ["changed data", `UPDATE journal SET data = replace(data, 'fact 3', 'fact X') ${AT_3}`, "row 3: it was changed"],
    ["a changed time", `UPDATE journal SET at = at + 1 ${AT_3}`, "row 3: it was changed"],
    ["a changed hash", `UPDATE journal SET hash = prev ${AT_3}`, "row 3: it was changed"],
    ["a changed link", `UPDATE journal SET prev = hash ${AT_3}`, "row 3: it does not follow"],
    ["a changed type", `UPDATE journal SET type = 'run-ended' ${AT_3}`, "row 3: its columns contradict"],
    ["a changed ticket", `UPDATE journal SET ticket = NULL ${AT_3}`, "row 3: its columns contradict"],
    ["a missing row", `DELETE FROM journal ${AT_3}`, "row 3: it is missing"],
    ["a missing first row", "DELETE FROM journal WHERE seq = 1", "row 1: it is missing"],
    ["a lost tail", "DELETE FROM journal WHERE seq > 3", "row 5: it was written last, but row 3 is"],
    ["a lost journal", "DELETE FROM journal", "row 5: it was written last, but row 0 is"],
    [
      "a row too many",
      `INSERT INTO journal SELECT run, 6, at, type, ticket, data, hash, prev FROM journal WHERE seq = 5`,
      "row 5",
    ],
    ["a number out of range", `UPDATE journal SET at = 9007199254740993 ${AT_3}`, "out of range"],
    [
      "two rows changed for each other",
      `UPDATE journal SET seq = 99 ${AT_3}; UPDATE journal SET seq = 3 WHERE seq = 4; UPDATE journal SET seq = 4 WHERE seq = 99`,
      "row 3: it does not follow",
    ],
  ] as const)("finds %s", ([, sql, message]) => {
    const { file, journal, close } = fresh();
    for (let i = 1; i <= 5; i++) journal.append(stalled(`fact ${i}`));
    close();
    edit(file, sql);
    expect(() => onDisk(file)).toThrow(JournalBroken);
    expect(() => onDisk(file)).toThrow(message);
  });

  test("finds a last row that was replaced by one that fits", () => {
    const { file, journal, close } = fresh();
    const [first] = [journal.append(stalled("a")), journal.append(stalled("b"))];
    close();
    const fact = stalled("forged");
    const tip = linkAfter(origin(RUN), RUN, { at: first.at, fact, data: JSON.stringify(stalled("a")) });
    const forged = linkAfter(tip, RUN, { at: 7, fact, data: JSON.stringify(fact) });
    edit(file, `UPDATE journal SET at = 7, data = '${forged.data}', hash = '${forged.hash}' WHERE seq = 2`);
    expect(() => onDisk(file)).toThrow("row 2: it is not the one that was written last");
  });

  test("finds a journal that was put under another run's name", () => {
    const { file, journal, close } = fresh();
    journal.append(stalled("a"));
    close();
    edit(file, `PRAGMA foreign_keys = OFF; UPDATE runs SET run = 'b'; UPDATE journal SET run = 'b'`);
    const store = openRunStore(file);
    onTestFinished(() => store.close());
    expect(() => [...store.openForReading("b" as typeof RUN).read()]).toThrow("row 1: it does not follow");
  });

  test("does not open a journal for writing whose tail is lost", () => {
    const { file, journal, close } = fresh();
    for (let i = 1; i <= 5; i++) journal.append(stalled(`fact ${i}`));
    close();
    edit(file, "DELETE FROM journal WHERE seq > 3");
    const store = openRunStore(file);
    onTestFinished(() => store.close());
    expect(() => store.open(RUN)).toThrow(JournalBroken);
  });
});
