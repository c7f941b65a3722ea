import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const PACKAGES = resolve(import.meta.dirname, "packages");

/** The tests that judge a mutant. */
// biome-ignore lint/style/noDefaultExport: vitest asks for it
export default defineConfig({
  // The mutants are in a copy of this folder, and the links in node_modules lead out of it.
  resolve: {
    alias: [
      { find: /^@loopdash\/([^/]+)\/([^/]+)$/, replacement: `${PACKAGES}/$1/src/$2/index.ts` },
      { find: /^@loopdash\/([^/]+)$/, replacement: `${PACKAGES}/$1/src/index.ts` },
    ],
  },
  test: {
    include: ["test/oracle", "test/domain", "test/store/results", "packages/*/test"].map((folder) => `${folder}/**/*.test.ts`),
    // What takes seconds, or says how long something takes: a mutant runs slower than the code it was made of.
    exclude: ["**/*.property.test.ts", "**/*.time.test.ts", "test/domain/batch/read.fuzz.test.ts"],
    // The oracle runs as a bundle in a process of its own: no import leads from its tests to this file.
    forceRerunTriggers: ["**/oracle/done.ts"],
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
