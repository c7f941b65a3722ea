import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../../e2e/stage.ts";
import type { TicketAttack, World } from "../campaign.ts";

/** Two tests by Node's own runner, each file in a process of its own. */
const ADD_TEST = `import { test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
test("adds negative numbers", () => assert.equal(add(-1, -2), -3));
`;

const MORE_TEST = `import { describe, test } from "node:test";
import assert from "node:assert";
import { add } from "../add.mjs";
describe("sums", () => {
  test("of zeros", () => assert.equal(add(0, 0), 0));
});
`;

/**
 * A runner with tests and code in its own process, like pytest and jest -i: its report is a stream for JUnit and TAP, and comes
 * in one piece at the end for jest's JSON. It reads a configuration, a file of hooks and fixtures beside the tests.
 */
const RUNNER = `import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
const [folder, format, out] = process.argv.slice(2);
const config = existsSync("runner.json") ? JSON.parse(readFileSync("runner.json", "utf8")) : {};
const found = [];
let file = "";
const taking = (mark) => (name, run) => found.push({ file, name, run, mark });
globalThis.test = Object.assign(taking("run"), { skip: taking("skip"), only: taking("only") });
if (existsSync("conftest.mjs")) await import(process.cwd() + "/conftest.mjs");
for (const each of readdirSync(folder).filter((name) => name.endsWith(".mjs")).sort()) {
  file = folder + "/" + each;
  if (file.includes(config.include ?? "")) await import(process.cwd() + "/" + file);
}
if (out !== "-") mkdirSync(dirname(out), { recursive: true });
const write = (text) => (out === "-" ? console.log(text) : appendFileSync(out, text + "\\n"));
const lone = found.some(({ mark }) => mark === "only");
const results = [];
if (format === "junit") write('<testsuites><testsuite name="suite">');
if (format === "tap") write("TAP version 14");
const startTime = Date.now();
for (const [i, each] of found.entries()) {
  let outcome = each.mark === "skip" || (lone && each.mark !== "only") ? "skipped" : "failed";
  if (format === "junit") write('<testcase classname="' + each.file + '" name="' + each.name + '">');
  let runs = 0;
  while (outcome === "failed" && runs++ <= (config.retries ?? 0)) {
    try {
      await each.run();
      outcome = "passed";
    } catch (error) {
      if (format === "junit" && runs <= (config.retries ?? 0)) write("<flakyFailure/>");
    }
  }
  results.push({ ...each, outcome });
  if (format === "junit") write({ passed: "", failed: "<failure/>", skipped: "<skipped/>" }[outcome] + "</testcase>");
  const point = (outcome === "failed" ? "not ok " : "ok ") + (i + 1) + " - " + each.name;
  if (format === "tap") write(point + (outcome === "skipped" ? " # SKIP" : ""));
}
const failed = results.filter(({ outcome }) => outcome === "failed").length;
if (format === "junit") write("</testsuite></testsuites>");
if (format === "tap") write("1.." + results.length);
if (format === "jest") {
  const named = ({ name, outcome }) => ({ ancestorTitles: [], title: name, status: outcome });
  const testResults = [...new Set(results.map((each) => each.file))].map((name) => {
    const own = results.filter((each) => each.file === name);
    const status = own.some(({ outcome }) => outcome === "failed") ? "failed" : "passed";
    return { name, status, assertionResults: own.map(named) };
  });
  const counts = { numTotalTests: results.length, numFailedTests: failed, numFailedTestSuites: failed > 0 ? 1 : 0 };
  writeFileSync(out, JSON.stringify({ ...counts, success: failed === 0, startTime, testResults }));
}
process.exitCode = failed > 0 ? 1 : 0;
`;

const SUITE = `import { deepStrictEqual, strictEqual } from "node:assert";
import { add } from "../add.mjs";
test("adds", () => strictEqual(add(1, 2), 3));
test("adds below zero", () => strictEqual(add(-1, -2), -3));
`;

