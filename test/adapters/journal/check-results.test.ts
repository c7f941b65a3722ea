import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { resultsSecret } from "../../../src/adapters/journal/results-secret.ts";
import { openRunStore } from "../../../src/adapters/journal/sqlite-run-store.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import type { CheckResults, KeptRun } from "../../../src/ports/check-results.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const KEPT: KeptRun = {
  ...{ exitCode: 1, durationMs: 41_000, at: 7, isBase: true },
  tests: [
    { id: "a > b", outcome: "passed" },
    { id: "a > c\n\x1b", outcome: "failed" },
  ],
};
const scratch = scratchFolder();
const EVERY = { forEveryRun: true, name: "app, tests" };
const OWN = { ...EVERY, forEveryRun: false };
const DAY = 24 * 3_600_000;

/** One file, opened as by engines of several runs. */
function records() {
  const root = scratch();
  const [file, key] = [join(root, "loopdash.db"), join(root, "results.key")];
  const clock = { now: 1_000 };
  const open = () => {
    const store = openRunStore(file, { now: () => clock.now });
    onTestFinished(() => store.close());
    return store;
  };
  const of = (run: string): CheckResults => open().checkResults({ run: RunId.parse(run), secret: resultsSecret(key) });
  const change = (sql: string) => {
    const db = new DatabaseSync(file);
    const { changes } = db.prepare(sql).run();
    db.close();
    return changes;
  };
  return { open, of, change, clock, key };
}

test("a run finds its own results, also when its engine was started again", () => {
  const { of } = records();
  of("one").keep("k", KEPT, OWN);
  expect(of("one").find("k")).toEqual({ ...KEPT, isEarlier: false });
  expect(of("one").find("other")).toBeUndefined();
});

test("another run finds only what is for every run, and is told that it is not its own", () => {
  const { of } = records();
  const [one, two] = [of("one"), of("two")];
  one.keep("k", KEPT, OWN);
  expect(two.find("k")).toBeUndefined();
  one.share("k");
  expect(two.find("k")).toEqual({ ...KEPT, isEarlier: true });
  two.keep("k", { ...KEPT, exitCode: 0 }, OWN);
  expect([one.find("k")?.exitCode, two.find("k")?.exitCode]).toEqual([1, 0]);
});

test.for([
  ["its results", "UPDATE check_results SET results = x'28b52ffd2000010000'"],
  ["who may use it", "UPDATE check_results SET for_every_run = 1"],
  ["its run", "UPDATE check_results SET run = 'two'"],
  ["its key", "UPDATE check_results SET key = 'other'"],
  ["its checksum", "UPDATE check_results SET mac = zeroblob(32)"],
] as const)("a row is worth nothing if somebody changed %s", ([, sql]) => {
  const { of, change } = records();
  of("one").keep("k", KEPT, OWN);
  expect(change(sql)).toBe(1);
  for (const run of ["one", "two"]) for (const key of ["k", "other"]) expect(of(run).find(key)).toBeUndefined();
});

test("nothing counts that was written with another secret, and a secret that others may read is replaced", () => {
  const { open, of, key } = records();
  of("one").keep("k", KEPT, EVERY);
  const forged = open().checkResults({ run: RunId.parse("two"), secret: Buffer.alloc(32) });
  forged.keep("f", KEPT, EVERY);
  forged.addFlakyTests("check", [{ id: "a", tree: "t", at: 1 }]);
  expect(of("one").find("f")).toBeUndefined();
  expect(of("one").flakyTests("check")).toEqual([]);
  expect(statSync(key).mode & 0o777).toBe(0o600);
  chmodSync(key, 0o640);
  expect(of("one").find("k")).toBeUndefined();
  expect(statSync(key).mode & 0o777).toBe(0o600);
  for (const bytes of [0, 31]) {
    writeFileSync(key, Buffer.alloc(bytes));
    expect(resultsSecret(key)).toHaveLength(32);
  }
});

test("the results that were not used for longest make room", () => {
  const { of, open, clock } = records();
  const one = of("one");
  for (let n = 0; n < 512; n += 1) one.keep(`k${n}`, KEPT, OWN);
  clock.now += DAY;
  expect(one.find("k0")).toBeDefined();
  one.keep("last", KEPT, OWN);
  expect(["k0", "k1", "k2", "last"].map((key) => one.find(key) !== undefined)).toEqual([true, false, true, true]);
  expect(open().keptResults()).toHaveLength(512);
});

test("all results together stay within their bytes", () => {
  const { of, open } = records();
  const one = of("one");
  // Random words: they cannot be made smaller.
  const word = () => Array.from({ length: 50 }, () => Math.random().toString(36)).join("");
  const tests = Array.from({ length: 12_000 }, () => ({ id: word(), outcome: "passed" as const }));
  for (let n = 0; n < 18; n += 1) one.keep(`k${n}`, { ...KEPT, tests }, OWN);
  const bytes = open()
    .keptResults()
    .reduce((sum, row) => sum + row.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(64 * 2 ** 20);
  expect(one.find("k17")).toBeDefined();
  expect(one.find("k0")).toBeUndefined();
});

test("flaky tests and durations are known to every run, and forgotten", () => {
  const { of, open, clock } = records();
  const [one, two] = [of("one"), of("two")];
  one.addFlakyTests("check", [{ id: "a", tree: "t", at: clock.now }]);
  clock.now += 60 * DAY;
  two.addFlakyTests("check", [{ id: "b", tree: "u", at: clock.now }]);
  one.recordMs("check", 41_999.6);
  expect(two.flakyTests("check").map(({ id }) => id)).toEqual(["b", "a"]);
  expect([two.lastMs("check"), two.lastMs("other")]).toEqual([42_000, undefined]);
  clock.now += 60 * DAY;
  expect(two.flakyTests("check").map(({ id }) => id)).toEqual(["b"]);
  one.keep("k", KEPT, OWN);
  expect(open().clearKeptResults()).toBe(1);
  expect([one.find("k"), two.lastMs("check"), two.flakyTests("check")]).toEqual([undefined, undefined, []]);
});
