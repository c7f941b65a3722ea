import { describe, expect, test } from "vitest";
import type { TestResult } from "../../../src/domain/evidence/results.ts";
import {
  deviationsIn,
  exitDeviation,
  FRESH,
  forgedBy,
  type PlantedRun,
  sawFailing,
  silentPlaces,
} from "../../../src/domain/test-canary/deviations.ts";

const TESTS = [
  { name: "good 1", role: "passes" },
  { name: "bad 1", role: "fails" },
  { name: "adds", role: "known" },
] as const;

/** Results in words: `+` passed, `-` failed, `~` skipped. */
function results(...words: string[]): TestResult[] {
  const outcomes = { "+": "passed", "-": "failed", "~": "skipped" } as const;
  return words.map((word) => ({ id: word.slice(1), outcome: outcomes[word[0] as "+" | "-" | "~"] }));
}

function run(
  tests: readonly TestResult[] | undefined,
  exitCode: number | "killed" = 1,
  at: readonly string[] = ["a.js"],
): PlantedRun {
  return {
    files: at.map((place) => ({ at: place, path: place, text: "", tests: TESTS })),
    exitCode: exitCode === "killed" ? undefined : exitCode,
    tests,
  };
}

const GOOD = results("+suite > good 1", "-suite > bad 1", "+adds", "-adds");

describe("what deviates", () => {
  test("nothing, where each planted test comes out as it must", () => {
    expect(deviationsIn(run(GOOD))).toEqual([]);
  });

  test.each([
    ["reported as passed", results("+good 1", "+bad 1", "-adds"), 1, "a planted test that must fail was reported as passed"],
    ["left out", results("+good 1", "-adds"), 1, "a planted test that must fail is not in the report"],
    ["skipped", results("+good 1", "~bad 1", "-adds"), 1, "a planted test that must fail was reported as skipped"],
    [
      "one that must pass fails",
      results("-good 1", "-bad 1", "-adds"),
      1,
      "a planted test that must pass was reported as failed",
    ],
    ["the known one passes", results("+good 1", "-bad 1", "+adds"), 1, "a planted test that must fail was reported as passed"],
    [
      "another's name ends like the known one",
      results("+good 1", "-bad 1", "-badds"),
      1,
      "a planted test that must fail is not in the report",
    ],
    ["the exit code is 0", GOOD, 0, "the command exited with code 0, though planted tests must fail"],
    ["it did not end", GOOD, "killed", "the command did not end by itself"],
  ])("%s", (_, tests, exitCode, says) => {
    expect(deviationsIn(run(tests, exitCode as number | "killed")).map((each) => each.says)).toEqual([says]);
  });

  test("everything, where there is no report", () => {
    expect(deviationsIn(run(undefined)).map(({ got }) => got)).toEqual(["absent", "absent", "absent"]);
  });
});

describe("what is forged", () => {
  const forged = (candidate: PlantedRun, base: PlantedRun, hasMoved = false) =>
    forgedBy({ candidate, base, hasMoved }, deviationsIn).map(({ key }) => key);
  const lie = results("+good 1", "+bad 1", "+adds");

  test("that a failing test passes, unless it does on the base: that it is absent there excuses nothing", () => {
    const absent = results("+good 1", "+adds", "-adds");
    expect(forged(run(lie), run(absent))).toEqual(["a.js fails 1", "a.js known 2"]);
    expect(forged(run(lie), run(lie))).toEqual([]);
    expect(forged(run(results("-other"), 0), run(results("-other"), 1))).toEqual(["exit"]);
  });

  test("what is absent, if the base could not load the file", () => {
    const none = run(results("+other"));
    expect(forged(none, run(results("-a.js")))).toEqual(["a.js passes 0", "a.js fails 1", "a.js known 2"]);
    expect(forged(none, run(results("-pytest > tests.test_a")))).toEqual(["a.js passes 0", "a.js fails 1", "a.js known 2"]);
    expect(forged(none, run(results("+other")))).toEqual([]);
  });

  test("not what passes by a known name in a file that the base does not run", () => {
    expect(forged(run(results("+adds")), run(results("-adds")))).toEqual([]);
  });

  test("what deviates on the candidate and not on the base", () => {
    expect(forged(run(lie), run(GOOD))).toEqual(["a.js fails 1", "a.js known 2"]);
    expect(forged(run(lie), run(lie))).toEqual([]);
    expect(forged(run(GOOD, 0), run(GOOD))).toEqual(["exit"]);
    expect(forged(run(GOOD, 0), run(GOOD, 0))).toEqual([]);
  });

  test("a file that is not on the base may be one that is not run, unless files of tests are gone", () => {
    const [candidate, base] = [run([], 1, ["b.js"]), run(GOOD)];
    expect(forged(candidate, base)).toEqual([]);
    expect(forged(candidate, base, true)).toHaveLength(3);
    expect(forged(run(lie, 1, ["b.js"]), base)).toEqual(["b.js fails 1", "b.js known 2"]);
  });

  test("of a command that stops early, what is absent counts only if no failure is reported", () => {
    const half = (own: string) => run(own === "a" ? GOOD : results("+suite > good 1", "-adds"), 1, ["a.js"]);
    const base: PlantedRun = {
      files: [
        { at: "a.js", path: "a.js", text: "", tests: TESTS },
        { at: "b.js", path: "b.js", text: "", tests: [{ name: "bad 2", role: "fails" }] },
      ],
      exitCode: 1,
      tests: GOOD,
    };
    expect(forged({ ...base, tests: results("-bad 2") }, base)).toEqual([]);
    expect(forged(half("b"), base)).toEqual(["a.js fails 1"]);
  });

  test("a fresh file that is not picked up makes no command one that stops early", () => {
    const files = [...run([]).files, { at: FRESH, path: "x.js", text: "", tests: [{ name: "bad 9", role: "fails" as const }] }];
    const base = { ...run(GOOD), files };
    expect(silentPlaces(base, deviationsIn)).toEqual([FRESH]);
    expect(forged({ ...base, tests: results("-bad 1", "-adds") }, base)).toEqual(["a.js passes 0"]);
  });
});

test("by the exit code alone", () => {
  expect(exitDeviation(1)).toEqual([]);
  expect(exitDeviation(0)).toMatchObject([{ key: "exit", got: "exit-0" }]);
  expect(sawFailing(run(undefined))).toBe(false);
  expect(silentPlaces(run(undefined), deviationsIn)).toEqual([]);
});
