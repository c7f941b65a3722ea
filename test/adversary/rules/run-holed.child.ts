import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createVitest, type TestModule } from "vitest/node";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { type Hole, holedBuild, removeHoledBuilds } from "../holed-build.ts";
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
let holes: readonly Hole[] = [];
const dug = new Set<Hole>();

function dig(code: string, path: string): string {
  return holes
    .filter((hole) => join(ROOT, hole.file) === path)
    .reduce((source, hole) => {
      const pieces = source.split(hole.from);
      if (pieces.length !== 2) throw new Error(`${hole.file} has ${pieces.length - 1} of ${JSON.stringify(hole.from)}`);
      dug.add(hole);
      return pieces.join(hole.to);
    }, code);
}

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
          return holes.some((hole) => join(ROOT, hole.file) === path) ? dig(readFileSync(path, "utf8"), path) : undefined;
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
  for (const { file } of [...holes, ...next]) vitest.invalidateFile(join(ROOT, file));
  holes = next;
  dug.clear();
}

async function withoutDefence(rule: Rule): Promise<readonly HoledResult[]> {
  exchange(rule.isBuilt ? [] : rule.holes);
  // The forked test sees it: test/e2e/stage.ts.
  if (rule.isBuilt) process.env["LOOPDASH_TEST_PROGRAM"] = await holedBuild(rule.holes);
  else delete process.env["LOOPDASH_TEST_PROGRAM"];
  vitest.setGlobalTestNamePattern(rule.test.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const path = join(ROOT, rule.file);
  const { testModules } = await vitest.runTestSpecifications([vitest.getRootProject().createSpecification(path)]);
  // The files of earlier rules are among them.
  const results = testModules.filter(({ moduleId }) => moduleId === path).flatMap(resultsOf);
  const missed = holes.find((hole) => !dug.has(hole));
  if (missed !== undefined) throw new Error(`${missed.file} is not loaded by ${rule.file}`);
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
