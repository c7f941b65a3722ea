import { defineConfig } from "vitest/config";

/** The tests that judge a mutant (docs/inside/mutation.md). */
// biome-ignore lint/style/noDefaultExport: vitest asks for it
export default defineConfig({
  test: {
    include: ["test/oracle/**/*.test.ts", "test/domain/**/*.test.ts", "test/store/results/**/*.test.ts"],
    // What takes seconds, or says how long something takes: a mutant runs slower than the code it was made of.
    exclude: ["test/**/*.property.test.ts", "test/**/*.time.test.ts", "test/domain/batch/read.fuzz.test.ts"],
    // The oracle runs as a bundle in a process of its own: no import leads from its tests to this file.
    forceRerunTriggers: ["**/oracle/done.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
