import { describe, expect, test } from "vitest";
import { compareRuns } from "../../src/compare/compare.ts";
import type { Allowance, TestOutcome, TestRun } from "../../src/compare/results.ts";
import { findingsLine, findingsText, passedLine } from "../../src/compare/summary-lines.ts";

const NOTHING: Allowance = { testsRemoved: [], testsSkipped: [], suppressions: false };

/** A run from `"id id!"`: `!` failed, `~` skipped, `?` todo, otherwise passed. The exit code follows, where none is given. */
function run(text: string, exitCode?: number): TestRun {
  const marks: Record<string, TestOutcome> = { "!": "failed", "~": "skipped", "?": "todo" };
  const tests = text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({ id: word.replace(/[!~?]$/, ""), outcome: marks[word.at(-1) ?? ""] ?? "passed" }));
  return { exitCode: exitCode ?? (tests.some((t) => t.outcome === "failed") ? 1 : 0), tests };
}

/** What is found, as `kind:id,id`. */
function found(base: TestRun | undefined, candidate: TestRun, allow: Partial<Allowance> = {}): string[] {
  const { findings } = compareRuns(base, candidate, { ...NOTHING, ...allow });
  return findings.map(({ kind, ids }) => (ids.length > 0 ? `${kind}:${ids.join(",")}` : kind));
}

describe("an honest change", () => {
  test.for([
    ["the same", "a b c", "a b c"],
    ["tests added", "a b", "a b c d"],
    ["another order", "a b c", "c a b"],
    ["a skip that was there", "a b~", "a b~"],
    ["a skip taken away", "a b~", "a b"],
    ["a failing test mended", "a b!", "a b"],
    ["a todo written", "a b?", "a b"],
    ["a todo added", "a", "a b?"],
    ["a table with one more row of the same title", "a a b", "a a a b"],
    ["two new tests of one name", "a", "a b b"],
    ["the first tests of all", "", "a b"],
  ] as const)("%s passes", ([, base, candidate]) => {
    expect(found(run(base), run(candidate))).toEqual([]);
  });

  test("what failed on the base may fail still, and is told", () => {
    const comparison = compareRuns(run("a b!"), run("a b! c"), NOTHING);
    expect(comparison.findings).toEqual([]);
    expect(comparison.preExisting).toEqual(["b"]);
  });

  test("what a person allowed may go and may be skipped", () => {
    const allow = { testsRemoved: ["old *"], testsSkipped: ["slow"] };
    const tests = (...ids: string[]) => ids.map((id) => ({ id, outcome: "passed" as const }));
    const base = { exitCode: 0, tests: tests("old one", "old/two [x]", "a", "slow") };
    const now = { exitCode: 0, tests: [...tests("new one", "new/two [x]", "a"), { id: "slow", outcome: "skipped" as const }] };
    expect(found(base, now, allow)).toEqual(["removed:old/two [x]"]);
    expect(found(base, now, { ...allow, testsRemoved: ["old *", "old/*"] })).toEqual([]);
  });
});