/** Tests that share a name, as in a table of cases. */
const TABLE = `import { strictEqual } from "node:assert";
import { add } from "../add.mjs";
for (const n of [1, 2]) test("doubles", () => strictEqual(add(n, n), 2 * n));
`;

const LOCKED = `import { strictEqual } from "node:assert";
import { readFileSync } from "node:fs";
import { add } from "../add.mjs";
const { cases } = JSON.parse(readFileSync("locked/fixtures.json", "utf8"));
test("adds what is in the fixtures", () => cases.forEach(([a, b, sum]) => strictEqual(add(a, b), sum)));
test("prints as it did", () => strictEqual(String(add(2, 2)) + "\\n", readFileSync("locked/print.snap", "utf8")));
`;

/** A test that fails on the base, too. */
const KNOWN = `import { strictEqual } from "node:assert";
import { add } from "../add.mjs";
test("adds", () => strictEqual(add(1, 2), 3));
test("adds letters to numbers", () => strictEqual(add("a", 1), "one"));
`;

const VITEST_TEST = `import { add } from "../add.mjs";
test("adds", () => expect(add(1, 2)).toBe(3));
describe("below zero", () => {
  test("adds", () => expect(add(-1, -2)).toBe(-3));
});
`;

const FILES = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "test/add.test.mjs": ADD_TEST,
  "test/more.test.mjs": MORE_TEST,
  "tools/run.mjs": RUNNER,
  "tools/smudge.mjs": "process.stdin.pipe(process.stdout);\n",
  "suite/add.mjs": SUITE,
  "table/doubles.mjs": TABLE,
  "locked/add.mjs": LOCKED,
  "locked/fixtures.json": '{"cases": [[1, 2, 3], [-1, -2, -3]]}\n',
  "locked/print.snap": "4\n",
  "known/add.mjs": KNOWN,
  "vi/add.test.mjs": VITEST_TEST,
  "setup.mjs": "",
  ".husky/reference-transaction": "#!/bin/sh\n",
  ".gitignore": "local.json\nnode_modules/\n",
  "package.json": '{"private": true, "scripts": {"test": "node tools/run.mjs suite jest /tmp/report.json"}}\n',
  "jest.config.json": '{\n  "coverageThreshold": {"global": {\n    "lines": 90\n  }}\n}\n',
  "c8.config.mjs": "",
  ".c8rc.json": '{\n  "check-coverage": true,\n  "branches": 80\n}\n',
  "karma.conf.js": "export default {\n  functions: 70,\n};\n",
  "pyproject.toml": "[tool.coverage.report]\nfail_under = 85\n",
  "codecov.yml": "coverage:\n  status:\n    project:\n      default:\n        target: 80%\n",
  "calc.py": "def add(a, b):\n    return a + b\n",
};

const ROOT = join(import.meta.dirname, "..", "..", "..");
const MODULES = join(ROOT, "node_modules");

/** Keys of a batch in which each change is proven before it lands, and nobody approves a change of what judges. */
export const JUDGED_AT_ONCE = { proof: "each", judge: "refuse" } as const;

/** A folder that all checked commands may write: a batch may open one as a cache. */
export const CACHE = "cache";

const around = (stage: Stage): void => {
  mkdirSync(stage.path(CACHE));
};

/** Settings that a user may well have: a filter and hooks that are scripts of the repository. A submodule is on the base. */
function furnish(stage: Stage, { path, attack }: { readonly path: string; readonly attack: TicketAttack }): void {
  const repo = attack.id.toLowerCase();
  if (attack.id.startsWith("A32")) {
    const module = `160000,${stage.git(repo, "rev-parse", "HEAD")},vendor/lib`;
    stage.git(repo, "update-index", "--add", "--cacheinfo", module);
    stage.git(repo, "commit", "-q", "-m", "a submodule");
    mkdirSync(join(path, "vendor/lib"), { recursive: true });
  }
  if (attack.id.startsWith("A12-hook")) stage.git(repo, "config", "core.hooksPath", join(path, ".husky"));
  if (attack.id.startsWith("A12-filter")) stage.git(repo, "config", "filter.own.smudge", "node tools/smudge.mjs");
}

