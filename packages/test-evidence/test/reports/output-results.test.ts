import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseOutput } from "../../src/reports/output-results.ts";

/** The output of a runner, whose version is in the name, on a repository with some tests. */
const recorded = (name: string) => readFileSync(join(import.meta.dirname, "recorded", name), "utf8");

const outcomes = (text: string) => parseOutput(text, []).tests.map(({ id, outcome }) => `${outcome} ${id}`);

describe("tests that an output shows", () => {
  test("of go test -v, by package", () => {
    const text = [
      "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestA/sub (1.20s)\nPASS\nok  \ta.b/x\t0.002s",
      "--- SKIP: TestA (0.00s)\nFAIL\nFAIL\ta.b/y\t0.002s",
      "FAIL\ta.b/z [build failed]\n?   \ta.b/none\t[no test files]\nok  \ta.b/kept\t(cached)",
    ].join("\n");
    expect(outcomes(text)).toEqual([
      "passed a.b/x > TestA",
      "failed a.b/x > TestA/sub",
      "failed a.b/y",
      "skipped a.b/y > TestA",
      "failed a.b/z",
    ]);
  });

  test("of cargo test", () => {
    const text =
      "running 4 tests\ntest tests::basic ... ok\ntest tests::later ... ignored, not yet\ntest tests::bad ... FAILED\ntest src/lib.rs - add (line 3) ... ok\n\ntest result: FAILED. 1 passed";
    expect(outcomes(text)).toEqual([
      "passed tests::basic",
      "skipped tests::later",
      "failed tests::bad",
      "passed src/lib.rs - add (line 3)",
    ]);
  });

  test("of bun, once each, with and without colours", () => {
    const group = "a.test.ts > a group >";
    const ofA = [
      ...["passed a.test.ts > adds", "skipped a.test.ts > later", "todo a.test.ts > someday"],
      ...[`failed ${group} breaks > here`, `passed ${group} in it > fine (pass)`],
      ...["passed a.test.ts > each 1", "passed a.test.ts > is known to fail"],
    ];
    const numbers = Array.from({ length: 19 }, (_, i) => `passed c.test.ts > number ${i + 1}`);
    expect(outcomes(recorded("bun-1.4.5.txt"))).toEqual([...ofA, ...numbers, "passed sub/b.test.ts > adds"]);
    expect(outcomes(recorded("bun-1.4.5-colours.txt"))).toEqual(ofA);
    expect(outcomes("::group::a.test.ts:\n(fail) slow [27.64ms]\n  ^ this test timed out after 10ms.\n")).toEqual([
      "failed a.test.ts > slow",
    ]);
    expect(outcomes("(pass) of no file\n✓ of no file\n")).toEqual([]);
  });

  test("of deno, with the steps of each and without what they print", () => {
    expect(outcomes(recorded("deno-2.9.6.txt"))).toEqual([
      ...["passed a_test.ts > adds", "skipped a_test.ts > later", "passed a_test.ts > prints"],
      ...["passed a_test.ts > a group > fine", "passed a_test.ts > a group > prints"],
      ...["failed a_test.ts > a group > breaks ... here", "skipped a_test.ts > a group > ign", "failed a_test.ts > a group"],
      ...["passed sub/b_test.ts > d > inner", "failed sub/b_test.ts > d > bad", "failed sub/b_test.ts > d"],
      "passed sub/b_test.ts > adds",
    ]);
  });

  // The lines are those of its documentation (nexte.st/docs/running) and of snapshots in its repository.
  test("of cargo-nextest, without the output of tests and the list at its end", () => {
    const text = [
      "    Starting 6 tests across 2 binaries",
      "  SETUP PASS [   0.006s] my-script",
      "        PASS [   0.003s] my-crate tests::adds",
      "        LEAK [   2.000s] (  2/100) my-crate::bin/x tests::leaks",
      "        SLOW [> 60.000s] my-crate tests::slow",
      "  TRY 1 FAIL [   1.000s] ( 3/100) my-crate tests::flaky",
      "  TRY 2 PASS [   1.000s] ( 3/100) my-crate tests::flaky",
      "     SIGSEGV [   1.000s] my-crate tests::crashes",
      "        FAIL [   0.004s] my-crate tests::breaks",
      "test tests::breaks ... FAILED",
      " FAIL + LEAK [   1.000s] my-crate tests::both",
      "------------",
      "     Summary [   0.010s] 6 tests run: 2 passed, 4 failed, 0 skipped",
      "        FAIL [   0.004s] my-crate tests::breaks",
    ].join("\n");
    const flaky = ["failed my-crate > tests::flaky", "failed my-crate > tests::flaky"];
    expect(outcomes(text)).toEqual([
      ...["passed my-crate > tests::adds", "passed my-crate::bin/x > tests::leaks", ...flaky],
      ...["failed my-crate > tests::crashes", "failed my-crate > tests::breaks", "failed my-crate > tests::both"],
    ]);
  });

  test("as TAP", () => {
    expect(outcomes("building\nTAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n")).toEqual(["passed a", "failed b"]);
  });

  test("none", () => {
    expect(outcomes("")).toEqual([]);
    expect(outcomes("3 passed\nok\nFAIL\n")).toEqual([]);
  });
});
