import { expect, test } from "vitest";
import { compareRuns } from "../../src/compare/compare.ts";

const NOTHING = { testsRemoved: [], testsSkipped: [], suppressions: false };

test("100,000 tests are compared in a time that grows with their number, not with its square", () => {
  const tests = Array.from({ length: 100_000 }, (_, i) => ({ id: `suite ${i % 300} > test ${i}`, outcome: "passed" as const }));
  const began = performance.now();
  const { findings } = compareRuns({ exitCode: 0, tests }, { exitCode: 0, tests: tests.slice(1) }, NOTHING);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(findings[0]).toMatchObject({ kind: "removed", ids: ["suite 0 > test 0"] });
});
