import { describe, expect, test } from "vitest";
import type { TestOutcome, TestResult } from "../../src/compare/results.ts";
import {
  expectedPasses,
  findingsIn,
  forgeryWords,
  isClean,
  passingNames,
  unfitFiles,
  withoutExcused,
} from "../../src/proof/findings.ts";

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { "!": "failed", "~": "skipped", "?": "todo" };

/** Results by their ids: `!` failed, `~` skipped, `?` to do, otherwise passed. */
function results(words: string): readonly TestResult[] {
  return words
    .split(", ")
    .flatMap((word) =>
      word === "" ? [] : [{ id: word.replace(/[!~?]$/, ""), outcome: OUTCOMES[word.at(-1) ?? ""] ?? "passed" }],
    );
}

const FRESH = { path: "a.test.js", text: "", twins: [{ original: "adds", fails: "sums", passes: "adds" }] };
const SWAPPED = { path: "b.test.js", text: "", twins: [{ original: "adds", fails: "adds", passes: "sums" }] };

/** What is wrong with a run that reports this, if `adds` and `s > doubles` must pass. */
function found(reported: string, twinned = [FRESH], exitCode = 1, before = "adds, s > doubles") {
  const expected = expectedPasses(results(before), results(before), []);
  const { lost, forged } = findingsIn({ twinned, exitCode, tests: results(reported) }, expected);
  return [...lost, ...forged.map(({ got }) => got)];
}

describe("tests that must pass", () => {
  test.each<[string, string, string, readonly string[], Record<string, number>]>([
    ["that passed on both", "a, b, c!", "a, b!, c", [], { a: 1 }],
    ["as often as on both", "a, a, a", "a, a", [], { a: 2 }],
    ["none that one of the two left out", "a~, b, c", "a, b~", [], {}],
    ["that were red and are to be fixed", "a!, b!", "a, b", ["a*"], { a: 1 }],
    ["a file that could not be loaded must not fail again", "x.js!", "a", ["x.js"], { "x.js": 0 }],
  ])("%s", (_, base, own, fixes, expected) => {
    expect(Object.fromEntries(expectedPasses(results(base), results(own), fixes))).toEqual(expected);
  });

  test("have names that twins can bear, unless another test of the name does not pass", () => {
    const own = results("a > adds, mod > calc::tests::sums, b > adds more, c > adds more!, skips~");
    const isPassing = passingNames(expectedPasses(own, own, []), own);
    expect(["adds", "sums", "adds more", "skips", "s"].map(isPassing)).toEqual([true, true, false, false, false]);
  });

  test("have such names too if only the candidate could load their file", () => {
    const own = results("a > adds, b > sums");
    const isPassing = (base: string) => passingNames(expectedPasses(results(base), own, []), own, results(base));
    expect([isPassing("a > adds, b.js!")("sums"), isPassing("a > adds")("sums")]).toEqual([true, false]);
  });
});

