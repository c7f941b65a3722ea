import { basename, dirname } from "node:path";
import type { Evidence } from "../../domain/event.ts";
import type { TestResult } from "../../domain/evidence/results.ts";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import { judgeCommand } from "./command-step.ts";
import type { CanaryOutcome, PassedCheck } from "./passed-check.ts";

/**
 * Runs a passed check without the tests that the change adds: code that only passes beside tests of its own is mended by them while
 * they run (adversary case F1). Undefined if every test of the base passes still, or the change adds none.
 */
export async function checkWithoutAddedTests(
  check: PassedCheck,
  found: FoundRunner,
  paths: readonly ChangedPath[],
): Promise<CanaryOutcome | undefined> {
  const { repo, candidate } = check;
  const [committed, texts] = await Promise.all([
    repo.files(candidate.commit),
    repo.readFiles({ commit: candidate.commit, paths: touchedTests(paths, found) }),
  ]);
  const added = addedTests(paths, { found, committed, texts });
  if (added.length === 0) return undefined;
  // Twice, since a test may fail once for other reasons.
  const first = await runWithout(check, added);
  if ("evidence" in first) return { as: "broken", evidence: first.evidence };
  if (first.lost.length === 0) return undefined;
  const again = await runWithout(check, added);
  if ("evidence" in again) return { as: "broken", evidence: again.evidence };
  const ids = first.lost.filter((id) => again.lost.includes(id));
  if (ids.length === 0) return undefined;
  return {
    as: "forged",
    finding: { says: "tests of the base fail without the tests that the change adds", ids },
    output: again.output,
  };
}

/** Which tests of the base no longer pass without these files. */
async function runWithout(
  { ctx, scope, repo, step, candidate, tests, baseTests }: PassedCheck,
  files: readonly string[],
): Promise<{ readonly lost: readonly string[]; readonly output: string } | { readonly evidence: Evidence }> {
  const commit = await repo.deriveCommit({ commit: candidate.commit, files: [], without: files });
  const log = `check-${step.name}-canary-alone`;
  const judged = await judgeCommand(ctx, scope, repo, { step, commit, attributesOf: candidate.base, log });
  if (!judged.ok) return { evidence: judged.evidence };
  const now = passing(judged.reading?.ok === true ? judged.reading.tests : []);
  const before = passing(tests);
  return { lost: [...passing(baseTests)].filter((id) => before.has(id) && !now.has(id)), output: judged.result.tail };
}

function passing(results: readonly TestResult[]): ReadonlySet<string> {
  return new Set(results.flatMap(({ id, outcome }) => (outcome === "passed" ? [id] : [])));
}

/**
 * Files of tests that the change adds and the command runs, and what pytest loads beside them; not those that tests of the base which
 * the change touches may need: files that they mention, other files of their package in Go, and what pytest loads for them.
 * `texts` are those of the tests of the base that are touched.
 */
function addedTests(
  paths: readonly ChangedPath[],
  {
    found,
    committed,
    texts,
  }: {
    readonly found: FoundRunner;
    readonly committed: readonly string[];
    readonly texts: ReadonlyMap<string, string>;
  },
): readonly string[] {
  if (paths.some(({ path, how }) => how === "deleted" && isOrBelongsToTest(path, found))) return [];
  const run = new Set(testFilesOf(found, committed));
  const touched = [...texts.keys()].map((path) => `${dirname(path)}/`);
  const isNeeded = (path: string): boolean => {
    const folder = `${dirname(path)}/`;
    if (basename(path) === "conftest.py") return touched.some((each) => folder === "./" || each.startsWith(folder));
    if (found.runner.name === "go test" && touched.includes(folder)) return true;
    const stem = basename(path).replace(/\..*$/, "");
    return [...texts.values()].some((text) => text.includes(stem));
  };
  const isTest = (path: string) => run.has(path) && (found.runner.keepsTestsInCode !== true || isTestPath(path));
  const added = paths.flatMap(({ path, how }) => (how === "added" ? [path] : []));
  return added.filter((path) => (isTest(path) || basename(path) === "conftest.py") && !isNeeded(path));
}

/** Tests of the base that a change touches. */
function touchedTests(paths: readonly ChangedPath[], found: FoundRunner): readonly string[] {
  return paths.flatMap(({ path, how }) => (how === "modified" && isOrBelongsToTest(path, found) ? [path] : []));
}

function isOrBelongsToTest(path: string, { runner }: FoundRunner): boolean {
  return runner.isTestFile(path) || isTestPath(path);
}
