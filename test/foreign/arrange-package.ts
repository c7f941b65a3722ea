import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ForeignSource, npm, npmRegistry, unpackSource } from "../e2e/foreign-sources.ts";
import type { Stage } from "../e2e/stage.ts";

const npmSource = (name: string, sha: string): ForeignSource => ({ name, from: { npm: name }, sha });
const debianSource = (path: string, sha: string): ForeignSource => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  from: { debian: `pool/main/${path}` },
  sha,
});

export const MINIMIST = npmSource("minimist@1.2.8", "350a76c115b393c19d24654834261e5dc9f0e8cc5e08f3937fa80140f3e4ce83");
export const FRACTION = npmSource("fraction.js@5.3.4", "27e23d8e5ad285541e13e4befc51d39739354abe1f71a348de08a1c88a54a124");
const REUSIFY = npmSource("reusify@1.1.0", "2460004412100eea8e96b98f14d3dfb4e22a6628654e5431d14f974c6201ca18");
const DAMERAU = npmSource("damerau-levenshtein@1.0.8", "a23cfcb0fcac3cab70443595dc31266a6e20efbdc63857cab53c985d95075688");
export const WARNING = npmSource("process-warning@5.1.1", "4d28948634e8d9bda20d268057490ce1d2b63807407974166bee8c11d8d7e04b");
export const TOOLZ = debianSource(
  "t/toolz/toolz_0.12.0.orig.tar.gz",
  "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e",
);
const SORTED = debianSource(
  "s/sortedcontainers/sortedcontainers_2.4.0.orig.tar.gz",
  "70e22f4fd29b204f75f989e3c1e847aa1de267a028aab4233c0db783aaff78c1",
);
export const FIGLET = debianSource(
  "f/figlet/figlet_2.2.5.orig.tar.gz",
  "bf88c40fd0f077dab2712f54f8d39ac952e4e9f2e1882f1195be9e5e4257417d",
);
export const UUID = debianSource(
  "g/golang-github-google-uuid/golang-github-google-uuid_1.3.0.orig.tar.gz",
  "7f7f37c47980e0afcc178a9ffc390bec29ed2371919b4c07658eb01791a7f921",
);
export const FNV = debianSource(
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
export const fromNpm =
  (source: ForeignSource, devDependencies: Readonly<Record<string, string>>, scripts: Readonly<Record<string, string>>) =>
  async (stage: Stage): Promise<void> => {
    await unpack(stage, source);
    manifest(stage, "", { devDependencies, scripts });
    stage.write("app/.npmrc", (await npmRegistry()).npmrc);
    stage.write("app/.gitignore", IGNORED);
    npm(["install", "--package-lock-only", "--ignore-scripts"], stage.path("app"));
    commit(stage);
  };

/**
 * Two packages below `packages`, which npm, pnpm or yarn installs together. `lock` makes the lockfile. What yarn installs is installed for each
 * change: old versions of the test runners have few dependencies.
 */
export const workspaceOf =
  (root: object, lock: (stage: Stage) => void, files: Readonly<Record<string, string>> = {}) =>
  async (stage: Stage) => {
    await unpack(stage, REUSIFY, "packages/reusify");
    await unpack(stage, DAMERAU, "packages/damerau-levenshtein");
    manifest(stage, "packages/reusify", { devDependencies: { tape: "3.6.1" }, scripts: { test: "tape test.js" } });
    manifest(stage, "packages/damerau-levenshtein", { devDependencies: { mocha: "2.5.3" } });
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

/** How npm, pnpm and yarn make their lockfiles. */
export const npmLock = (stage: Stage): unknown => npm(["install", "--package-lock-only", "--ignore-scripts"], stage.path("app"));
export const pnpmLock = (stage: Stage): void => runTool(stage, "pnpm@8.15.9", "install", "--lockfile-only");
export const yarnLock = (stage: Stage): void => runTool(stage, "yarn@1.22.22", "install", "--ignore-scripts");

/** The package `minimist`, with another one as its submodule, which a test of its own needs. */
export async function withSubmodule(stage: Stage): Promise<void> {
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

export const fromDebian =
  (source: ForeignSource, more: Readonly<Record<string, string>> = {}) =>
  async (stage: Stage) => {
    await unpack(stage, source);
    for (const [file, text] of Object.entries(more)) stage.write(`app/${file}`, text);
    commit(stage);
  };

export const MINIMIST_BY_TAPE = fromNpm(MINIMIST, { tape: "5.9.0" }, { test: "tape 'test/**/*.js'" });

/** The requirements of sortedcontainers are those of its documents and benchmarks; its tests need none of them but pytest. */
export async function sortedContainers(stage: Stage): Promise<void> {
  await unpack(stage, SORTED);
  rmSync(stage.path("app/requirements.txt"));
  commit(stage);
}

/** The package `figlet`, whose fonts Git LFS keeps: its tests draw with all of them. */
export async function withLargeFiles(stage: Stage): Promise<void> {
  await unpack(stage, FIGLET);
  stage.git("app", "init", "-q", "-b", "main");
  const filter = {
    process: "git-lfs filter-process",
    clean: "git-lfs clean -- %f",
    smudge: "git-lfs smudge -- %f",
    required: "true",
  };
  for (const [key, value] of Object.entries(filter)) stage.git("app", "config", `filter.lfs.${key}`, value);
  stage.write("app/.gitattributes", "*.flf filter=lfs diff=lfs merge=lfs -text\n");
  commit(stage);
}
