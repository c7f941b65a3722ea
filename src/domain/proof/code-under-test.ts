import { basename, dirname } from "node:path/posix";
import picomatch from "picomatch";
import { jsonMembers, membersOf } from "../batch/test-command.ts";
import { type Family, familyOf } from "../evidence/languages.ts";
import { canDecide, isTestPath } from "../evidence/sealed-paths.ts";
import { type FoundRunner, RUNNERS } from "../test-canary/find-runner.ts";
import { listedIn } from "../test-canary/python-modules.ts";
import { testFilesOf } from "../test-canary/test-files.ts";
import { type CheckDefinition, findDefinition, type TrustedTree } from "./definition.ts";
import { FileIndex } from "./file-index.ts";
import { isFoundByName } from "./found-by-name.ts";
import { type LoadedNames, loadedNames } from "./loaded-names.ts";
import { foldersInSettings, namedBySettings } from "./named-by-settings.ts";
import { findShadows } from "./shadows.ts";

/** A path that a candidate changes. Its text is undefined if it is gone, or no text. */
export interface ChangedFile {
  readonly path: string;
  readonly how: "added" | "modified" | "deleted";
  readonly mode: "file" | "executable" | "symlink" | "submodule";
  readonly text: string | undefined;
}

/** A change to be sorted: everything about the base is trusted, everything in `changed` may be hostile. */
export interface ChangeToClassify {
  readonly command: readonly string[];
  readonly base: TrustedTree;
  readonly changed: readonly ChangedFile[];
  /** True if tests fail on the base: it may import what is not written yet. */
  readonly isRed: boolean;
}

/** The changed paths by what becomes of them in the judge's tree. Each path is in one list. */
export interface ClassifiedChange {
  /** Code under test: the candidate's version. */
  readonly code: readonly string[];
  /** New files that nothing of the base loads, and files of tests to which lines were only added. The judge's tree is without. */
  readonly additions: readonly string[];
  /** Everything else: the base's version. */
  readonly judges: readonly string[];
  /** Documents: the base's version, which decides nothing. */
  readonly inert: readonly string[];
  /** What it changes of the definition of the check, in words: paths, and scripts of a package.json. */
  readonly definition: readonly { readonly path: string; readonly says: string }[];
  /** The runners that the command starts, by name, and the words that start them. */
  readonly runners: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Why it cannot be known for certain what the command runs; absent if it can. */
  readonly unclear?: string;
}

/** Files whose texts are read, and characters of each. */
const MOST_READ = 20_000;
const MOST_CHARS = 500_000;

/** Languages whose imports are read here. In others, each source file is code. */
const PARSED: ReadonlySet<Family | undefined> = new Set<Family | undefined>(["js", "python", undefined]);

/** True for a trusted file whose text is needed: source, settings, pages, and scripts without an extension. */
export function isReadForProof(path: string): boolean {
  return familyOf(path) !== undefined || isFoundByName(path) || /\.(?:html?|mk|css)$|(?:^|\/)[^./]+$/.test(path);
}

/**
 * Sorts the paths of a change (adversary cases G1, G2). Code under test is what tests and entry points of the base load, through the
 * candidate's code; but no file that a program finds by its name, that settings or the command name, that lies among tests or that
 * would be found instead of another. Pure, bounded and in time linear to the texts.
 */
export function classifyChange({ command, base, changed, isRed }: ChangeToClassify): ClassifiedChange {
  const kinds = new Kinds(command, base, changed, isRed);
  const sorted = { code: [], additions: [], judges: [], inert: [] } as Record<
    "code" | "additions" | "judges" | "inert",
    string[]
  >;
  for (const file of changed) sorted[kinds.kindOf(file)].push(file.path);
  const { unclear } = kinds.definition;
  const runners = kinds.definition.runners.map(({ runner, words }) => ({ name: runner.name, words }));
  return {
    ...sorted,
    runners,
    definition: definitionChanges(kinds.definition, base, changed),
    ...(unclear !== undefined && { unclear }),
  };
}

class Kinds {
  readonly definition: CheckDefinition;
  readonly #base: TrustedTree;
  readonly #changed: ReadonlyMap<string, ChangedFile>;
  readonly #isTest: (path: string) => boolean;
  readonly #isShadow: (path: string) => boolean;
  readonly #named: ReadonlySet<string>;
  readonly #manifestFolders: ReadonlySet<string>;
  readonly #reached: ReadonlySet<string>;

