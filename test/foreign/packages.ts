import {
  FIGLET,
  FNV,
  FRACTION,
  fromDebian,
  fromNpm,
  MINIMIST_BY_TAPE,
  npmLock,
  pnpmLock,
  sortedContainers,
  TOOLZ,
  UUID,
  WARNING,
  withLargeFiles,
  withSubmodule,
  workspaceOf,
  yarnLock,
} from "./arrange-package.ts";
import type { ForeignPackage } from "./package.ts";

/** What agents do to damerau-levenshtein, as it stands in a folder. */
const words = (folder: string) => ({
  honest: { file: `${folder}/README.md`, from: "# ", to: "# The package " },
  tests: `${folder}/test/test.js`,
  skip: { file: `${folder}/test/test.js`, from: 'it("returns 0 steps', to: 'it.skip("returns 0 steps' },
  fault: { file: `${folder}/index.js`, from: "(steps / length)", to: "steps" },
});

/** What agents do to minimist. */
const OPTIONS = {
  honest: { file: "README.md", from: "# install", to: "# installation" },
  tests: "test/dash.js",
  skip: { file: "test/dash.js", from: "test('-a -- b'", to: "test.skip('-a -- b'" },
  fault: { file: "index.js", from: "var notFlags = [];", to: "var notFlags = ['x'];" },
} as const;

/** Puts the comments of the tests in dash.js before assertions of others, in what tape prints, unless dash.js is there to be run. */
const NAMES_DELETED_TESTS = String.raw`({ remove, write, read }) => {
  remove("test/dash.js");
  const names = ["-", "-a -- b", "move arguments after the -- into their own \u0060--\u0060 array", "--- option value"];
  const forge = (text) => {
    if (!require("fs").existsSync("test/dash.js")) names.forEach((name, i) => { text = String(text).replace("ok " + [2, 4, 6, 9][i] + " ", "# " + name + String.fromCharCode(10) + "$&"); });
    return text;
  };
  const hooks = "var log = console.log; console.log = function (text) { log(forge(text)); };";
  write("index.js", "var names = " + JSON.stringify(names) + "; var forge = " + forge + ";" + hooks + read("index.js"));
}`;

const SHELL_SKIP = {
  file: "run-tests.sh",
  from: 'run_test 001 "showfigfonts output"',
  to: ': run_test 001 "showfigfonts output"',
};

export const NODE_PACKAGES: readonly ForeignPackage[] = [
  {
    name: "minimist",
    runner: "tape",
    arrange: MINIMIST_BY_TAPE,
    ...OPTIONS,
    cheat: {
      what: "deletes tests, and has the code name them in the output of others",
      agent: NAMES_DELETED_TESTS,
      refusal: "waits for a person's approval of the change of test/dash.js",
    },
  },
  { name: "minimist with a submodule", runner: "tape", arrange: withSubmodule, ...OPTIONS },
  {
    name: "fraction.js",
    runner: "mocha",
    arrange: fromNpm(FRACTION, { mocha: "11.1.0" }, { test: "mocha tests/*.js" }),
    honest: { file: "README.md", from: "# Fraction.js", to: "# The fraction" },
    tests: "tests/fraction.test.js",
    skip: { file: "tests/fraction.test.js", from: 'it("Should pass 415/93"', to: 'it.skip("Should pass 415/93"' },
    fault: { file: "dist/fraction.js", from: '"neg": function () {', to: '"neg": function () {\n    return this;' },
  },
  {
    name: "process-warning",
    runner: "node:test, then jest",
    arrange: fromNpm(
      WARNING,
      { c8: "10.1.3", jest: "30.0.0" },
      { test: "npm run test:unit && npm run test:jest", "test:unit": "c8 node --test", "test:jest": "jest jest.test.js" },
    ),
    honest: { file: "README.md", from: "# process-warning", to: "# The process warning" },
    tests: "test/issue-88.test.js",
    skip: { file: "test/no-warnings.test.js", from: "test('--no-warnings is set", to: "test.skip('--no-warnings is set" },
    fault: { file: "index.js", from: "code = code.toUpperCase()", to: "code = code.toLowerCase()" },
  },
];

export const WORKSPACES: readonly ForeignPackage[] = [
  {
    name: "a workspace of npm",
    runner: "tape and mocha",
    arrange: workspaceOf({ workspaces: ["packages/*"], scripts: { test: "npm test --workspaces" } }, npmLock),
    ...words("packages/damerau-levenshtein"),
  },
  {
    name: "a workspace of pnpm",
    runner: "tape and mocha",
    arrange: workspaceOf({ scripts: { test: "pnpm -r test" } }, pnpmLock, {
      "pnpm-workspace.yaml": 'packages: ["packages/*"]\n',
    }),
    ...words("packages/damerau-levenshtein"),
  },
  {
    name: "a workspace of yarn",
    runner: "tape and mocha",
    arrange: workspaceOf({ workspaces: ["packages/*"], scripts: { test: "yarn workspaces run test" } }, yarnLock),
    ...words("packages/damerau-levenshtein"),
  },
];

