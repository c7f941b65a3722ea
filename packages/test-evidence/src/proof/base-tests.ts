import picomatch from "picomatch";
import { languageFamily } from "../compare/languages.ts";
import { isTestPath } from "../compare/sealed-paths.ts";
import type { TrustedTree } from "./definition.ts";
import { FileIndex, type LoadedNames } from "./file-index.ts";
import type { FoundRunner } from "./find-runner.ts";
import { listedIn } from "./python-modules.ts";
import { RUNNERS } from "./runners.ts";
import { commandTestFiles } from "./test-files.ts";

/** True for a test of any runner by its name. */
export function isUsualTest(path: string): boolean {
  return isTestPath(path) || RUNNERS.some((runner) => runner.keepsTestsInCode !== true && runner.isTestFile(path));
}

/** True for the tests of the base's runners by their usual names, by the command's words and by pytest's settings. */
export function testMatcher(
  runners: readonly FoundRunner[],
  base: TrustedTree,
  loaded: ReadonlyMap<string, LoadedNames>,
): (path: string) => boolean {
  const run = new Set(runners.flatMap((found) => (found.runner.keepsTestsInCode ? [] : commandTestFiles(found, base.files))));
  const own = runners.filter(({ runner }) => runner.keepsTestsInCode !== true);
  const globs = own.flatMap((found) => [...globsOfTests(found, base, loaded), ...pytestGlobs(found, base)]);
  return (path) =>
    isTestPath(path) ||
    run.has(path) ||
    (languageFamily(path) !== undefined &&
      (own.some(({ runner }) => runner.isTestFile(path)) || globs.some((isNamed) => isNamed(path))));
}

/** Globs of a command for Node's own runner. One that also names code under test, which other files load, is none. */
function globsOfTests(
  { runner, words }: FoundRunner,
  { files }: TrustedTree,
  loaded: ReadonlyMap<string, LoadedNames>,
): readonly ((path: string) => boolean)[] {
  const named = runner.name === "pytest" ? [] : words.slice(1).filter((word) => !word.startsWith("-") && /[*?{[]/.test(word));
  if (named.length === 0) return [];
  const index = new FileIndex(files);
  return named
    .map((word) => picomatch(word.replace(/^(?:\.\/)+/, "")))
    .filter((isNamed) => {
      for (const [path, names] of loaded)
        if (!isNamed(path)) for (const file of index.loadedBy(path, names)) if (isNamed(file)) return false;
      return true;
    })
    .map((isNamed) => (path: string) => isNamed(path));
}

function pytestGlobs({ runner }: FoundRunner, { texts }: TrustedTree): readonly ((path: string) => boolean)[] {
  if (runner.name !== "pytest") return [];
  const words = [...texts].flatMap(([path, text]) => (PYTEST_SETTINGS.test(path) ? listedIn(text, "python_files") : []));
  const globs = words.filter((word) => /test|spec|check/i.test(word)).map((word) => (word.includes("/") ? word : `**/${word}`));
  const isNamed = picomatch(globs);
  return globs.length === 0 ? [] : [(path) => isNamed(path)];
}

const PYTEST_SETTINGS = /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)$/;
