import { defineConfig } from "vitest/config";

/**
 * Whole runs of the program (end to end, attacks, crashes, vendors' programs, hostile inputs), and checks that run real test runners
 * several times. They take most of the time.
 */
const LONG = [
  ...["e2e", "adversary", "agents", "example", "fuzz"].map((folder) => `test/${folder}/**/*.test.{ts,tsx}`),
  "test/loop/**/{test-canary,evidence}*.test.ts",
];

const TESTS = "test/**/*.test.{ts,tsx}";

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "quick", include: [TESTS], exclude: LONG } },
      { extends: true, test: { name: "long", include: LONG } },
    ],
    pool: "forks",
    // Twice the two cores of the smallest machine that this runs on: a third of the time of these tests is waiting.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
