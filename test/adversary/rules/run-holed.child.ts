import { join, relative } from "node:path";
import { createVitest, type TestModule } from "vitest/node";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { holedBuild, removeHoledBuilds } from "../holed-build.ts";
import { type Hole, programLocator, type Sources } from "../holes/locate.ts";
import { findTestFile } from "./find-test.ts";
import type { Rule } from "./rule.ts";

/** The result of one test. */
export interface HoledResult {
  readonly name: string;
  readonly state: string;
  /** The message of its first error; empty if it has none. */
  readonly why: string;
}

/** What this process answers to a rule. */
export type HoledAnswer = { readonly results: readonly HoledResult[] } | { readonly error: string };

/**
 * A process that gets rules as messages and answers each: it runs the tests of a rule on sources with the rule's holes, or
 * against a program that was built with them. One process for all rules, because the start of a test runner, and the sources
 * without a hole, cost more than most of the tests. A hole that does not occur exactly once is an error.
 */
let sources: Sources = new Map();
const dug = new Set<string>();

const vitest = await createVitest(
  "test",
  {
    root: ROOT,
    config: false,
    watch: false,
    pool: "forks",
    // A module with a hole must reach no other run, and no module without one this run.
    fsModuleCache: false,
    maxWorkers: 1,
    reporters: [{}],
    testTimeout: 10_000,
  },
  {
    plugins: [
      {
        name: "holes",
        enforce: "pre",
        load: (id: string) => {
          const [path = ""] = id.split("?");
          const name = relative(ROOT, path);
          if (sources.has(name)) dug.add(name);
          return sources.get(name);
        },
      },
    ],
  },
);
await vitest.standalone();

function resultsOf(module: TestModule): readonly HoledResult[] {
  for (const error of module.errors()) throw new Error(error.message);
  return [...module.children.allTests()].map((test): HoledResult => {
    const { errors = [], state } = test.result();
    return { name: test.fullName, state, why: errors[0]?.message ?? "" };
  });
}

/** Takes the holes of the last rule out of the cached modules, and those of the next one. */
function exchange(next: readonly Hole[]): void {
  const changed = programLocator().dig(next);
  for (const name of [...sources.keys(), ...changed.keys()]) vitest.invalidateFile(join(ROOT, name));
  sources = changed;
  dug.clear();
}

async function withoutDefence(rule: Rule): Promise<readonly HoledResult[]> {
  exchange(rule.isBuilt ? [] : rule.holes);
  // The forked test sees it: test/e2e/stage.ts.
  if (rule.isBuilt) process.env["LOOPDASH_TEST_PROGRAM"] = await holedBuild(rule.holes);
  else delete process.env["LOOPDASH_TEST_PROGRAM"];
  vitest.setGlobalTestNamePattern(rule.test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const path = findTestFile(rule.test);
  const { testModules } = await vitest.runTestSpecifications([vitest.getRootProject().createSpecification(path)]);
  // The files of earlier rules are among them.
  const results = testModules.filter(({ moduleId }) => moduleId === path).flatMap(resultsOf);
  const missed = [...sources.keys()].find((name) => !dug.has(name));
  if (missed !== undefined) throw new Error(`${missed} is not loaded by ${path}`);
  return results.filter(({ state }) => state !== "skipped");
}

process.on("message", async (rule: Rule) => {
  const answer: HoledAnswer = await withoutDefence(rule).then(
    (results) => ({ results }),
    (error: unknown) => ({ error: String(error) }),
  );
  process.send?.(answer);
});
process.once("disconnect", async () => {
  removeHoledBuilds();
  await vitest.close();
  process.exit(0);
});
process.send?.("ready");
