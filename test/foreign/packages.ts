import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ForeignSource, npm, npmRegistry, unpackSource } from "../e2e/foreign-sources.ts";
import type { Stage } from "../e2e/stage.ts";

/** Text that a change replaces in a file. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A package that nobody here wrote, as a repository with its real install and tests, and what agents do to it. */
export interface ForeignPackage {
  readonly name: string;
  readonly runner: string;
  /** Makes the repository `app`. */
  readonly arrange: (stage: Stage) => Promise<void>;
  /** A change that is true to its ticket, and lands. */
  readonly honest: Edit;
  /** The file of tests that one agent deletes, and another one empties. */
  readonly tests: string;
  /** Makes a test that is skipped. */
  readonly skip: Edit;
  /** Breaks the code, so that a test of the base fails. */
  readonly fault: Edit;
}

const npmSource = (name: string, sha: string): ForeignSource => ({ name, from: { npm: name }, sha });
const debianSource = (path: string, sha: string): ForeignSource => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  from: { debian: `pool/main/${path}` },
  sha,
});

const MINIMIST = npmSource("minimist@1.2.8", "350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83");
const FRACTION = npmSource("fraction.js@5.3.4", "27e23d8e5ad285541e13e4befc51d39739354abe1f71a348de08a1c88a54a124");
const REUSIFY = npmSource("reusify@1.1.0", "2460004412100eea8e96b98f14d3dfb4e22a6628654e5431d14f974c6201ca18");
const DAMERAU = npmSource("damerau-levenshtein@1.0.8", "a23cfcb0fcac3cab70443595dc31266a6e20efbdc63857cab53c985d95075688");
const WARNING = npmSource("process-warning@5.1.1", "4d28948634e8d9bda20d268057490ce1d2b63807407974166bee8c11d8d7e04b");
const TOOLZ = debianSource(
  "t/toolz/toolz_0.12.0.orig.tar.gz",
  "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e",
);
const SORTED = debianSource(
  "s/sortedcontainers/sortedcontainers_2.4.0.orig.tar.gz",
  "70e22f4fd29b204f75f989e3c1e847aa1de267a028aab4233c0db783aaff78c1",
);
const FIGLET = debianSource(
  "f/figlet/figlet_2.2.5.orig.tar.gz",
  "bf88c40fd0f077dab2712f54f8d39ac952e4e9f2e1882f1195be9e5e4257417d",
);
const UUID = debianSource(
  "g/golang-github-google-uuid/golang-github-google-uuid_1.3.0.orig.tar.gz",
  "7f7f37c47980e0afcc178a9ffc390bec29ed2371919b4c07658eb01791a7f921",
);
const FNV = debianSource(
  "r/rust-fnv/rust-fnv_1.0.7.orig.tar.gz",
  "3f9eec918d3f24069decb9af1554cad7c880e2da24a9afd88aca000531ab82c1",
);

/** Unpacks a source into `app`, or a folder below it. */
const unpack = (stage: Stage, source: ForeignSource, folder = "") =>
  unpackSource(source, { folder: join(stage.root, "archives"), to: stage.path("app", folder) });

function commit(stage: Stage): void {
  stage.git("app", "init", "-q", "-b", "main");
  stage.git("app", "add", "-A", "-f");
  stage.git("app", "commit", "-q", "-m", "import");
}

