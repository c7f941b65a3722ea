import { isTestPath } from "../compare/sealed-paths.ts";

/** A test runner. Everything here is by words and names alone. */
export interface TestRunner {
  readonly name: string;
  /** True if these words are a command of it. */
  isStartedBy(words: readonly string[]): boolean;
  /** True if a file may contain its tests, by its path. */
  isTestFile(path: string): boolean;
  /** Its tests may be in source files: such a file is not only a test, whatever `isTestFile` gives. */
  readonly keepsTestsInCode?: true;
  /** True if the command stops at the first test, or test program, that fails. */
  stopsEarly(words: readonly string[]): boolean;
  /** True if one process runs several files of tests: what one of them does to it is done to all. */
  sharesProcess(words: readonly string[]): boolean;
}

const always = (): boolean => true;
const never = (): boolean => false;

const SCRIPT = /\.[cm]?[jt]sx?$/;

const vitest: TestRunner = {
  name: "vitest",
  isStartedBy: ([program = ""]) => /^vitest(?:\.mjs)?$/.test(program),
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path),
  stopsEarly: (words) => words.some((word) => /^--bail(?:=[1-9]\d*)?$/.test(word)),
  sharesProcess: (words) => words.some((word) => /^--(?:no-isolate|isolate=false)$/.test(word)),
};

const jest: TestRunner = {
  name: "jest",
  isStartedBy: ([program = ""]) => /^jest(?:\.js)?$/.test(program),
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$|^(?=.*\.[cm]?[jt]sx?$)(?:.*\/)?__tests__\//.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail(?:=[1-9]\d*)?)$/.test(word)),
  sharesProcess: never,
};

const mocha: TestRunner = {
  name: "mocha",
  isStartedBy: ([program = ""]) => /^_?mocha(?:\.c?js)?$/.test(program),
  // Its own default is the folder `test`; a command may name others.
  isTestFile: (path) => /\.(?:test|spec)\.[cm]?[jt]sx?$|^(?=.*\.[cm]?[jt]sx?$)(?:.*\/)?(?:tests?|specs?)\//.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail(?:=true)?)$/.test(word)),
  sharesProcess: always,
};

const tape: TestRunner = {
  name: "tape",
  isStartedBy: ([program = ""]) => /^(?:tape|tap)$/.test(program),
  isTestFile: (path) => mocha.isTestFile(path),
  stopsEarly: (words) => words.some((word) => /^(?:-b|--bail)$/.test(word)),
  sharesProcess: always,
};

/** Node's own runner, started by `node --test` or by running a file of tests. */
const nodeTest: TestRunner = {
  name: "node:test",
  isStartedBy: ([program = "", ...words]) => {
    if (!/^(?:node|tsx)(?:\.exe)?$/.test(program)) return false;
    const script = words.find((word) => !word.startsWith("-"));
    return words.includes("--test") || (script !== undefined && nodeTest.isTestFile(script));
  },
  // Any file in the folders that a command names: one that is no test does not import node:test.
  isTestFile: (path) => SCRIPT.test(path) && /(?:^|\/)tests?\/|(?:^|[/._-])(?:test|spec)s?[._-]/.test(path),
  stopsEarly: never,
  sharesProcess: (words) => words.some((word) => /^--(?:experimental-)?test-isolation=none$/.test(word)),
};

const pytest: TestRunner = {
  name: "pytest",
  isStartedBy: ([program = "", flag, module]) =>
    /^(?:pytest|py\.test)$/.test(program) || (/^python[\d.]*$/.test(program) && flag === "-m" && module === "pytest"),
  isTestFile: (path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path),
  stopsEarly: (words) => words.some((word) => /^(?:-[a-wyz]*x[a-z]*|--exitfirst|--maxfail(?:=\d+)?)$/.test(word)),
  sharesProcess: always,
};

const goTest: TestRunner = {
  name: "go test",
  isStartedBy: ([program = "", ...words]) => (program === "go" && words[0] === "test") || program === "gotestsum",
  isTestFile: (path) => path.endsWith("_test.go"),
  stopsEarly: (words) => words.some((word) => /^--?failfast(?:=true)?$/.test(word)),
  sharesProcess: always,
};

const cargoTest: TestRunner = {
  name: "cargo test",
  isStartedBy: ([program = "", ...words]) => {
    const at = words.findIndex((word) => /^(?:test|t|nextest)$/.test(word));
    return program === "cargo" && at !== -1 && words.slice(0, at).every((word) => /^[-+]/.test(word));
  },
  isTestFile: (path) => /^(?=.*\.rs$)(?:.*\/)?(?:src|tests)\//.test(path),
  keepsTestsInCode: true,
  // cargo continues with the next test program only if told to.
  stopsEarly: (words) => !words.includes("--no-fail-fast"),
  // Each file in `tests` is a program.
  sharesProcess: never,
};

const bunTest: TestRunner = {
  name: "bun test",
  isStartedBy: ([program, word]) => program === "bun" && word === "test",
  isTestFile: (path) => /[._](?:test|spec)\.[cm]?[jt]sx?$/.test(path),
  stopsEarly: (words) => words.some((word) => /^--bail(?:=[1-9]\d*)?$/.test(word)),
  sharesProcess: always,
};

/** Runners that are made to report, and of which no single test is selected. They are known by the words of a command. */
const ONLY_REPORTING: Readonly<Record<string, RegExp>> = {
  ava: /^ava(?: |$)/,
  deno: /^deno (?:test|task)(?: |$)/,
  unittest: /^python[\d.]* -m unittest(?: |$)/,
  tox: /^(?:python[\d.]* -m )?tox(?: |$)/,
  nox: /^(?:python[\d.]* -m )?nox(?: |$)/,
  RSpec: /^(?:rspec|rake)(?: |$)/,
  PHPUnit: /^(?:php .{0,200})?(?:phpunit|pest)(?:\.phar)?(?: |$)|^(?:php .{0,200}\bartisan|composer) .{0,200}test/,
  Maven: /^mvn[dw]? .{0,200}(?:test|verify|package|install)/,
  Gradle: /^gradlew? .{0,200}(?:[tT]est|check|build)/,
};

const onlyReporting = Object.entries(ONLY_REPORTING).map(
  ([name, command]): TestRunner => ({
    name,
    isStartedBy: (words) => command.test(words.join(" ")),
    isTestFile: isTestPath,
    stopsEarly: never,
    sharesProcess: always,
  }),
);

/** Every runner that is known. A command may look like one of several: the first counts. */
export const RUNNERS: readonly TestRunner[] = [
  ...[vitest, jest, mocha, tape, nodeTest, bunTest],
  ...[pytest, goTest, cargoTest, ...onlyReporting],
];
