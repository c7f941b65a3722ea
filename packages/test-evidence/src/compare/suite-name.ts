import { findRunners } from "../proof/find-runner.ts";
import type { Remark } from "./compare.ts";
import type { TestResult, TestRun } from "./results.ts";

/** A run with the outermost suite of its report named as on the base, if that is a matter of settings: pytest's `junit_suite_name`. */
export function namedAsOn(base: TestRun | undefined, run: TestRun | Remark, command: readonly string[]): TestRun | Remark {
  if ("says" in run || base === undefined) return run;
  const isPytest = findRunners(command).some(({ runner }) => runner.name === "pytest");
  return isPytest ? { ...run, tests: alignSuiteName(base.tests, run.tests) } : run;
}

/** Tests by their ids with the outermost suite named as among others; as they are if they do not all lie in one suite. */
export function alignSuiteName(others: readonly TestResult[], tests: readonly TestResult[]): readonly TestResult[] {
  const [name, own] = [commonSuite(others), commonSuite(tests)];
  if (name === undefined || own === undefined || name === own) return tests;
  return tests.map((test) => ({ ...test, id: name + test.id.slice(own.length) }));
}

/** The suite in which all of them lie, below it a module and a name. */
function commonSuite(tests: readonly TestResult[]): string | undefined {
  const names = new Set(tests.map(({ id }) => /^(.*?) > .* > /s.exec(id)?.[1]));
  return names.size === 1 ? [...names][0] : undefined;
}
