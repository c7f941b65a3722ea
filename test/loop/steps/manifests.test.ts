import type { TestOutcome, TestRun } from "@loopdash/test-evidence";
import { describe, expect, test } from "vitest";
import { type CheckedTree, type Manifest, Manifests } from "../../../src/loop/steps/manifests.ts";
import { memoryCheckResults, noResults } from "../memory-check-results.ts";

const signal = new AbortController().signal;
const clock = { now: () => 5 };

const isUntouched = () => Promise.resolve(true);
const isOwn = () => Promise.resolve(false);

function keyOf(more: Partial<CheckedTree> = {}) {
  const tree = { key: "k", check: "c", tree: "t", name: "app, tests", canShare: true, isUntouched, ...more };
  return () => Promise.resolve(tree);
}

function runOf(words: Readonly<Record<string, TestOutcome>>): TestRun {
  return { exitCode: 0, tests: Object.entries(words).map(([id, outcome]) => ({ id, outcome })) };
}

const RUN = runOf({ a: "passed", b: "passed" });
const measured = (run = RUN) => Promise.resolve<Manifest>({ as: "tests", run: { ...run, durationMs: 9 } });
const never = () => Promise.reject(new Error("it is measured again"));

/** Two runs of loopdash, one after the other. */
function twoRuns() {
  const shared = noResults();
  return [0, 1].map(() => new Manifests(memoryCheckResults(shared), clock)) as [Manifests, Manifests];
}

describe("the results of a base", () => {
  test("are measured once in a run, and are there for the next one", async () => {
    const [first, second] = twoRuns();
    await first.take(keyOf(), measured, signal);
    expect(await first.take(keyOf(), never, signal)).toMatchObject({ as: "tests", run: { ...RUN, durationMs: 9 } });
    expect(await second.take(keyOf(), never, signal)).toMatchObject({ as: "tests", run: RUN, isEarlier: true });
  });

  test("are measured again for a caller that wants them to be of this run, and then once", async () => {
    const [first, second] = twoRuns();
    await first.take(keyOf(), measured, signal);
    const now = runOf({ a: "failed" });
    expect(await second.takeNow(keyOf(), () => measured(now), signal)).toMatchObject({ run: now });
    expect(await second.takeNow(keyOf(), never, signal)).not.toHaveProperty("isEarlier", expect.anything());
    expect(await second.take(keyOf(), never, signal)).toMatchObject({ run: now });
  });

  test.for([
    ["what they depend on is not known", { canShare: false }],
    ["the commit is one that this run has made", { isUntouched: isOwn }],
  ] as const)("are for this run alone if %s", async ([, more]) => {
    const [first, second] = twoRuns();
    await first.take(keyOf(more), measured, signal);
    expect(await first.kept(keyOf(more))).toBeDefined();
    expect(await second.kept(keyOf(more))).toBeUndefined();
  });

  test("are measured each time if there are none", async () => {
    const [first] = twoRuns();
    let times = 0;
    const none = () => {
      times += 1;
      return Promise.resolve<Manifest>({ as: "none", why: "no tests", hasFailed: false });
    };
    await first.take(keyOf(), none, signal);
    await first.take(keyOf(), none, signal);
    expect(times).toBe(2);
  });

  test.for([
    ["once in a run if it passed", false, 1],
    ["once per tree if it failed", true, 2],
  ] as const)("of a check whose runners told nothing are measured %s", async ([, hasFailed, expected]) => {
    const [first] = twoRuns();
    let times = 0;
    const none = () => {
      times += 1;
      return Promise.resolve<Manifest>({ as: "none", why: "no tests", hasFailed });
    };
    for (const key of ["k", "k", "another tree", "another tree"])
      expect(await first.take(keyOf({ key, isFound: true }), none, signal)).toMatchObject({ as: "none" });
    expect(times).toBe(expected);
  });
});

describe("the results of a candidate", () => {
  test("are for this run, and for others only once they were proven", async () => {
    const [first, second] = twoRuns();
    await first.keep(keyOf({ isUntouched: isOwn }), RUN);
    expect(await first.kept(keyOf())).toMatchObject(RUN);
    expect(await second.kept(keyOf())).toBeUndefined();
    await first.prove(keyOf({ canShare: false }));
    expect(await second.kept(keyOf())).toBeUndefined();
    await first.prove(keyOf({ isUntouched: isOwn }));
    expect(await second.kept(keyOf())).toMatchObject({ ...RUN, isEarlier: true });
  });
});

describe("a flaky test", () => {
  test("is one that came out differently when one base was measured twice; later runs know it", async () => {
    const [first, second] = twoRuns();
    await first.take(keyOf(), () => measured(runOf({ a: "passed", b: "failed", c: "skipped" })), signal);
    await first.learnFlaky(keyOf(), [runOf({ a: "failed", b: "failed", c: "passed" })]);
    expect(await second.flakyTests(keyOf({ key: "k2" }))).toEqual(new Set(["a"]));
    expect(await second.flakyTests(keyOf({ check: "another" }))).toEqual(new Set());
  });

  test("is not learnt from another tree, from a candidate, or from a run in which everything fails", async () => {
    const [first] = twoRuns();
    await first.keep(keyOf(), RUN);
    await first.learnFlaky(keyOf(), [runOf({ a: "failed", b: "passed" })]);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`t${n}`, "passed" as const]));
    await first.take(keyOf({ key: "many" }), () => measured(runOf(many)), signal);
    const failing = Object.fromEntries(Object.keys(many).map((id) => [id, "failed" as const]));
    await first.learnFlaky(keyOf({ key: "many" }), [runOf(failing)]);
    await first.learnFlaky(keyOf({ key: "other" }), [runOf({ t1: "failed" })]);
    expect(await first.flakyTests(keyOf())).toEqual(new Set());
  });

  test("is not learnt from two tests of one name", async () => {
    const [first] = twoRuns();
    const both = { exitCode: 1, tests: [...RUN.tests, { id: "a", outcome: "failed" as const }] };
    await first.take(keyOf(), () => measured(both), signal);
    await first.learnFlaky(keyOf(), [both]);
    expect(await first.flakyTests(keyOf())).toEqual(new Set());
  });
});

test("the duration of a check's last run is known to later runs", async () => {
  const [first, second] = twoRuns();
  expect(await first.expectedMs(keyOf())).toBeUndefined();
  await first.recordMs(keyOf(), 42_000);
  expect(await second.expectedMs(keyOf({ key: "another tree" }))).toBe(42_000);
});

test("what is asked once is asked again if it failed", async () => {
  const [first] = twoRuns();
  await expect(first.once("x", never)).rejects.toThrow("again");
  expect(await first.once("x", () => Promise.resolve(1))).toBe(1);
  expect(await first.once("x", never)).toBe(1);
});
