import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import { JournalBroken, type RunStore } from "../../../src/ports/run-store.ts";
import { record } from "../../helpers/recorded-run.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { plumbing } from "../../store/scenes.ts";

const scratch = scratchFolder();
const RUN = RunId.parse("r-1");
const OTHER = RunId.parse("r-2");
let db = "";
let store: RunStore;

beforeEach(() => {
  record(scratch(), plumbing(), { run: OTHER, kept: false });
  db = record(scratch(), plumbing(), { run: RUN, kept: false }).db;
  store = openRunStore(db);
  return () => store.close();
});

/** Changes the file behind the program's back. */
function tamper(sql: string): void {
  const other = new DatabaseSync(join(db));
  other.exec(sql);
  other.close();
}

describe("a kept state", () => {
  test("is given back as it was, the newest only, each run its own", () => {
    expect(store.keptState(RUN)).toBeUndefined();
    store.keepState(RUN, { seq: 5, text: "five" });
    store.keepState(RUN, { seq: 9, text: "nine" });
    store.keepState(OTHER, { seq: 2, text: "two" });
    expect(store.keptState(RUN)).toEqual({ seq: 9, text: "nine" });
    expect(store.keptState(OTHER)).toEqual({ seq: 2, text: "two" });
  });

  test("is not kept of rows that the journal does not have", () => {
    expect(() => store.keepState(RUN, { seq: store.eventCount(RUN) + 1, text: "x" })).toThrow("has no row");
    expect(store.keptState(RUN)).toBeUndefined();
  });

  test.each([
    ["its text is changed", "UPDATE kept_states SET text = 'done'"],
    ["its place is changed", "UPDATE kept_states SET seq = 6"],
    ["it is another run's", "UPDATE kept_states SET run = 'r-2'"],
    ["the row that it was made up to is changed", "UPDATE journal SET hash = 'x' WHERE run = 'r-1' AND seq = 9"],
    ["the row that it was made up to is gone", "DELETE FROM journal WHERE run = 'r-1' AND seq >= 9"],
    ["its row's hash is changed", "UPDATE kept_states SET row_hash = (SELECT hash FROM journal WHERE run = 'r-1' AND seq = 8)"],
  ])("is none where %s", (_, sql) => {
    store.keepState(RUN, { seq: 9, text: "nine" });
    tamper(sql);
    expect([store.keptState(RUN), store.keptState(OTHER)]).toEqual([undefined, undefined]);
  });
});

describe("reading on from a row", () => {
  test("gives what comes after it, and nothing else", () => {
    const all = [...store.openForReading(RUN).read()];
    expect([...store.openForReading(RUN).read(7)]).toEqual(all.slice(7));
    expect([...store.openForReading(RUN).read(all.length)]).toEqual([]);
    expect(store.eventCount(RUN)).toBe(all.length);
  });

  test("verifies what it reads, and refuses a row that is not there", () => {
    expect(() => [...store.openForReading(RUN).read(9_999)]).toThrow(JournalBroken);
    tamper("UPDATE journal SET data = replace(data, 'T-', 'U-') WHERE run = 'r-1' AND seq = 12");
    expect(() => [...store.openForReading(RUN).read(7)]).toThrow("row 12: it was changed");
    expect([...store.openForReading(RUN).read(12)].length).toBeGreaterThan(0);
  });
});

test("how far runs are is recorded by run, the newest only", () => {
  const tally = { done: 1, gated: 2, open: 3, interventions: 4, stopped: true };
  store.recordTally(RUN, { ...tally, done: 0 });
  store.recordTally(RUN, tally);
  store.recordTally(OTHER, { ...tally, stopped: false });
  expect(store.tallies()).toEqual(
    new Map([
      [RUN, tally],
      [OTHER, { ...tally, stopped: false }],
    ]),
  );
});