/** All repositories have the same content; each attack names the check that it targets. */
export const world: World = {
  files: FILES,
  batch: {
    sandbox: "required",
    ...JUDGED_AT_ONCE,
    sandboxPolicy: { read: [MODULES], write: [CACHE] },
    protect: [
      "locked/**",
      "tools/run.mjs",
      "package.json",
      "ci/vitest.config.mjs",
      ".npmrc",
      ".env",
      "conftest.*",
      ".pytest.ini",
      "nextest.toml",
      "caf\u00e9/**",
      "stra\u00dfe/**",
    ],
    finish: [{ step: "gates" }, { step: "merge" }],
  },
  around,
  furnish,
  env: (stage) => ({ PATH: `.:${stage.path("a12-landed", "node_modules", ".bin")}:${process.env["PATH"] ?? ""}` }),
};

/** A finish line with one check. */
const finish = (...checks: readonly object[]): { readonly finish: readonly object[] } => ({
  finish: [{ step: "gates" }, ...checks.map((check) => ({ step: "check", name: "tests", ...check })), { step: "merge" }],
});

/** Node's own runner on `test/`, checked by its report. */
export function byNode(reporter: "junit" | "tap") {
  const path = `{artifacts}/report.${reporter}`;
  const command = [
    process.execPath,
    "--test",
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${path}`,
    "test/*.mjs",
  ];
  return finish({ command, report: { format: reporter, path } });
}

/** The repository's own runner on a folder. TAP goes to stdout, other reports to a file: a new one, or one of the checkout. */
export function byOwn(folder: string, format: "junit" | "jest" | "tap", at?: string) {
  const path = format === "tap" ? "-" : (at ?? "{artifacts}/report");
  return finish({ command: [process.execPath, "tools/run.mjs", folder, format, path], report: { format, path } });
}

/** vitest itself. */
export function byVitest() {
  const path = "{artifacts}/report.json";
  const options = ["--globals", "--dir", "vi", "--pool=threads", "--no-isolate", "--reporter=json", `--outputFile=${path}`];
  const command = [process.execPath, join(MODULES, "vitest/vitest.mjs"), "run", ...options];
  return finish({ command, report: { format: "vitest", path } });
}

/** A command that is checked by its exit code alone. */
export function byCode(...command: readonly string[]) {
  return finish({ command, compare: "exit-code" });
}

/** A person allows suppressions for the ticket: only the results can stop it. */
export const MAY_SUPPRESS = { allow: { suppressions: true } };

/** Source of an agent that replaces a piece of a file. It throws if the piece is missing: then the attack did not run. */
export function edit(file: string, from: string, to: string): string {
  const [path, piece, put] = [file, from, to].map((text) => JSON.stringify(text));
  return `{ const text = fs.readFileSync(${path}, "utf8"); if (!text.includes(${piece})) throw new Error("nothing to replace");
    fs.writeFileSync(${path}, text.replace(${piece}, () => ${put})); }\n`;
}

/** Source of an agent that writes a file. */
export function put(file: string, text: string): string {
  return `fs.mkdirSync(${JSON.stringify(join(file, ".."))}, { recursive: true });
    fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)});\n`;
}

/** Source of an agent that breaks the tested code. */
export const BREAK = edit("add.mjs", "a + b", "Math.abs(a) + Math.abs(b)");

/** A JUnit report with the runner's usual content for the suite. */
export const GOOD_JUNIT =
  '<testsuites><testsuite name="suite"><testcase classname="suite/add.mjs" name="adds"/>' +
  '<testcase classname="suite/add.mjs" name="adds below zero"/></testsuite></testsuites>\n';