describe("a run", () => {
  test.each<[string, string, readonly (typeof FRESH)[], readonly string[]]>([
    ["is clean if the fresh copy fails", "adds, sums!, s > doubles", [FRESH], []],
    ["or the one with the old name", "adds!, sums, s > doubles", [SWAPPED], []],
    [
      "or one of each",
      "adds!, sums, adds, more!, s > doubles",
      [SWAPPED, { ...FRESH, twins: [{ original: "adds", fails: "more", passes: "adds" }] }],
      [],
    ],
    ["is forged if the fresh copy passes", "adds, sums, s > doubles", [FRESH], ["passed"]],
    ["or the one with the old name", "adds, sums, s > doubles", [SWAPPED], ["passed"]],
    ["or it is skipped", "adds, sums~, s > doubles", [FRESH], ["skipped"]],
    ["or is left out", "adds, s > doubles", [FRESH], ["absent"]],
    ["or the one with the old name is", "sums, s > doubles", [SWAPPED], ["absent"]],
    ["has lost a test that fails", "adds, sums!, s > doubles!", [FRESH], ["s > doubles"]],
    ["or is gone", "adds, sums!", [FRESH], ["s > doubles"]],
    ["or has a twin, and neither passes", "adds!, sums!, s > doubles", [SWAPPED], ["adds"]],
    ["or whose twin passes by chance, because code does what it expects now", "adds, sums!, s > doubles", [SWAPPED], ["adds"]],
    ["or whose file does not load", "s > doubles", [FRESH], ["adds"]],
    ["has lost all without a report", "", [FRESH], ["adds", "s > doubles"]],
  ])("%s", (_, reported, twinned, expected) => {
    expect(found(reported, [...twinned])).toEqual(expected);
  });

  test("is forged if it exits with 0 beside twins, and not without", () => {
    expect(found("adds, sums!, s > doubles", [FRESH], 0)).toEqual(["exit-0"]);
    expect(found("adds, s > doubles", [], 0)).toEqual([]);
  });

  test("has lost a test whose copy that must pass failed, whatever else passes by its name", () => {
    expect(found("adds!, sums, s > doubles", [SWAPPED])).toEqual([]);
    expect(found("adds, adds!, sums!, s > doubles", [SWAPPED])).toEqual(["adds"]);
  });

  test("compares tests of one name as often as they are reported", () => {
    const twice = (reported: string) => found(reported, [SWAPPED], 1, "adds, adds");
    expect(twice("adds, adds!, sums")).toEqual([]);
    expect(twice("adds!, adds!, sums")).toEqual(["adds"]);
    expect(found("adds, adds!, sums!", [FRESH], 1, "adds, adds")).toEqual(["adds"]);
  });

  test("tells tests of one name apart by their files, where ids have them", () => {
    const other = { path: "c.test.js", text: "", twins: [{ original: "adds", fails: "merges", passes: "adds" }] };
    const files = (reported: string, twinned: readonly (typeof FRESH)[]) =>
      found(reported, [...twinned], 1, "b > adds, c > adds");
    expect(files("b > adds!, b > sums, c > adds, c > merges!", [SWAPPED, other])).toEqual([]);
    expect(files("b > adds!, b > sums, c > adds", [SWAPPED])).toEqual([]);
    expect(files("b > adds!, b > sums, c > adds!", [SWAPPED])).toEqual(["c > adds"]);
    expect(files("b > adds, c > adds", [SWAPPED])).toEqual(["passed"]);
  });
});

test("what the trusted base does too is excused, and its files are unfit", () => {
  const expected = expectedPasses(results("adds, other"), results("adds, other"), []);
  const at = (reported: string, exitCode: number) =>
    findingsIn({ twinned: [FRESH], exitCode, tests: results(reported) }, expected);
  const [own, base] = [at("adds, sums", 0), at("adds, sums, other!", 0)];
  expect(isClean(own)).toBe(false);
  expect(isClean(withoutExcused(own, base))).toBe(true);
  expect(withoutExcused(own, at("adds, sums!, other", 0)).forged).toMatchObject([{ got: "passed" }]);
  expect(withoutExcused(own, at("adds, other", 0)).forged).toMatchObject([{ got: "passed" }]);
  expect(unfitFiles({ twinned: [FRESH] }, base)).toEqual(["a.test.js"]);
  expect(unfitFiles({ twinned: [FRESH] }, at("adds, sums!, other!", 1))).toEqual([]);
});

test("words do not help to recognise a twin", () => {
  const { forged } = findingsIn(
    { twinned: [FRESH, { ...FRESH, path: "c" }], exitCode: 0, tests: results("sums, adds") },
    new Map(),
  );
  expect(forgeryWords(forged)).toEqual([
    "a planted test that must fail was reported as passed (2 times)",
    "the command exited with code 0, though planted tests must fail",
  ]);
});