  constructor(command: readonly string[], base: TrustedTree, changed: readonly ChangedFile[], isRed: boolean) {
    this.#base = base;
    this.#changed = new Map(changed.map((file) => [file.path, file]));
    const all = [...new Set([...base.files, ...this.#changed.keys()])];
    const index = new FileIndex(all);
    const loaded = new Map([...base.texts].slice(0, MOST_READ).map(([path, text]) => [path, namesIn(path, text)]));
    const { runners } = findDefinition(command, base, { isTest: isUsualTest, isCode: () => true });
    this.#isTest = testMatcher(runners, base, loaded);
    this.#manifestFolders = new Set(base.files.flatMap((path) => (MANIFEST.test(path) ? [dirname(path)] : [])));
    const roots = [...base.files.filter((path) => this.#isTest(path)), ...entryPoints(base, index)];
    const trusted = reach(roots, index, (path) => loaded.get(path));
    this.definition = findDefinition(command, base, {
      isTest: this.#isTest,
      isCode: (path) => trusted.has(path) && !this.#isByName(path),
    });
    this.#named = namedBySettings(base.texts, index, this.definition.words);
    const folders = new Set([...foldersInSettings(base.texts, index)]);
    this.#isShadow = findShadows({ loaded, base: base.files, folders, isTest: this.#isTest, isRed });
    this.#reached = reach(
      roots,
      index,
      (path) => {
        const own = this.#changed.get(path);
        if (own === undefined || !this.#canBeCode(own)) return loaded.get(path);
        return own.text === undefined ? undefined : namesIn(path, own.text);
      },
      (path) => this.#canBeReached(path),
    );
  }

  kindOf(file: ChangedFile): "code" | "additions" | "judges" | "inert" {
    const { path, how } = file;
    if (!canDecide(path) && !this.definition.files.has(path)) return "inert";
    if (this.#canBeCode(file)) {
      if (this.#reached.has(path) || !PARSED.has(familyOf(path))) return "code";
      return how === "added" ? "additions" : "judges";
    }
    if (!this.#isTest(path) || this.#isOfJudge(file)) return "judges";
    if (how === "added") return "additions";
    return how === "modified" && isOnlyAddedTo(this.#base.texts.get(path), file.text) ? "additions" : "judges";
  }

  #isByName(path: string): boolean {
    return isFoundByName(path, this.#manifestFolders.has(dirname(path)) || dirname(path) === ".");
  }

  /** True for a file of which only the base's version counts, wherever it lies. */
  #isOfJudge({ path, how, mode }: ChangedFile): boolean {
    if (mode === "symlink" || mode === "submodule" || this.#isByName(path) || this.definition.files.has(path)) return true;
    if (/(?:^|\/)__init__\.py$/.test(path) && this.#isTest(path)) return true;
    return how === "added" && this.#isShadow(path);
  }

  #canBeCode(file: ChangedFile): boolean {
    return !this.#isTest(file.path) && !this.#named.has(file.path) && !this.#isOfJudge(file);
  }

  #canBeReached(path: string): boolean {
    const own = this.#changed.get(path);
    return own === undefined || this.#canBeCode(own);
  }
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|Gemfile|pom\.xml)$/;

function namesIn(path: string, text: string): LoadedNames {
  return loadedNames(path, text.slice(0, MOST_CHARS));
}

/** The files that these load, one through the other. */
function reach(
  roots: readonly string[],
  index: FileIndex,
  namesOf: (path: string) => LoadedNames | undefined,
  canBeReached: (path: string) => boolean = () => true,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...roots];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const names = namesOf(path);
    if (names === undefined) continue;
    for (const loaded of index.loadedBy(path, names)) if (!reached.has(loaded) && canBeReached(loaded)) next.push(loaded);
  }
  return reached;
}

/** True for a test of any runner by its name. */
function isUsualTest(path: string): boolean {
  return isTestPath(path) || RUNNERS.some((runner) => runner.keepsTestsInCode !== true && runner.isTestFile(path));
}

/** True for the tests of the base's runners by their usual names, by the command's words and by pytest's settings. */
function testMatcher(
  runners: readonly FoundRunner[],
  base: TrustedTree,
  loaded: ReadonlyMap<string, LoadedNames>,
): (path: string) => boolean {
  const run = new Set(runners.flatMap((found) => (found.runner.keepsTestsInCode ? [] : testFilesOf(found, base.files))));
  const own = runners.filter(({ runner }) => runner.keepsTestsInCode !== true);
  const globs = own.flatMap((found) => [...globsOfTests(found, base, loaded), ...pytestGlobs(found, base)]);
  return (path) =>
    isTestPath(path) ||
    run.has(path) ||
    (familyOf(path) !== undefined &&
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

/** The files by which others enter the base: what manifests, their scripts and pages name, and the modules of Python packages. */
function* entryPoints({ files, texts }: TrustedTree, index: FileIndex): Generator<string> {
  const packages = new Set(files.flatMap((path) => (path.endsWith("/__init__.py") ? [dirname(path)] : [])));
  for (const path of files) {
    if (/\.html?$/.test(path)) yield path;
    if (path.endsWith(".py") && packages.has(dirname(path))) yield path;
    if (!PARSED.has(familyOf(path))) yield path;
    const text = texts.get(path);
    if (text === undefined || !MANIFEST.test(path)) continue;
    if (basename(path) !== "package.json")
      yield* index.loadedBy(`${dirname(path)}/manifest.py`, loadedNames("manifest.py", text));
    else yield* packageEntries(path, text, index);
  }
}

/** Members of a package.json that name its entry points: https://nodejs.org/api/packages.html, and those of bundlers. */
const ENTRIES = ["main", "module", "browser", "bin", "exports", "imports", "source", "types", "typings", "react-native"] as const;

/** Scripts that start the program itself. */
const STARTS = /^(?:start|serve|dev|preview|main)\b/;

function* packageEntries(path: string, text: string, index: FileIndex): Generator<string> {
  const members = jsonMembers(text);
  const named = ENTRIES.flatMap((key) => stringsIn(members[key], 0));
  const scripts = Object.entries(membersOf(members["scripts"])).filter(([name]) => STARTS.test(name));
  const words = scripts.flatMap(([, script]) => (typeof script === "string" ? script.slice(0, 10_000).split(/[\s"'=]+/) : []));
  for (const name of ["./index", "./src/index", ...named, ...words.filter((word) => /\.\w{1,5}$/.test(word))])
    yield* index.namedBy(path, name);
  // Built files are named; their sources have the same names elsewhere.
  const none = new Set<string>();
  yield* index.loadedBy(path, { imports: none, quoted: new Set(named.map((name) => basename(name))), modules: none });
}

function stringsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth > 8 || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((each) => stringsIn(each, depth + 1));
}

/** True if a text has all lines of another in their order. */
function isOnlyAddedTo(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const lines = after.split("\n");
  let at = 0;
  for (const line of before.split("\n")) {
    at = lines.indexOf(line, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function definitionChanges(
  { files, scripts }: CheckDefinition,
  { texts }: TrustedTree,
  changed: readonly ChangedFile[],
): ClassifiedChange["definition"] {
  return changed.flatMap(({ path, text, how }) => {
    if (files.has(path)) return [{ path, says: path }];
    const reached = scripts.get(path);
    if (reached === undefined) return [];
    if (how === "deleted") return [{ path, says: path }];
    const [before, after] = [jsonMembers(texts.get(path) ?? ""), jsonMembers(text ?? "")];
    const [old, own] = [membersOf(before["scripts"]), membersOf(after["scripts"])];
    const what = [
      ...[...reached].filter((name) => memberJson(old, name) !== memberJson(own, name)),
      ...STEERING.filter((key) => memberJson(before, key) !== memberJson(after, key)),
    ];
    return what.length === 0 ? [] : [{ path, says: path === "package.json" ? what.join(", ") : `${path}: ${what.join(", ")}` }];
  });
}

/** Members of a package.json by which package managers decide what a script runs. */
const STEERING = ["packageManager", "workspaces", "config", "wireit", "pnpm", "volta"] as const;

function memberJson(members: Readonly<Record<string, unknown>>, key: string): string | undefined {
  return Object.hasOwn(members, key) ? JSON.stringify(members[key]) : undefined;
}