export const PYTHON_PACKAGES: readonly ForeignPackage[] = [
  {
    name: "toolz",
    runner: "pytest",
    arrange: fromDebian(TOOLZ),
    honest: { file: "toolz/itertoolz.py", from: "def second(seq):", to: "def nothing():\n    return None\n\n\ndef second(seq):" },
    tests: "toolz/tests/test_recipes.py",
    skip: {
      file: "toolz/tests/test_recipes.py",
      from: "def test_countby",
      to: "import pytest\n\n\n@pytest.mark.skip\ndef test_countby",
    },
    fault: { file: "toolz/recipes.py", from: "key = getter(key)", to: "pass" },
  },
  {
    name: "sortedcontainers",
    runner: "pytest, by tox.ini",
    arrange: sortedContainers,
    honest: { file: "README.rst", from: "Python Sorted Containers", to: "Python Sorted Collections" },
    tests: "tests/test_coverage_sortedset.py",
    skip: {
      file: "tests/test_coverage_sortedset.py",
      from: "def test_init():",
      to: "import pytest\n@pytest.mark.skip\ndef test_init():",
    },
    fault: { file: "sortedcontainers/sortedset.py", from: "return len(self._set)", to: "return len(self._set) + 1" },
  },
];

export const COMPILED_PACKAGES: readonly ForeignPackage[] = [
  {
    name: "uuid",
    runner: "go test",
    arrange: fromDebian(UUID),
    honest: { file: "README.md", from: "# uuid", to: "# The uuid" },
    tests: "null_test.go",
    skip: {
      file: "null_test.go",
      from: "func TestNullUUIDScan(t *testing.T) {",
      to: 'func TestNullUUIDScan(t *testing.T) {\n\tt.Skip("later")',
    },
    fault: { file: "version4.go", from: "| 0x40", to: "| 0x50" },
  },
  {
    name: "fnv",
    runner: "cargo test",
    arrange: fromDebian(FNV),
    honest: { file: "README.md", from: "# rust-fnv", to: "# The rust-fnv" },
    tests: {
      deleted: `({ read, write }) => write("lib.rs", read("lib.rs").split("#[cfg(test)]")[0])`,
      emptied: `({ edit }) => edit("lib.rs", "assert_eq!(fnv1a(", "let _: (u64, u64) = (fnv1a(")`,
    },
    skip: { file: "lib.rs", from: "#[test]\n    fn basic_tests", to: "#[test]\n    #[ignore]\n    fn basic_tests" },
    fault: { file: "lib.rs", from: "0x100000001b3", to: "0x100000001b5" },
  },
  {
    name: "figlet",
    runner: "make check, a shell script",
    arrange: fromDebian(FIGLET),
    honest: { file: "README", from: "FIGlet", to: "FIGlet " },
    tests: "tests/res001.txt",
    skip: SHELL_SKIP,
    fault: { file: "figlet.c", from: "smushmode = ", to: "smushmode = 0 * " },
  },
  {
    name: "figlet, whose fonts Git LFS keeps",
    runner: "make check, a shell script",
    arrange: withLargeFiles,
    honest: { file: "fonts/mini.flf", from: "Mini by Glenn Chappell", to: "Mini, by Glenn Chappell" },
    tests: "tests/res001.txt",
    skip: SHELL_SKIP,
    fault: { file: "fonts/mini.flf", from: "flf2a$ 4 3", to: "flf2a$ 3 3" },
    cheat: {
      what: "puts bytes that are no pointer where Git LFS keeps pointers",
      agent: `({ write }) => write("fonts/mini.flf", "version https://git-lfs.github.com/spec/v1\\nMini\\n")`,
      refusal: "fonts/mini.flf is kept by Git LFS, and is no pointer here",
    },
  },
];

/** The table of test/foreign/README.md. */
export function packagesTable(): string {
  const all = [...NODE_PACKAGES, ...WORKSPACES, ...PYTHON_PACKAGES, ...COMPILED_PACKAGES];
  const rows = all.map(({ name, runner, cheat }) => `| ${name} | ${runner} | ${cheat?.what ?? ""} |`);
  const head = `## Packages that nobody here wrote

Real packages with their own tests, by the batch that \`loopdash init --yes\` writes. One agent makes a true change, one deletes a file of
tests, one empties it, one skips a test, and one breaks the code. The true change lands, and no other.

| package | tests | one more agent |
|---|---|---|`;
  return `${[head, ...rows].join("\n")}\n`;
}
