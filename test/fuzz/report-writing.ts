import type { ResultsFormat } from "@loopdash/test-evidence/reports";
import type { Random } from "./random.ts";

/** Tests in suites, all of them passed. */
export interface Suite {
  readonly name: string;
  readonly tests: readonly string[];
  readonly suites: readonly Suite[];
}

const WORDS = [
  "adds",
  "a line",
  "cart",
  "<xml>",
  '"quoted"',
  "it's",
  "ünïcode ✓",
  "a & b",
  "[1-2]",
  "{int}",
  "ok 3",
  "not",
  "100 %",
  "…",
];

/** A suite with at least one test. Names differ within it, for a report that repeats one proves less. */
export function aSuite(random: Random, depth = 0): Suite {
  let made = 0;
  const name = () => {
    made += 1;
    return [...random.list(random.between(1, 3), () => random.pick(WORDS)), `t${depth}${made}${random.below(1000)}`].join(" ");
  };
  return {
    name: name(),
    tests: random.list(random.between(1, 4), name),
    suites: depth >= 3 ? [] : random.list(random.below(3), () => aSuite(random, depth + 1)),
  };
}

/** The report of a run in which every test of the suite passed. */
export function reportOf(format: ResultsFormat, suite: Suite): string {
  if (format === "tap") return `TAP version 13\n${tapOf(suite, "")}`;
  if (format === "junit") return `<?xml version="1.0"?>\n<testsuites>${junitOf(suite)}</testsuites>\n`;
  return jsonOf(suite);
}

function tapOf({ tests, suites }: Suite, indent: string): string {
  const escaped = (name: string) => name.replace(/[\\#]/g, "\\$&");
  const points = tests.map(
    (name, i) => `${indent}ok ${i + 1} - ${escaped(name)}\n${indent}  ---\n${indent}  ms: 1\n${indent}  ...\n`,
  );
  const inner = suites.map((each, i) => {
    const point = `${indent}ok ${tests.length + i + 1} - ${escaped(each.name)}\n`;
    return `${indent}# Subtest: ${escaped(each.name)}\n${tapOf(each, `${indent}    `)}${point}`;
  });
  return `${points.join("")}${inner.join("")}${indent}1..${tests.length + suites.length}\n`;
}

function junitOf({ name, tests, suites }: Suite): string {
  const quoted = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const cases = tests.map((test) => `<testcase name="${quoted(test)}" classname="${quoted(name)}" time="0.1"/>\n`);
  const inner = suites.map(junitOf);
  return `<testsuite name="${quoted(name)}" tests="${tests.length}" failures="0" errors="0">\n${cases.join("")}${inner.join("")}</testsuite>\n`;
}

function jsonOf(suite: Suite): string {
  const assertionResults = resultsOf(suite, []);
  return JSON.stringify({
    numTotalTests: assertionResults.length,
    numPassedTests: assertionResults.length,
    numFailedTests: 0,
    numFailedTestSuites: 0,
    success: true,
    startTime: 1_767_316_645_000,
    testResults: [{ name: "/home/somebody/app/a.test.js", status: "passed", message: "", assertionResults }],
  });
}

function resultsOf({ name, tests, suites }: Suite, above: readonly string[]): object[] {
  const ancestorTitles = [...above, name];
  const own = tests.map((title) => ({ ancestorTitles, title, status: "passed", duration: 1, failureMessages: [] }));
  return [...own, ...suites.flatMap((each) => resultsOf(each, ancestorTitles))];
}
