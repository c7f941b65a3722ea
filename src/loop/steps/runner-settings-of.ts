import { dirname } from "node:path";
import picomatch from "picomatch";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import type { Origin } from "../../domain/run/landings.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import { loads } from "../../domain/test-canary/loads.ts";
import { filesNamedIn, loadedBySettingsAlone, withoutCodeUnderTest } from "../../domain/test-canary/named-files.ts";
import { folderOf } from "../../domain/test-canary/python-modules.ts";
import {
  isManifest,
  isRunnerFile,
  pluginsNamedBy,
  runnerPartOf,
  withRunnerPartOf,
} from "../../domain/test-canary/runner-settings.ts";
import { testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { Repo } from "../../ports/vcs.ts";
import { TrustedFiles } from "./origins.ts";
import { pytestList, pythonShadows } from "./python-shadows.ts";

/** Arguments of a command may name other files of the repository: a report, a list. */
const SCRIPT = /\.[cm]?[jt]sx?$/;
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs)$/;

/** True for a test file of the command. `isMore`: test files by other than their usual names. */
export function testIn(
  found: FoundRunner,
  committed: readonly string[],
  isMore: (path: string) => boolean = () => false,
): (path: string) => boolean {
  const run = new Set(testFilesOf(found, committed));
  const { runner } = found;
  return (path) =>
    SOURCE.test(path) &&
    !isRunnerFile(path) &&
    (run.has(path) || runner.isTestFile(path) || isMore(path)) &&
    (runner.keepsTestsInCode !== true || isTestPath(path));
}

/** True for test files that trusted settings of pytest name, or that the command names for Node's own runner. */
export async function otherTests(repo: Repo, { runner, words }: FoundRunner, origin: Origin): Promise<(path: string) => boolean> {
  const trusted = await TrustedFiles.read(repo, origin);
  if (runner.name === "pytest") {
    const patterns = (await pytestList(trusted, "python_files")).filter(({ word }) => /test|spec|check/i.test(word));
    return picomatch(patterns.map(({ word }) => (word.includes("/") ? word : `**/${word}`)));
  }
  if (runner.name !== "node:test") return () => false;
  const files = await trusted.paths();
  const scripts = files.filter((path) => SCRIPT.test(path)).slice(0, MAX_OTHERS);
  const named = words.slice(1).filter((word) => !word.startsWith("-") && /[*?{[]/.test(word));
  const globs = named.map((word) => picomatch(word.replace(/^(?:\.\/)+/, "")));
  if (globs.length === 0) return () => false;
  const all = new Set(scripts);
  const texts = [...(await trusted.texts(scripts))];
  // A glob may name code under test as well: other code loads that.
  const ofTests = globs.filter((isNamed) => {
    const loaded = texts.flatMap(([path, text]) => (isNamed(path) ? [] : filesNamedIn(text, folderOf(path), all)));
    return !loaded.some((path) => isNamed(path));
  });
  return (path) => ofTests.some((isNamed) => isNamed(path));
}

/** Files that configure the test runner: those new since the origin, and the origin's text of edited or removed ones. */
export async function settingsOf(
  repo: Repo,
  found: FoundRunner,
  { origin, commit, isRed }: { readonly origin: Origin; readonly commit: string; readonly isRed: boolean },
): Promise<Pick<Parameters<Repo["deriveCommit"]>[0], "without" | "files">> {
  const trusted = await TrustedFiles.read(repo, origin);
  const paths = await trusted.changedIn(commit);
  const [committed, base] = await Promise.all([repo.files(commit), repo.files(origin.first)]);
  const shadows = () => pythonShadows({ trusted, found, changed: paths, committed, base, isRed });
  const isShadow = found.runner.name === "pytest" ? await shadows() : () => false;
  const isOfTests = manifestsOfTests(found, base);
  const links = new Set(paths.flatMap(({ path, how, mode }) => (how !== "deleted" && mode === "symlink" ? [path] : [])));
  const isSetting = (path: string) =>
    isRunnerFile(path) || (path.endsWith("/__init__.py") && isTestPath(path)) || (links.has(path) && isManifest(path));
  const without = paths.flatMap(({ path, how }) =>
    how === "added" && (isSetting(path) || isShadow(path) || isOfTests(path)) ? [path] : [],
  );
  const old = paths.flatMap(({ path, how }) => (how === "added" ? [] : [path]));
  const [before, after, isNamed] = await Promise.all([
    trusted.texts(old),
    repo.readFiles({
      commit,
      paths: paths.flatMap(({ path }) => (isManifest(path) && !links.has(path) && !without.includes(path) ? [path] : [])),
    }),
    namedBySettings(trusted, found, old),
  ]);
  const isTest = testIn(found, base);
  const whole = old.filter((path) => isSetting(path) || (isNamed(path) && !isTest(path)));
  const parts = [...after].map(([path, text]) => ({ path, text: withRunnerPartOf(path, text, before.get(path)) }));
  const texts = [...whole.map((path) => ({ path, text: before.get(path) })), ...parts];
  return { without, files: texts.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])) };
}

