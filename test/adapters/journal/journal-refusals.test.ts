import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { JournalTable } from "../../../src/adapters/journal/journal-table.ts";
import { openDatabase } from "../../../src/adapters/journal/schema.ts";
import { SqliteJournal } from "../../../src/adapters/journal/sqlite-journal.ts";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { ANNOUNCING, activity, RUN, runRow, stalled, tempFolder, WAITING } from "./facts.ts";

const CHILDREN = import.meta.dirname;

/** A journal whose connection the test can spoil. */
function spoilable(): { db: DatabaseSync; journal: SqliteJournal; full: () => void; roomy: () => void; stored: () => number } {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  store.create(runRow());
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  const pages = (n: number) => db.exec(`PRAGMA max_page_count = ${n}`);
  return {
    db,
    journal: new SqliteJournal({ run: RUN, table: new JournalTable(db), now: () => 7 }),
    full: () => pages(1),
    roomy: () => pages(100_000),
    stored: () => [...store.openForReading(RUN).read()].length,
  };
}

const BIG = "z".repeat(10_000);

test("a state fact that the disk refuses leaves nothing behind, and what waited keeps its place", () => {
  const { journal, full, roomy, stored } = spoilable();
  journal.append(stalled("1"));
  expect(journal.append(activity("2")).seq).toBe(2);
  full();
  expect(() => journal.append(stalled(BIG))).toThrow(/cannot write the journal of run .*: the disk is full/);
  expect(() => journal.append(stalled(BIG))).toThrow("the disk is full");
  expect(stored()).toBe(1);
  roomy();
  expect(journal.append(stalled("3")).seq).toBe(3);
  const texts = [...journal.read()].map((event) => ("text" in event ? event.text : "reason" in event ? event.reason : ""));
  expect(texts).toEqual(["1", "2", "3"]);
});

test("a flush that the disk refuses keeps what waits", () => {
  const { journal, full, roomy, stored } = spoilable();
  for (let i = 0; i < 50; i++) journal.append(activity(BIG));
  full();
  expect(() => journal.flush()).toThrow("the disk is full");
  expect(stored()).toBe(0);
  roomy();
  journal.flush();
  expect(stored()).toBe(50);
});

test("after the timer was refused the next append says so, even of activity", () => {
  const { journal, full, roomy, stored } = spoilable();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  full();
  journal.append(activity(BIG));
  vi.advanceTimersByTime(250);
  expect(() => journal.append(activity(BIG))).toThrow("the disk is full");
  expect(() => journal.append(activity(BIG))).toThrow("the disk is full");
  roomy();
  expect(journal.append(activity("room again")).seq).toBe(2);
  expect(stored()).toBe(2);
  expect(journal.append(activity("as before")).seq).toBe(3);
  expect(stored()).toBe(2);
});

test("after a failure that leaves the disk in doubt nothing more is written", () => {
  const { db, journal, stored } = spoilable();
  journal.append(stalled("1"));
  db.exec("ALTER TABLE journal RENAME TO elsewhere");
  expect(() => journal.append(stalled("2"))).toThrow("cannot write the journal");
  db.exec("ALTER TABLE elsewhere RENAME TO journal");
  expect(() => journal.append(stalled("2"))).toThrow("cannot write the journal");
  expect(stored()).toBe(1);
});

test("on a full disk: says so, keeps the chain, and goes on once there is room", { timeout: 60_000 }, async () => {
  const folder = tempFolder();
  const script = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" "$3" "$1"';
  const argv = ["-rm", "sh", "-c", script, "sh", folder, process.execPath, join(CHILDREN, "full-disk.child.ts")];
  const { stdout } = await promisify(execFile)("unshare", argv);
  const seen = JSON.parse(stdout);
  expect(seen.error).toMatch(/cannot write the journal of run small-disk: the disk is full/);
  expect(seen.opening).toMatch(/UserError: cannot use loopdash's records in .*second.db: the disk is full/);
  expect(seen.last).toBeGreaterThan(10);
  expect(seen.durable).toBe(seen.last);
  // One row of activity was waiting when the disk refused; it is kept.
  expect(seen.after).toBe(seen.last + 2);
  expect(seen).toMatchObject({ count: seen.after, tail: seen.after });
});

test("kill -9 loses no state fact and leaves the chain whole", async () => {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  store.create(runRow());
  for (let round = 0; round < 3; round++) {
    const child = spawn(process.execPath, [join(CHILDREN, "writer.child.ts"), file, RUN], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = 0;
    for await (const line of createInterface(child.stdout)) {
      said = Number(line);
      if (said > (round + 1) * 200) child.kill("SIGKILL");
    }
    const events = [...store.openForReading(RUN).read()];
    expect(events.length).toBeGreaterThanOrEqual(said);
    expect(events[said - 1]?.type).toBe("ticket-stalled");
  }
});

test("kill -9 loses what waited and nothing else, and the next engine goes on after what was kept", async () => {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  store.create(runRow());
  for (let round = 1; round <= 3; round++) {
    const argv = [join(CHILDREN, "waiter.child.ts"), file, RUN, JSON.stringify(WAITING), JSON.stringify(ANNOUNCING[0])];
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const kept = (round - 1) * (WAITING.length + 1);
    // It has appended all, and stands still: no timer of its can fire.
    const [said] = await once(child.stdout, "data");
    expect(JSON.parse(String(said))).toEqual({ first: kept + 1, announced: kept + 8, last: kept + 15 });
    child.kill("SIGKILL");
    await once(child, "close");
    const events = [...store.openForReading(RUN).read()];
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: kept + 8 }, (_, i) => i + 1));
    expect(events.slice(kept).map((event) => event.type)).toEqual([...WAITING.map((fact) => fact.type), "agent-launching"]);
  }
  const journal = store.open(RUN);
  expect(journal.append(stalled("goes on")).seq).toBe(25);
  expect([...journal.read()]).toHaveLength(25);
});

test("a second writer in another process is noticed, and the first writes nothing more", async () => {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  const journal = store.create(runRow());
  journal.append(stalled("mine"));
  const child = spawn(process.execPath, [join(CHILDREN, "writer.child.ts"), file, RUN], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  journal.append(activity("waits"));
  expect(() => journal.append(stalled("late"))).toThrow("another process wrote to it after row 1");
  expect(() => journal.append(activity("later"))).toThrow("another process wrote to it");
  expect(() => journal.flush()).toThrow("another process wrote to it");
  const reasons = [...store.openForReading(RUN).read()].map((event) => JSON.stringify(event));
  expect(reasons.length).toBeGreaterThan(1);
  expect(reasons.join("\n")).not.toMatch(/late|waits/);
});

test("of two writers in one moment the second is refused whole", () => {
  const file = join(tempFolder(), "loopdash.db");
  const stores = [openRunStore(file), openRunStore(file)] as const;
  onTestFinished(() => stores.forEach((store) => void store.close()));
  const first = stores[0].create(runRow());
  const second = stores[1].open(RUN);
  for (let i = 0; i < 3; i++) second.append(activity("b"));
  first.append(stalled("a"));
  expect(() => second.append(stalled("b"))).toThrow("another process wrote to it after row 0");
  expect(() => first.append(stalled("a"))).not.toThrow();
  expect([...first.read()]).toHaveLength(2);
});
