import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { type Fence, RunId } from "../../../src/domain/values/ids.ts";
import type { RunStore } from "../../../src/ports/run-store.ts";
import { RUN, runRow, tempFolder } from "./facts.ts";

const OTHER = RunId.parse("other");

function fresh(): { file: string; store: RunStore } {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  return { file, store };
}

describe("questions to the reviewer", () => {
  const ask = (store: RunStore, usd: number, over: Partial<Parameters<RunStore["reserveCost"]>[0]> = {}) =>
    store.reserveCost({ run: RUN, fence: 1 as Fence, question: "review", at: 10, usd, since: 0, capUsd: 10, ...over });

  test("are paid beside their attempt's agent, each for itself, however often an attempt asks the same", () => {
    const { store } = fresh();
    store.create(runRow());
    expect(ask(store, 4, { question: undefined })).toBe(true);
    expect(ask(store, 2)).toBe(true);
    expect(ask(store, 1, { question: "adjudicate" })).toBe(true);
    expect(ask(store, 1, { fence: 2 as Fence })).toBe(true);
    expect(store.spentSince(0)).toBe(8);
    store.settleCost(RUN, 1 as Fence, 0.5, "review");
    expect(store.spentSince(0)).toBe(6.5);
    // The second of its kind does not take the place of the first.
    expect(ask(store, 2)).toBe(true);
    expect(store.spentSince(0)).toBe(8.5);
    store.settleCost(RUN, 1 as Fence, 1, "review");
    store.settleCost(RUN, 1 as Fence, 3);
    expect(store.spentSince(0)).toBe(0.5 + 1 + 1 + 1 + 3);
  });

  test("that have their money get it again, and nobody gets what would pass the day's", () => {
    const { store } = fresh();
    store.create(runRow());
    expect([ask(store, 9), ask(store, 9)]).toEqual([true, true]);
    expect(store.spentSince(0)).toBe(9);
    expect(ask(store, 2, { fence: 2 as Fence })).toBe(false);
    expect(ask(store, 2, { question: undefined })).toBe(false);
    store.settleCost(RUN, 1 as Fence, 8, "review");
    expect(ask(store, 2, { fence: 2 as Fence })).toBe(true);
    expect(ask(store, 0.1)).toBe(false);
  });

  test("that were never answered stay counted, whoever opens the file next", () => {
    const { file, store } = fresh();
    store.create(runRow());
    expect(ask(store, 7)).toBe(true);
    const next = openRunStore(file);
    onTestFinished(() => next.close());
    next.create(runRow({ run: OTHER }));
    expect(ask(next, 4, { run: OTHER, fence: 5 as Fence })).toBe(false);
    expect(next.spentSince(0, OTHER)).toBe(7);
  });
});

/** The file as the version before questions had their own rows wrote it: these steps are never edited. */
const BEFORE_QUESTIONS = `
  CREATE TABLE runs (run TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, batch_path TEXT NOT NULL, batch_file_sha TEXT NOT NULL,
    started_at INTEGER NOT NULL, ended_at INTEGER, verdict TEXT CHECK (verdict IN ('done', 'not-done', 'unjudged')),
    exit_code INTEGER, reason TEXT, head_seq INTEGER NOT NULL DEFAULT 0, head_hash TEXT NOT NULL) STRICT;
  CREATE INDEX runs_by_batch ON runs (batch_path, started_at);
  CREATE TABLE journal (run TEXT NOT NULL REFERENCES runs (run), seq INTEGER NOT NULL CHECK (seq > 0), at INTEGER NOT NULL,
    type TEXT NOT NULL, ticket TEXT, data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (run, seq)) STRICT, WITHOUT ROWID;
  CREATE TABLE durations (run TEXT NOT NULL REFERENCES runs (run), ticket TEXT NOT NULL, ms INTEGER NOT NULL CHECK (ms >= 0),
    PRIMARY KEY (run, ticket)) STRICT, WITHOUT ROWID;
  CREATE TABLE costs (run TEXT NOT NULL REFERENCES runs (run), at INTEGER NOT NULL, usd REAL NOT NULL CHECK (usd >= 0)) STRICT;
  CREATE INDEX costs_by_time ON costs (at);
  ALTER TABLE costs ADD COLUMN fence INTEGER;
  CREATE UNIQUE INDEX costs_by_attempt ON costs (run, fence) WHERE fence IS NOT NULL;
  PRAGMA application_id = ${0x6c_6f_6f_70}; PRAGMA user_version = 2;
  INSERT INTO runs (run, name, batch_path, batch_file_sha, started_at, head_hash) VALUES ('${RUN}', 'n', '/b', 's', 1, 'h');
  INSERT INTO costs (run, at, usd, fence) VALUES ('${RUN}', 10, 2.5, 1);`;

test("a file of an earlier version opens with all that it holds, and an engine of that version goes on with it", () => {
  const file = join(tempFolder(), "loopdash.db");
  const old = new DatabaseSync(file);
  onTestFinished(() => old.close());
  old.exec(BEFORE_QUESTIONS);
  const asBefore = old.prepare(
    `INSERT INTO costs (run, fence, at, usd) SELECT ?1, ?2, ?3, ?4
     WHERE ?4 + (SELECT coalesce(sum(usd), 0) FROM costs WHERE at >= ?5 AND NOT (run = ?1 AND fence IS ?2)) <= ?6
     ON CONFLICT (run, fence) WHERE fence IS NOT NULL DO UPDATE SET usd = excluded.usd`,
  );
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  expect(store.spentSince(0)).toBe(2.5);
  expect(store.reserveCost({ run: RUN, fence: 1 as Fence, question: "review", at: 11, usd: 3, since: 0, capUsd: 6 })).toBe(true);
  // It counts what questions were given.
  expect(asBefore.run(RUN, 2, 12, 1, 0, 6).changes).toBe(0);
  expect(asBefore.run(RUN, 2, 12, 0.5, 0, 6).changes).toBe(1);
  expect(store.spentSince(0)).toBe(6);
});
