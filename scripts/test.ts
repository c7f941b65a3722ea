/**
 * Runs the tests: `node scripts/test.ts [--long] [vitest's arguments]`. Without a file it runs the quick tests; with `--long` the
 * long ones (vitest.config.ts lists them). Tests get a clean environment, not the machine's, and nothing of the user's own
 * loopdash. With CI=true a skipped test is a failure, failed files run again alone, and the numbers and the failures go to
 * .ci/out.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { UNHANDLED } from "./unhandled-reporter.ts";

const ROOT = resolve(import.meta.dirname, "..");
const OUT = join(ROOT, ".ci/out");
const REPORT = join(OUT, "tests.json");

/** Variables that a test may see: the paths of programs, the package registry, the terminal's type and language, and our own. */
const ALLOWED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TERM|COLORTERM|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:https?|no)_proxy|LOOPDASH_TEST_HOLES|LOOPDASH_LINEAR_SCHEMA|npm_config_(?:registry|userconfig|globalconfig|cache|cafile))$/i;

function environment(home: string): Record<string, string> {
  const allowed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => ALLOWED.test(entry[0]) && entry[1] !== undefined,
  );
  return {
    ...Object.fromEntries(allowed),
    XDG_STATE_HOME: home,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

/** The used part of vitest's JSON report. */
export interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    /** In milliseconds since the epoch. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Lines of a failure's message that state the error, and characters of each; all of it is in the tests' own output. */
const MESSAGE_LINES = 12;
const LINE_CHARS = 300;

/** The failures, each with its file and the first lines of its reason, for the end of a long log. */
export function failures(report: Report): string {
  const first = (text: string) => {
    const lines = text.split("\n").slice(0, MESSAGE_LINES);
    return lines.map((line) => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)} …` : line)).join("\n    ");
  };
  return report.testResults
    .filter((file) => file.status === "failed")
    .flatMap((file) => {
      const failed = file.assertionResults.filter((test) => test.status === "failed");
      const name = relative(ROOT, file.name);
      if (failed.length === 0) return [`${name}\n    ${first(file.message)}\n`];
      return failed.map((test) => `${name}: ${test.fullName}\n    ${first(test.failureMessages.join("\n"))}\n`);
    })
    .join("");
}

/** The numbers of failed tests and of files that failed as a whole; the tests that did not run. */
export function tally(report: Report): { failed: number; notRun: readonly string[] } {
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const brokenFiles = files.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const notRun = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
  return {
    failed: brokenFiles.length + tests.filter((test) => test.status === "failed").length,
    notRun: notRun.map((test) => test.fullName),
  };
}

/** This many failures may be random on a busy machine; more are not run again. */
const MOST_UNSTEADY = 5;

/** What vitest says when a process of its own, in which a file of tests ran or was to run, did not start or is gone. */
const WORKER_LOST = /^\[vitest-pool/;

/**
 * The files with failures, to be run again alone; none if there are too many of them, or if one of the errors outside of every
 * test is more than a lost process of vitest: that error has no file that could run again.
 */
export function toRunAgain(report: Report, errors: readonly string[] = []): readonly string[] {
  const { failed } = tally(report);
  if (!errors.every((error) => WORKER_LOST.test(error))) return [];
  const broken = report.testResults.filter((file) => file.status === "failed");
  return failed > MOST_UNSTEADY || broken.some(isByChance) ? [] : broken.map((file) => relative(ROOT, file.name));
}

/** True if the failure is a random counterexample: a second run would not find it again, but it is valid all the same. */
function isByChance({ name, assertionResults }: Report["testResults"][number]): boolean {
  const said = assertionResults.flatMap((test) => test.failureMessages);
  // The start of fast-check's message for one.
  return name.includes(".property.") || said.some((message) => message.includes("Property failed after"));
}

/** The result of both runs. A test that failed among the others and passed alone is unsteady: it passed, and it is reported. */
export function verdictOf(
  first: Report,
  again: Report | undefined,
  errors: readonly string[] = [],
): { numbers: string; told: string; failed: number } {
  const before = tally(first).failed;
  const failed = again === undefined ? before : tally(again).failed;
  const passed = first.numPassedTests + Math.max(0, before - failed);
  const outside = errors.map((error) => `error outside of every test: ${error}\n`).join("");
  const told = again === undefined ? "" : `unsteady: failed beside the others\n${failures(first)}run again alone:\n`;
  return { numbers: `${passed} passed, ${failed} failed`, told: `${outside}${told}${failures(again ?? first)}`, failed };
}

/** Files that the list of the slowest names. */
const SLOWEST = 12;

/** The files that took longest, a line each with seconds. They show what to shorten when the whole takes too long. */
export function slowest(report: Report): readonly string[] {
  const took = ({ startTime, endTime }: Report["testResults"][number]): number => Math.round((endTime - startTime) / 1000);
  const files = report.testResults.toSorted((a, b) => took(b) - took(a)).slice(0, SLOWEST);
  return files.map((file) => `${String(took(file)).padStart(5)} s  ${relative(ROOT, file.name)}`);
}

function vitest(args: readonly string[], env: Record<string, string>): number {
  const argv = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...args];
  return spawnSync(process.execPath, argv, { cwd: ROOT, env, stdio: "inherit" }).status ?? 1;
}

/** Runs the requested tests with nothing skipped, and the failed files again. Returns the exit code. */
function strictly(args: readonly string[], env: Record<string, string>): number {
  const told = join(ROOT, "scripts/unhandled-reporter.ts");
  const reporters = ["--reporter=default", "--reporter=json", `--reporter=${told}`, `--outputFile.json=${REPORT}`];
  const run = (more: readonly string[]): { report: Report; errors: readonly string[]; status: number } => {
    for (const file of [REPORT, UNHANDLED]) rmSync(file, { force: true });
    const status = vitest([...reporters, "--allowOnly=false", "--update=none", ...more], env);
    return { report: JSON.parse(readFileSync(REPORT, "utf8")), errors: JSON.parse(readFileSync(UNHANDLED, "utf8")), status };
  };
  const first = run(args);
  const files = toRunAgain(first.report, first.errors);
  const again = files.length === 0 ? undefined : run(["--maxWorkers=1", ...files]);
  const verdict = verdictOf(first.report, again?.report, [...first.errors, ...(again?.errors ?? [])]);
  writeFileSync(join(OUT, "numbers"), `${verdict.numbers}\n`);
  writeFileSync(join(OUT, "failures"), verdict.told);
  console.log(`slowest files:\n${slowest(first.report).join("\n")}`);
  const notRun = [first, ...(again === undefined ? [] : [again])].flatMap(({ report }) => tally(report).notRun);
  for (const name of notRun) console.error(`not run: ${name}`);
  return verdict.failed > 0 || notRun.length > 0 ? 1 : (again ?? first).status;
}

/** Vitest's arguments: the requested project. Named files run in whichever project they belong to. */
export function withProject(args: readonly string[]): readonly string[] {
  if (args.includes("--long")) return ["--project=long", ...args.filter((arg) => arg !== "--long")];
  return args.some((arg) => !arg.startsWith("-")) ? args : ["--project=quick", ...args];
}

function main(given: readonly string[]): number {
  const args = withProject(given);
  mkdirSync(OUT, { recursive: true });
  const home = mkdtempSync(join(tmpdir(), "loopdash-test-home-"));
  const env = environment(home);
  const code = process.env["CI"] === "true" ? strictly(args, env) : vitest(args, env);
  rmSync(home, { recursive: true, force: true });
  return code;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