describe("a change that plays with its tests", () => {
  test.for([
    ["a test removed (A1)", "a b c", "a c", ["removed:b", "fewer-run"]],
    ["one of a table's rows removed", "a a b", "a b", ["removed:a", "fewer-run"]],
    ["a test renamed without leave", "a b", "a b2", ["removed:b"]],
    ["another added in its place", "a b c", "a b d e f", ["removed:c"]],
    ["a test skipped (A2)", "a b", "a b~", ["skipped:b", "fewer-run"]],
    ["a failing test skipped", "a b!", "a b~", ["skipped:b", "fewer-run"]],
    ["a test made a todo", "a b", "a b?", ["skipped:b", "fewer-run"]],
    ["a new test that is skipped", "a", "a b~", ["skipped:b"]],
    ["a skipped test removed", "a b~", "a", ["removed:b"]],
    ["a skipped row for a new one of the same title", "a a", "a a a~", ["skipped:a"]],
    ["a row to be written for a new one of the same title", "a a", "a a a?", ["skipped:a"]],
    ["all others by only (A3)", "a b c", "a b~ c~", ["skipped:b,c", "fewer-run"]],
    ["a test broken", "a b", "a b!", ["failing:b"]],
    ["a new test that fails", "a", "a b!", ["failing:b"]],
    ["one more of a failing table", "a a!", "a! a!", ["failing:a"]],
    ["an impostor of the same name", "a b", "a b b", ["duplicated:b"]],
    ["an impostor that passes where the test fails", "a b", "a b b!", ["failing:b", "duplicated:b"]],
    ["none run", "a b", "a~ b~", ["none-run", "skipped:a,b", "fewer-run"]],
    ["none left (A26)", "a b", "", ["none-run", "removed:a,b", "fewer-run"]],
    ["none run where there were none", "", "", ["none-run"]],
  ] as const)("%s is found", ([, base, candidate, findings]) => {
    expect(found(run(base), run(candidate))).toEqual(findings);
  });

  test("what is excused is not missed in the total, and what is not excused is", () => {
    expect(found(run("a b c"), run("a~ c"), { testsSkipped: ["a"], testsRemoved: ["b"] })).toEqual([]);
    expect(found(run("a b c"), run("a~ c~ d"), { testsSkipped: ["a"], testsRemoved: ["b"] })).toEqual(["skipped:c"]);
    expect(found(run("a b c"), run("a~ c~"), { testsSkipped: ["a"], testsRemoved: ["b"] })).toEqual([
      "none-run",
      "skipped:c",
      "fewer-run",
    ]);
  });
});

describe("the exit code", () => {
  test.for([
    ["0 though a test failed", "a b", run("a b!", 0), ["failing:b", "exit-code"]],
    ["0 though a test fails as on the base", "a b!", run("a b!", 0), ["exit-code:b"]],
    ["1 though all passed", "a b", run("a b", 1), ["exit-code"]],
    ["2 though all passed", "a b~", run("a b~", 2), ["exit-code"]],
  ] as const)("%s speaks against it", ([, base, candidate, findings]) => {
    expect(found(run(base), candidate)).toEqual(findings);
  });

  test("1 though all passed is no better where it is so on the base", () => {
    expect(found(run("a b", 1), run("a b", 1))).toEqual(["exit-code"]);
  });

  test("another one than the base's is not explained by what fails there too", () => {
    expect(found(run("a!", 1), run("a!", 1))).toEqual([]);
    expect(found(run("a!", 1), run("a!", 2))).toEqual(["exit-code:a"]);
    expect(found(undefined, run("a!", 1))).toEqual(["failing:a"]);
  });
});

describe("words", () => {
  test("no test that ran is another thing than no test", () => {
    const says = (text: string) => findingsLine(compareRuns(undefined, run(text), NOTHING).findings);
    expect([says(""), says("a~ b?")]).toEqual(["the report holds no tests", "no test was run; 1 test newly skipped"]);
  });

  test("ids are raw where they are compared, and harmless where they are shown", () => {
    const evil = "a\x1b]0;owned\x07\x1b[2J b";
    const other = "a b";
    const base = { exitCode: 0, tests: [{ id: evil, outcome: "passed" as const }] };
    const { findings } = compareRuns(base, { exitCode: 0, tests: [{ id: other, outcome: "passed" }] }, NOTHING);
    expect(findings).toMatchObject([{ kind: "removed", ids: [evil] }]);
    expect(findingsText(findings)).toBe("1 test of the base vanished:\n  a b");
  });

  test("a long list is cut with a count, and long ids too", () => {
    const tests = Array.from({ length: 1000 }, (_, i) => ({ id: `${i} ${"x".repeat(5000)}`, outcome: "passed" as const }));
    const { findings } = compareRuns({ exitCode: 0, tests }, run("a"), NOTHING);
    const text = findingsText(findings);
    expect(text).toContain("and 985 more");
    expect(text.length).toBeLessThan(2_800);
    expect(findingsLine(findings)).toBe("1000 tests of the base vanished; 1 test run, 1000 on the base");
  });

  test("a pass says what it proves", () => {
    const comparison = compareRuns(run("a b! c~"), run("a b! c~ d"), NOTHING);
    expect(passedLine({ strength: "compared", seconds: "1.5", comparison })).toBe(
      "passed in 1.5 s: 3 tests, 1 skipped, 2 on the base; 1 test fails on the base and does not count: b",
    );
    const first = compareRuns(undefined, run("a"), NOTHING);
    expect(passedLine({ strength: "uncompared", seconds: "0.1", comparison: first })).toBe(
      "passed in 0.1 s: 1 test, none on the base to compare with",
    );
    expect(passedLine({ strength: "exit-code", seconds: "0.1" })).toBe("exit code only: passed in 0.1 s");
  });
});

