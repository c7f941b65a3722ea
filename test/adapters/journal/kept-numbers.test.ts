import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import type { RunStore } from "../../../src/ports/run-store.ts";
import { runRow, stalled, tempFolder } from "./facts.ts";

const id = (n: number): RunId => RunId.parse(`run-${n}`);

function stage(): { readonly file: string; readonly store: RunStore; readonly begin: (n: number, options?: object) => void } {
  const file = join(tempFolder(), "loopdash.db");
  const store = openRunStore(file);
  onTestFinished(() => store.close());
  const begin = (n: number, options: object = {}): void => {
    store.create(runRow({ run: id(n), startedAt: n, ...options })).append(stalled("x"));
  };
  return { file, store, begin };
}

test("earlier runs are those of the same batch file that began before, newest first, at most so many", () => {
  const { store, begin } = stage();
  for (const n of [1, 2, 3, 4]) begin(n);
  begin(5, { batchPath: "/other.json" });
  begin(6);
  store.end(id(2), { at: 9, verdict: "done", exitCode: 0, reason: "r" });
  store.recordNumbers(id(2), { costUsd: 1.5, "interventions.total": 2 });
  expect(store.earlier(id(4), 8)).toEqual([
    { run: "run-3", startedAt: 3, sameBatch: true },
    { run: "run-2", startedAt: 2, sameBatch: true, verdict: "done", numbers: { costUsd: 1.5, "interventions.total": 2 } },
    { run: "run-1", startedAt: 1, sameBatch: true },
  ]);
  expect(store.earlier(id(6), 2).map(({ run }) => run)).toEqual(["run-4", "run-3"]);
  expect(store.earlier(id(5), 8)).toEqual([]);
  expect(store.earlier(id(99), 8)).toEqual([]);
});

test("of two runs that began at one time, the one that was recorded first is the earlier", () => {
  const { store, begin } = stage();
  begin(1, { startedAt: 7 });
  begin(2, { startedAt: 7 });
  expect(store.earlier(id(2), 8).map(({ run }) => run)).toEqual(["run-1"]);
  expect(store.earlier(id(1), 8)).toEqual([]);
});

test("a run that never wrote an event is none, and another batch file's bytes are told apart", () => {
  const { store, begin } = stage();
  store.create(runRow({ run: id(1), startedAt: 1 }));
  begin(2, { batchFileSha: "1".repeat(64) });
  begin(3);
  expect(store.earlier(id(3), 8)).toEqual([{ run: "run-2", startedAt: 2, sameBatch: false }]);
});

test("numbers are kept again, and those that cannot be read are not known", () => {
  const { file, store, begin } = stage();
  begin(1);
  begin(2);
  store.recordNumbers(id(1), { costUsd: 1 });
  store.recordNumbers(id(1), { costUsd: 2 });
  expect(store.earlier(id(2), 8)[0]?.numbers).toEqual({ costUsd: 2 });
  const db = new DatabaseSync(file);
  for (const text of ["{", "[1]", `{"costUsd":"many"}`, "null"]) {
    db.prepare("UPDATE numbers SET text = ?").run(text);
    expect(store.earlier(id(2), 8)).toEqual([{ run: "run-1", startedAt: 1, sameBatch: true }]);
  }
  db.close();
});
