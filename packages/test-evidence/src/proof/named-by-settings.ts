import { basename, dirname, join } from "node:path/posix";
import { isDependency, isToolConfiguration } from "../compare/sealed-paths.ts";
import { type FileIndex, loadedNames } from "./file-index.ts";
import { isFoundByName } from "./found-by-name.ts";
import type { SteeringText } from "./programs.ts";
import { runnerPart } from "./runner-settings.ts";

/** Settings that are read; each only up to its first part. */
const MOST_FILES = 500;
const MOST_CHARS = 200_000;

/** Values that name code under test, folders, and files of which something is measured or typed. */
const OTHER_VALUES =
  /["']?\b(?:alias|entry|input|moduleNameMapper|collectCoverageFrom|include|exclude|files|references|testMatch|testRegex|extends|\w{0,40}(?:[dD]ir(?:s|ectory|ectories)?|[rR]oots?|[uU]rl|[pP]aths?))["']?\s{0,8}:\s{0,40}(?:\{[^{}]{0,4000}\}|\[[^\]]{0,4000}\]|[^\n]{0,400})/g;

const LISTS_OF_CODE = new RegExp(OTHER_VALUES.source.replace("|extends", "").replace("aths?)", "aths)"), "g");

/** Lock files, folders that services and editors read, and lists of tasks: of those only what the command reaches counts. */
const NOT_OF_TESTS =
  /(?:^|\/)(?:(?:GNU)?makefile|\.?justfile|taskfile\.\w+|rakefile)$|[.-]lock\b|\.lockb?$|\.sum$|(?:^|\/)\.(?:github|gitlab|circleci|husky|vscode|idea)\//i;

/** Lists of what is installed: the files in them are those of dependencies. */
const LOCK = /(?:^|\/)(?:npm-shrinkwrap\.json|[^/]*[.-]lock(?:\.\w+|b)?|go\.sum)$/i;

/** Plugins of pytest: `-p name`, `pytest_plugins = [...]`, and entry points of the group `pytest11`. */
const PLUGIN_OPTION = /(?:^|[\s"'=,[])-p["',\s=]{0,8}([\p{L}\w.]{1,200})/gmu;
const PLUGIN_LIST = /\bpytest_plugins\b[^=\n]{0,40}=([^\n]{0,2000}(?:\n[ \t)\]]{1,40}[^\n]{0,400}){0,50})/gi;
const PLUGIN_ENTRIES = /\bpytest11\b([^[]{0,2000})/g;
const DOTTED = /(?<=["'=\s,(])([\p{L}_][\p{L}\w.]{0,200})\s{0,8}(?::\w{1,200})?(?=["'\s,)])/gu;
/** Warnings by the module of their class: pytest imports it. */
const WARNING = /\b(?:error|ignore|always|default|module|once):[^:\n]{0,200}:([\p{L}_][\p{L}\w.]{0,200})\.\w/gu;

/**
 * The files that trusted settings or a command name as a set-up, a plugin or a loader: programs load them without code under test
 * doing so. `words` are those of the command and of what it runs.
 */
export function namedBySettings(
  texts: ReadonlyMap<string, string>,
  index: FileIndex,
  words: readonly string[],
): ReadonlySet<string> {
  const named = new Set<string>();
  const settings = [...texts.keys()].filter(isSettings).slice(0, MOST_FILES);
  for (const path of settings) {
    const text = settingsText(path, (texts.get(path) ?? "").slice(0, MOST_CHARS));
    const files = [...valuesIn(path, text)]
      .filter(isFileName)
      .flatMap((name) => [...index.namedBy(path, name.replace(/^<rootDir>\//, "./"))]);
    for (const file of [...files, ...pluginsIn(text, index)]) if (file !== path) named.add(file);
  }
  const values = words.flatMap((word) => [word, ...word.split(/[=:,]/)]).map((word) => word.replace(/^(?:\.\/)+/, ""));
  for (const value of values) if (index.has(value)) named.add(value);
  for (const file of pluginsIn(words.join(" "), index)) named.add(file);
  return named;
}

/** The texts of trusted settings, for what they mention. Lists of code are left out, and what only other services read. */
export function steeringSettings(texts: ReadonlyMap<string, string>): readonly SteeringText[] {
  const settings = [...texts].filter(([path]) => isFoundByName(path) && !isDependency(path) && !NOT_OF_TESTS.test(path));
  return settings.slice(0, MOST_FILES).map(([path, text]) => ({
    path,
    text: settingsText(path, text.slice(0, MOST_CHARS), LISTS_OF_CODE),
  }));
}

/** True for a file that tells programs what to load, unlike one that they load themselves. */
function isSettings(path: string): boolean {
  const name = basename(path);
  if (LOCK.test(path)) return false;
  return (
    isToolConfiguration(path) || /^\.|\.(?:config|conf|workspace|projects?|preset)\.\w+$/.test(name) || name === "conftest.py"
  );
}

/** False for a name that may be a word, or a folder in which programs look for code under test. */
function isFileName(name: string): boolean {
  return !name.endsWith("/") && (/\.\w{1,5}$/.test(name) || /^(?:\.{1,2}|<rootDir>)\//.test(name));
}

function valuesIn(path: string, text: string): Iterable<string> {
  // What a conftest.py imports is what tests import.
  if (path.endsWith(".py")) return [];
  return /\.ya?ml$/.test(path) ? text.split(/[\s"',[\]=]+/) : loadedNames(path, text).quoted;
}

function settingsText(path: string, text: string, left = OTHER_VALUES): string {
  return (basename(path) === "package.json" ? runnerPart(path, text) : text).replace(left, "");
}

export function* pluginsIn(text: string, index: FileIndex): Generator<string> {
  const names = [...text.matchAll(PLUGIN_OPTION)].map(([, name = ""]) => name);
  for (const [, module = ""] of text.matchAll(WARNING)) names.push(module);
  for (const list of [PLUGIN_LIST, PLUGIN_ENTRIES])
    for (const [, listed = ""] of text.matchAll(list))
      names.push(...[...`${listed} `.matchAll(DOTTED)].map(([, name = ""]) => name));
  const none = new Set<string>();
  for (const name of names) {
    const end = `${name.replaceAll(".", "/")}`;
    const found = index.loadedBy("settings.py", { quoted: none, imports: none, modules: new Set([name]) });
    for (const path of found) if (`/${path}`.endsWith(`/${end}.py`) || `/${path}`.endsWith(`/${end}/__init__.py`)) yield path;
  }
}

/** The folders that trusted settings name: programs may look there for modules. */
export function foldersInSettings(texts: ReadonlyMap<string, string>, index: FileIndex): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [path, text] of texts) {
    if (!isToolConfiguration(path) || LOCK.test(path)) continue;
    const words = text.slice(0, MOST_CHARS).split(/[\s"'`=,:[\]{}()]+/);
    const named = words.map((word) => word.replace(/^<rootDir>\/|^(?:\.\/)+/, "").replace(/\/\*{0,2}$/, ""));
    for (const folder of named)
      for (const each of [folder, join(dirname(path), folder)]) if (index.hasFolder(each)) folders.add(each);
  }
  return folders;
}