describe("a file of the base that could not be loaded", () => {
  const of = (ids: readonly string[], failing: readonly string[] = []): TestRun => ({
    exitCode: failing.length > 0 ? 1 : 0,
    tests: [
      ...ids.map((id) => ({ id, outcome: "passed" as const })),
      ...failing.map((id) => ({ id, outcome: "failed" as const })),
    ],
  });
  const judged = (base: TestRun, candidate: TestRun, over: { deleted?: string[]; patterns?: string[] } = {}) => {
    const fixes = { patterns: over.patterns ?? [], elsewhere: [], isLast: true };
    const { findings } = compareRuns(base, candidate, NOTHING, { fixes, files: { deleted: over.deleted ?? [], added: [] } });
    return findings.map(({ kind, ids }) => `${kind}:${ids.join(",")}`);
  };

  test.for([
    ["node's TAP", of(["a"], ["test/b.test.js"]), of(["a", "b"]), "test/b.test.js"],
    [
      "node's JUnit",
      of(["t/a.js > test > a"], ["t/b.js > test > t/b.js"]),
      of(["t/a.js > test > a", "t/b.js > test > b"]),
      "t/b.js*",
    ],
    ["vitest", of(["a.test.ts > a"], ["b.test.ts"]), of(["a.test.ts > a", "b.test.ts > s > b"]), "b.test.ts"],
    ["pytest", of(["pytest > t.a > a"], ["pytest > t.b"]), of(["pytest > t.a > a", "pytest > t.b.TestB > b"]), "pytest > t.b"],
  ] as const)("is loaded, and fixed by that: %s", ([, base, candidate, pattern]) => {
    expect(judged(base, candidate)).toEqual([]);
    expect(judged(base, candidate, { patterns: [pattern] })).toEqual([]);
  });

  test.for([
    ["the file is gone", of(["a"], ["t/b.js"]), of(["a", "c"]), "t/b.js", ["pkg/t/b.js"]],
    ["no test has come", of(["a", "c"], ["t/b.js"]), of(["a", "c"]), "t/b.js", []],
    ["the tests are those of another file", of(["a.ts > a"], ["b.ts"]), of(["a.ts > a", "a.ts > b"]), "b.ts", []],
    ["it was a test", of(["a"], ["parse"]), of(["a", "parse > b"]), "parse", []],
    ["it was a test of pytest", of([], ["pytest > t.a > b"]), of(["pytest > t.a > b > c"]), "pytest > t.a > b", []],
  ] as const)("has vanished where %s", ([, base, candidate, pattern, deleted]) => {
    expect(judged(base, candidate, { deleted: [...deleted] })).toContainEqual(`removed:${pattern}`);
    expect(judged(base, candidate, { deleted: [...deleted], patterns: [pattern] })).toContainEqual(`unfixed:${pattern}`);
  });

  test("what fails in it now counts", () => {
    expect(judged(of(["a"], ["t/b.js"]), of(["a", "b"], ["c"]))).toEqual(["failing:c"]);
  });
});
