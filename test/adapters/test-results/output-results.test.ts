import { describe, expect, test } from "vitest";
import { parseOutput } from "../../../src/adapters/test-results/output-results.ts";

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

  test("as TAP", () => {
    expect(outcomes("building\nTAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n")).toEqual(["passed a", "failed b"]);
  });

  test("none", () => {
    expect(outcomes("")).toEqual([]);
    expect(outcomes("3 passed\nok\nFAIL\n")).toEqual([]);
  });
});
