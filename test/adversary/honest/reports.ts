import { join } from "node:path";
import { ROOT } from "../../../scripts/build/bundle.ts";
import { finish, type Honest, nodeCheck, scriptCheck } from "./change.ts";

/** Cases that a script of the repository runs and reports in its own way. */
const CASES = `import { add } from "../src/add.mjs";
export const cases = [
  ["adds", () => add(1, 2) === 3],
  ["adds [1-2]", () => add(-1, 2) === 1],
];
export const outcomes = () => cases.map(([name, run]) => ({ name, ok: run() }));
`;

const JEST = `import { writeFileSync } from "node:fs";
import { outcomes } from "./cases.mjs";
const tests = outcomes();
const failed = tests.filter(({ ok }) => !ok).length;
writeFileSync(process.argv[2], JSON.stringify({
  numTotalTests: tests.length, numPassedTests: tests.length - failed, numFailedTests: failed, numFailedTestSuites: failed > 0 ? 1 : 0,
  numPendingTests: 0, success: failed === 0, startTime: Date.now(), openHandles: [], snapshot: { added: 0 }, wasInterrupted: false,
  testResults: [{ name: process.cwd() + "/checks/cases.mjs", status: failed > 0 ? "failed" : "passed", startTime: Date.now(), endTime: Date.now(),
    message: "", summary: "", assertionResults: tests.map(({ name, ok }) => ({ ancestorTitles: ["cases"], fullName: "cases " + name, title: name,
      status: ok ? "passed" : "failed", failureMessages: [], location: null, duration: 1, retryReasons: [] })) }],
}));
process.exitCode = failed > 0 ? 1 : 0;
`;

const PYTEST = `import { hostname } from "node:os";
import { writeFileSync } from "node:fs";
import { outcomes } from "./cases.mjs";
const tests = outcomes();
const failed = tests.filter(({ ok }) => !ok).length;
const cases = tests.map(({ name, ok }) => '<testcase classname="tests.test_sums.TestSums" name="test_' + name.replaceAll(" ", "_") + '" time="0.001">' + (ok ? "" : '<failure message="x">x</failure>') + "</testcase>");
writeFileSync(process.argv[2], '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="' + failed +
  '" skipped="0" tests="' + tests.length + '" time="0.012" timestamp="' + new Date().toISOString().replace("Z", "+00:00") + '" hostname="' + hostname() + '">' + cases.join("") + "</testsuite></testsuites>");
process.exitCode = failed > 0 ? 1 : 0;
`;

const TAP = `import { writeFileSync } from "node:fs";
import { outcomes } from "./cases.mjs";
const tests = outcomes();
const lines = tests.flatMap(({ name, ok }, i) => [(ok ? "ok " : "not ok ") + (i + 1) + " - " + name, "  ---", "  duration_ms: 1", "  message: |", "    not ok 9 - x", "  ..."]);
writeFileSync(process.argv[2], ["TAP version 13", "# cases", ...lines, "1.." + tests.length, "# end", ""].join("\\n"));
process.exitCode = tests.every(({ ok }) => ok) ? 0 : 1;
`;

const SCRIPTS = { "checks/cases.mjs": CASES, "checks/jest.mjs": JEST, "checks/pytest.mjs": PYTEST, "checks/tap.mjs": TAP };

/** A change that adds a case to those of the base. */
function addsACase(id: string, what: string, check: object): Honest {
  return {
    id,
    what,
    base: SCRIPTS,
    // The cases are a helper of a script that the command names.
    ticket: { allow: { judge: ["checks/cases.mjs"] }, ...finish(check) },
    agent: ({ edit }) =>
      edit(
        "checks/cases.mjs",
        "];\nexport const outcomes",
        '  ["adds <nothing> & more", () => add(1, 0) === 1],\n];\nexport const outcomes',
      ),
    told: /3 tests, 2 on the base$/,
  };
}

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const VITEST_TESTS = `describe("sums", () => {
  it("adds", () => expect(1 + 2).toBe(3));
  it.each([[1, 1], [2, 4]])("squares %i to %i", (n, square) => expect(n * n).toBe(square));
});
`;

/** The repository's own vitest, read from outside, with its caches in the checkout. */
function vitestCheck(format: "vitest" | "junit"): object {
  const path = "{artifacts}/vitest-report";
  const reporter = format === "vitest" ? "json" : "junit";
  const command = [process.execPath, VITEST, "run", "--globals", `--reporter=${reporter}`, `--outputFile=${path}`];
  return { step: "check", name: "tests", command, report: { format, path } };
}

const vitestBase = {
  "checks/sums.spec.js": VITEST_TESTS,
  "vitest.config.mjs":
    'export default { cacheDir: "build/vite", test: { include: ["checks/**/*.spec.js"], pool: "threads" } };\n',
};

/** The same kind of change under every kind of report. */
export const REPORTS: readonly Honest[] = [
  addsACase("jest-json", "a report as jest writes it", scriptCheck("jest", "checks/jest.mjs")),
  addsACase("pytest-junit", "a report as pytest writes it", scriptCheck("junit", "checks/pytest.mjs")),
  addsACase("plain-tap", "TAP with diagnostics, written by hand", scriptCheck("tap", "checks/tap.mjs")),
  {
    id: "tap-file",
    what: "TAP of node, in a file",
    ticket: finish(nodeCheck("tap")),
    agent: ({ fs }) => fs.appendFileSync("test/add.test.mjs", 'test("adds nothing", () => assert.equal(add(1, 0), 1));\n'),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "report-in-the-checkout",
    what: "a report in the checkout, where an old one is tracked",
    base: { "reports/junit.xml": "<testsuites/>\n" },
    ticket: finish({
      step: "check",
      name: "tests",
      command: [process.execPath, "--test", "--test-reporter=junit", "--test-reporter-destination=reports/junit.xml"],
      report: { format: "junit", path: "reports/junit.xml" },
    }),
    agent: ({ fs }) => fs.appendFileSync("test/add.test.mjs", 'test("adds nothing", () => assert.equal(add(1, 0), 1));\n'),
    told: /6 tests, 5 on the base$/,
  },
  {
    id: "two-reports",
    what: "two checks with reports of their own",
    base: SCRIPTS,
    ticket: finish(nodeCheck("junit"), { ...scriptCheck("jest", "checks/jest.mjs"), name: "cases" }),
    agent: ({ write }) => write("docs/x.md", "x\n"),
    told: /5 tests, 5 on the base\n.* 2 tests, 2 on the base$/,
  },
  {
    id: "vitest-json",
    what: "vitest's own JSON: a test more, and an old one with more in it",
    base: vitestBase,
    ticket: finish(vitestCheck("vitest")),
    agent: ({ edit }) =>
      edit(
        "checks/sums.spec.js",
        'it("adds", () => expect(1 + 2).toBe(3));',
        'it("adds", () => { expect(1 + 2).toBe(3); expect(2 + 2).toBe(4); });\n  it("adds <none> & \\"all\\"", () => expect(0 + 1).toBe(1));',
      ),
    told: /4 tests, 3 on the base$/,
  },
];