/** The package's manifest with these keys in place of its own; its other development dependencies are not installed. */
function manifest(stage: Stage, folder: string, over: object): void {
  const file = stage.path("app", folder, "package.json");
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...over }, undefined, 2)}\n`);
}

const IGNORED = "node_modules\ncoverage\n.nyc_output\n";

/** An npm package with the tools of its tests, and a lockfile. */
const fromNpm =
  (source: ForeignSource, devDependencies: Readonly<Record<string, string>>, scripts: Readonly<Record<string, string>>) =>
  async (stage: Stage): Promise<void> => {
    await unpack(stage, source);
    manifest(stage, "", { devDependencies, scripts });
    stage.write("app/.npmrc", (await npmRegistry()).npmrc);
    stage.write("app/.gitignore", IGNORED);
    npm(["install", "--package-lock-only", "--ignore-scripts"], stage.path("app"));
    commit(stage);
  };

/** Two packages below `packages`, which npm, pnpm or yarn installs together. `lock` makes the lockfile. */
const workspaceOf =
  (root: object, files: Readonly<Record<string, string>>, lock: (stage: Stage) => void) => async (stage: Stage) => {
    await unpack(stage, REUSIFY, "packages/reusify");
    await unpack(stage, DAMERAU, "packages/damerau-levenshtein");
    manifest(stage, "packages/reusify", { devDependencies: { tape: "5.9.0" }, scripts: { test: "tape test.js" } });
    manifest(stage, "packages/damerau-levenshtein", { devDependencies: { mocha: "11.1.0" } });
    const top = { name: "words", version: "1.0.0", private: true, ...root };
    const own = {
      "package.json": `${JSON.stringify(top, undefined, 2)}\n`,
      ".npmrc": (await npmRegistry()).npmrc,
      ".gitignore": IGNORED,
    };
    for (const [file, text] of Object.entries({ ...own, ...files })) stage.write(`app/${file}`, text);
    lock(stage);
    for (const folder of ["", "packages/reusify", "packages/damerau-levenshtein"])
      rmSync(stage.path("app", folder, "node_modules"), { recursive: true, force: true });
    commit(stage);
  };

/** The folder of the programs that a package's `tools` are. */
export const toolsFolder = (stage: Stage): string => stage.path("tools", "node_modules");

/** Installs a program of npm for a test, and runs it in the repository. */
function runTool(stage: Stage, spec: string, ...args: readonly string[]): void {
  npm(["install", "--prefix", stage.path("tools"), "--no-audit", "--no-fund", spec]);
  const program = join(toolsFolder(stage), ".bin", spec.slice(0, spec.lastIndexOf("@")));
  execFileSync(program, args, { cwd: stage.path("app"), stdio: ["ignore", "ignore", "pipe"] });
}

/** The package `minimist`, with another one as its submodule, which a test of its own needs. */
async function withSubmodule(stage: Stage): Promise<void> {
  await unpackSource(DAMERAU, { folder: join(stage.root, "archives"), to: stage.path("damerau") });
  stage.git("damerau", "init", "-q", "-b", "main");
  stage.git("damerau", "add", "-A", "-f");
  stage.git("damerau", "commit", "-q", "-m", "import");
  await MINIMIST_BY_TAPE(stage);
  stage.git("app", "-c", "protocol.file.allow=always", "submodule", "add", "-q", stage.path("damerau"), "vendor/damerau");
  stage.write("app/test/words.js", WORDS_TEST);
  stage.git("app", "add", "-A");
  stage.git("app", "commit", "-q", "-m", "words of a submodule");
}

const WORDS_TEST = `'use strict';

var test = require('tape');
var steps = require('../vendor/damerau');