/** Files with trusted settings that are searched for what they load, and files that they may load. */
const MAX_SETTINGS = 200;
const MAX_OTHERS = 5_000;

/** Options that name settings of another name than the usual one. */
const CONFIG_OPTION = /^(?:-c|--config)$/;

/** Files that the trusted settings, or options of the command, name, and that neither tests nor other code load. */
async function namedBySettings(
  trusted: TrustedFiles,
  { words }: FoundRunner,
  changed: readonly string[],
): Promise<(path: string) => boolean> {
  if (!changed.some((path) => SOURCE.test(path))) return () => false;
  const committed = await trusted.paths();
  const files = new Set(committed.filter((path) => SOURCE.test(path)));
  const [inOptions, configs] = [filesIn(optionsIn(words), files), filesIn(optionsIn(words, CONFIG_OPTION), files)];
  const usual = committed.filter((path) => isRunnerFile(path) || isManifest(path)).slice(0, MAX_SETTINGS);
  const texts = await trusted.texts([...new Set([...usual, ...configs])]);
  const named = [...texts].flatMap(([path, text]) =>
    path.endsWith(".py") ? [] : filesNamedIn(withoutCodeUnderTest(runnerPartOf(path, text)), dirname(path), files),
  );
  const scripts = [...files].filter((path) => !path.endsWith(".py")).slice(0, MAX_OTHERS);
  const modules = modulesIn([...texts.values(), words.join(" ")].flatMap(pluginsNamedBy), files);
  const plugins = await loadedByNoOther(
    trusted,
    changed.filter((path) => modules.has(path)),
    files,
  );
  const found = loadedBySettingsAlone({
    texts: named.length + inOptions.length > 0 ? await trusted.texts(scripts) : new Map(),
    settings: new Set(texts.keys()),
    named: [...new Set([...named, ...inOptions])],
  });
  return (path) => found.has(path) || plugins.has(path);
}

/** Those of these plugins that no module loads but a conftest.py. */
async function loadedByNoOther(
  trusted: TrustedFiles,
  plugins: readonly string[],
  files: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (plugins.length === 0) return new Set();
  const modules = [...files].filter((path) => path.endsWith(".py") && !isRunnerFile(path)).slice(0, MAX_OTHERS);
  const texts = [...(await trusted.texts(modules))];
  return new Set(plugins.filter((plugin) => !texts.some(([path, text]) => path !== plugin && loads(text, plugin))));
}

/** The values of options, each in quotes. */
function optionsIn(words: readonly string[], isOption = /^-/): string {
  const values = words.flatMap((word, i) => {
    const [name = "", value] = word.split(/=(.*)/s);
    if (value !== undefined) return isOption.test(name) ? [value] : [];
    return i > 0 && isOption.test(words[i - 1] ?? "") ? [word] : [];
  });
  return values.map((value) => `"${value}"`).join("\n");
}

function filesIn(text: string, files: ReadonlySet<string>): readonly string[] {
  return filesNamedIn(text, ".", files);
}

/** The files of Python modules, in whatever folder Python is told to search. */
function modulesIn(modules: readonly string[], files: ReadonlySet<string>): ReadonlySet<string> {
  const ends = modules.flatMap((name) => ["", "/__init__"].map((end) => `/${name.replaceAll(".", "/")}${end}.py`));
  return new Set([...files].filter((path) => ends.some((end) => `/${path}`.endsWith(end))));
}

/** True for a package.json in a folder of which all code of the base is tests: it only changes how they are loaded. */
function manifestsOfTests({ runner }: FoundRunner, base: readonly string[]): (path: string) => boolean {
  return (path) => {
    if (!path.endsWith("/package.json")) return false;
    const inside = base.filter((each) => SCRIPT.test(each) && each.startsWith(`${dirname(path)}/`));
    return inside.some((each) => runner.isTestFile(each)) && inside.every((each) => runner.isTestFile(each) || isTestPath(each));
  };
}
