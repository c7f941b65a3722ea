import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Whole runs of the program (end to end, foreign repositories, attacks, crashes, vendors' programs, hostile inputs), and checks that run real test runners
 * several times. They take most of the time.
 */
const LONG = [
  ...["e2e", "adversary", "agents", "example", "fuzz", "chaos", "foreign"].map((folder) => `test/${folder}/**/*.test.{ts,tsx}`),
  "test/loop/**/{deep-proof,evidence}*.test.ts",
  "packages/test-evidence/test/proof/twins/{real-runners,disarmed}.test.ts",
];

const TESTS = ["test/**/*.test.{ts,tsx}", "packages/*/test/**/*.test.ts"];

/** Files that take more than a minute by themselves, by their folders or names. A test file's size says nothing about its time. */
const SLOW =
  /\/test\/(?:adversary\/(?!register)|agents\/(?:programs|story)|example\/story|fuzz\/|chaos\/|loop\/(?:deep-proof|verify)|e2e\/(?:heal|laws|crash|honest))/;

/** Starts the slow files first, so that none of them is left running alone at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "quick", include: TESTS, exclude: LONG } },
      { extends: true, test: { name: "long", include: LONG, globalSetup: "test/e2e/build-without-proof.ts" } },
    ],
    pool: "forks",
    sequence: { sequencer: SlowFirst },
    // Twice the two cores of the smallest machine that this runs on: a third of the time of these tests is waiting.
    maxWorkers: 4,
    // Only end what hangs: whole runs take five times as long on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Only ends what hangs; vitest's own second passes while a busy machine starts a process.
    expect: { poll: { timeout: 30_000 } },
  },
});