test('the submodule is there', function (t) {
\tt.equal(steps('one', 'two').steps, 3);
\tt.end();
});
`;

const fromDebian =
  (source: ForeignSource, more: Readonly<Record<string, string>> = {}) =>
  async (stage: Stage) => {
    await unpack(stage, source);
    for (const [file, text] of Object.entries(more)) stage.write(`app/${file}`, text);
    commit(stage);
  };

/** What agents do to damerau-levenshtein, as it stands in a folder. */
const words = (folder: string) => ({
  honest: { file: `${folder}/README.md`, from: "# ", to: "# The package " },
  tests: `${folder}/test/test.js`,
  skip: { file: `${folder}/test/test.js`, from: 'it("returns 0 steps', to: 'it.skip("returns 0 steps' },
  fault: { file: `${folder}/index.js`, from: "relative: steps / length", to: "relative: steps" },
});

const MINIMIST_BY_TAPE = fromNpm(MINIMIST, { tape: "5.9.0" }, { test: "tape 'test/**/*.js'" });

/** What agents do to minimist. */
const OPTIONS = {
  honest: { file: "README.md", from: "# install", to: "# installation" },
  tests: "test/dash.js",
  skip: { file: "test/dash.js", from: "test('-a -- b'", to: "test.skip('-a -- b'" },
  fault: { file: "index.js", from: "var notFlags = [];", to: "var notFlags = ['x'];" },
} as const;

export const FOREIGN_PACKAGES: readonly ForeignPackage[] = [
  {
    name: "minimist",
    runner: "tape",
    arrange: MINIMIST_BY_TAPE,
    ...OPTIONS,
  },
  { name: "minimist with a submodule", runner: "tape", arrange: withSubmodule, ...OPTIONS },
  {
    name: "fraction.js",
    runner: "mocha",
    arrange: fromNpm(FRACTION, { mocha: "11.1.0" }, { test: "mocha tests/*.js" }),
    honest: { file: "README.md", from: "# Fraction.js", to: "# The fraction" },
    tests: "tests/fraction.test.js",
    skip: { file: "tests/fraction.test.js", from: 'it("Should pass 415/93"', to: 'it.skip("Should pass 415/93"' },
    fault: { file: "src/fraction.js", from: '"neg": function () {', to: '"neg": function () {\n    return this;' },
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
  {
    name: "a workspace of npm",
    runner: "tape and mocha",
    arrange: workspaceOf({ workspaces: ["packages/*"], scripts: { test: "npm test --workspaces" } }, {}, (stage) =>
      npm(["install", "--package-lock-only", "--ignore-scripts"], stage.path("app")),
    ),
    ...words("packages/damerau-levenshtein"),
  },
  {
    name: "a workspace of pnpm",
    runner: "tape and mocha",
    arrange: workspaceOf(
      { scripts: { test: "pnpm -r test" } },
      { "pnpm-workspace.yaml": 'packages: ["packages/*"]\n' },
      (stage) => runTool(stage, "pnpm@9.8.0", "install", "--lockfile-only"),
    ),
    ...words("packages/damerau-levenshtein"),
  },
  {
    name: "a workspace of yarn",
    runner: "tape and mocha",
    arrange: workspaceOf({ workspaces: ["packages/*"], scripts: { test: "yarn workspaces run test" } }, {}, (stage) =>
      runTool(stage, "yarn@1.22.22", "install", "--ignore-scripts"),
    ),
    ...words("packages/damerau-levenshtein"),
  },
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
    arrange: fromDebian(SORTED),
    honest: { file: "README.rst", from: "Python Sorted Containers", to: "Python Sorted Collections" },
    tests: "tests/test_coverage_sortedset.py",
    skip: {
      file: "tests/test_coverage_sortedset.py",
      from: "def test_init():",
      to: "import pytest\n@pytest.mark.skip\ndef test_init():",
    },
    fault: { file: "sortedcontainers/sortedset.py", from: "def isdisjoint(self, iterable):", to: "def isdisjoint(self):" },
  },
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
    arrange: fromDebian(FNV, {
      "Cargo.lock": '# made by cargo\nversion = 3\n\n[[package]]\nname = "fnv"\nversion = "1.0.7"\n',
      ".gitignore": "target\n",
    }),
    honest: { file: "README.md", from: "# rust-fnv", to: "# The rust-fnv" },
    tests: "lib.rs",
    skip: { file: "lib.rs", from: "#[test]\n    fn basic_tests", to: "#[test]\n    #[ignore]\n    fn basic_tests" },
    fault: { file: "lib.rs", from: "0x100000001b3", to: "0x100000001b5" },
  },
  {
    name: "figlet",
    runner: "make check, a shell script",
    arrange: fromDebian(FIGLET),
    honest: { file: "README", from: "FIGlet", to: "FIGlet " },
    tests: "tests/res001.txt",
    skip: { file: "run-tests.sh", from: 'run_test 001 "showfigfonts output"', to: ': run_test 001 "showfigfonts output"' },
    fault: { file: "figlet.c", from: "smushmode = ", to: "smushmode = 0 * " },
  },
];
