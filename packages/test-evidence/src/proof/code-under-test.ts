import { basename, dirname } from "node:path/posix";
import { jsonMembers, objectMembers } from "@loopdash/values";
import { languageFamily } from "../compare/languages.ts";
import { canDecide, isTestPath } from "../compare/sealed-paths.ts";
import { isUsualTest, testMatcher } from "./base-tests.ts";
import { filesReadBy } from "./command-words.ts";
import { type CheckDefinition, findDefinition, type TrustedTree } from "./definition.ts";
import { FileIndex, type LoadedNames, loadedNames } from "./file-index.ts";
import { isFoundByName } from "./found-by-name.ts";
import { entryPoints, foldersOnPath, isPackageManifest, isUnparsed, mentionedFiles } from "./mentions.ts";
import { foldersInSettings, namedBySettings, pluginsIn, steeringSettings } from "./named-by-settings.ts";
import { findShadows } from "./shadows.ts";
import { filesWithTestsGone } from "./tests-gone.ts";

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
  /** The commands that make a checkout ready before. */
  readonly prepare?: readonly (readonly string[])[];
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
  /** Source files of the judge that tests load: in the judge's tree they would test the base's version. */
  readonly tested: readonly string[];
  /** Test files of the base of which it leaves less than half, wherever in its tests; files of code with a test less beside it. */
  readonly testsGone: readonly string[];
  /** The runners that the command starts, by name, and the words that start them. */
  readonly runners: readonly { readonly name: string; readonly words: readonly string[] }[];
  /** Why it cannot be known for certain what the command runs; absent if it can. */
  readonly unclear?: string;
}

/** Files whose texts are read, and characters of each. */
const MOST_READ = 20_000;
const MOST_CHARS = 500_000;

/** Settings may name others with any of these endings. */
const DATA = /\.(?:json[5c]?|ya?ml|toml|ini|cfg|conf|env|inc|make|opts|txt)$/;

/** True for a trusted file whose text is needed: source, settings, pages, and scripts without an extension. */
export function isReadForProof(path: string): boolean {
  return (
    languageFamily(path) !== undefined ||
    isFoundByName(path) ||
    (!isTestPath(path) && DATA.test(path)) ||
    /\.(?:html?|mk|css)$|(?:^|\/)[^./]+$/.test(path)
  );
}

/**
 * Sorts the paths of a change (adversary cases G1, G2). Code under test is what tests and entry points of the base load, through the
 * candidate's code; but no file that a program finds by its name, that settings or the command name, that lies among tests or that
 * would be found instead of another. Pure, bounded and in time linear to the texts.
 */
export function classifyChange(change: ChangeToClassify): ClassifiedChange {
  const { base, changed } = change;
  const kinds = new Kinds(change);
  const sorted = { code: [], additions: [], judges: [], inert: [] } as Record<
    "code" | "additions" | "judges" | "inert",
    string[]
  >;
  for (const file of changed) sorted[kinds.classifyFile(file)].push(file.path);
  const { unclear } = kinds.definition;
  const runners = kinds.definition.runners.map(({ runner, words }) => ({ name: runner.name, words }));
  return {
    ...sorted,
    tested: sorted.judges.filter((path) => kinds.isTested(path)),
    testsGone: filesWithTestsGone(changed, base.texts, { isTest: kinds.isTest, maxChars: MOST_CHARS }),
    runners,
    definition: definitionChanges(kinds.definition, base, changed),
    unclear,
  };
}

class Kinds {
  readonly definition: CheckDefinition;
  readonly #subjects: ReadonlySet<string>;
  readonly #base: TrustedTree;
  readonly #changed: ReadonlyMap<string, ChangedFile>;
  readonly isTest: (path: string) => boolean;
  readonly #isShadow: (path: string) => boolean;
  readonly #named: ReadonlySet<string>;
  readonly #programFolders: ReadonlySet<string>;
  readonly #manifestFolders: ReadonlySet<string>;
  readonly #reached: ReadonlySet<string>;
  /** Files that tests of the base load, through the candidate's code. */
  readonly #tested: ReadonlySet<string>;

  constructor({ command, prepare, base, changed, isRed }: ChangeToClassify) {
    this.#base = base;
    this.#subjects = filesReadBy(command);
    this.#changed = new Map(changed.map((file) => [file.path, file]));
    const all = [...new Set([...base.files, ...this.#changed.keys()])];
    const index = new FileIndex(all);
    const loaded = new Map([...base.texts].slice(0, MOST_READ).map(([path, text]) => [path, namesIn(path, text)]));
    const { runners } = findDefinition(command, base, { isTest: isUsualTest, isCode: () => true });
    this.isTest = testMatcher(runners, base, loaded);
    this.#manifestFolders = new Set(base.files.flatMap((path) => (isPackageManifest(path) ? [dirname(path)] : [])));
    const tests = base.files.filter((path) => this.isTest(path) || /(?:^|\/)conftest\.py$/.test(path));
    const roots = [...base.files.filter((path) => this.isTest(path)), ...entryPoints(base, index)];
    const trusted = reach(roots, index, (path) => loaded.get(path));
    this.definition = findDefinition(command, base, {
      prepare,
      isTest: this.isTest,
      isCode: (path) => trusted.has(path) && !this.#isByName(path),
    });
    const steering = [...this.definition.steering, ...steeringSettings(base.texts)];
    const tested = reach(tests, index, (path) => loaded.get(path));
    const mentioned = mentionedFiles({
      steering,
      folders: this.definition.folders,
      base,
      all: index,
      isTested: (path) => tested.has(path),
      isCode: (path) => trusted.has(path) && !isUnparsed(path),
    });
    const options = [...steering, ...[...mentioned].map((path) => ({ path, text: base.texts.get(path) ?? "" }))];
    this.#named = new Set([
      ...namedBySettings(base.texts, index, commandWords(this.definition)),
      ...mentioned,
      ...options.flatMap(({ text }) => [...pluginsIn(text, index)]),
    ]);
    this.#programFolders = foldersOnPath(options, "PATH", this.definition.folders);
    const folders = new Set([
      ...foldersInSettings(base.texts, index),
      ...foldersOnPath(options, "PYTHONPATH", this.definition.folders),
    ]);
    this.#isShadow = findShadows({ loaded, base: base.files, folders, isTest: this.isTest, isRed });
    const currentNames = (path: string): LoadedNames | undefined => {
      const own = this.#changed.get(path);
      if (own === undefined || !this.#canBeCode(own)) return loaded.get(path);
      return own.text === undefined ? undefined : namesIn(path, own.text);
    };
    this.#reached = reach(roots, index, currentNames, (path) => this.#canBeReached(path));
    this.#tested = reach(tests, index, currentNames);
  }

  classifyFile(file: ChangedFile): "code" | "additions" | "judges" | "inert" {
    const { path, how } = file;
    if (!canDecide(path) && !this.definition.files.has(path)) return "inert";
    if (this.#canBeCode(file)) {
      if (this.#reached.has(path) || this.#subjects.has(path) || isUnparsed(path)) return "code";
      return how === "added" ? "additions" : "judges";
    }
    if (!this.isTest(path) || this.#isOfJudge(file)) return "judges";
    if (how === "added") return "additions";
    return how === "modified" && isOnlyAddedTo(this.#base.texts.get(path), file.text) ? "additions" : "judges";
  }

  /** True for a source file that tests of the base load, and that is neither a test nor of the definition. */
  isTested(path: string): boolean {
    return languageFamily(path) !== undefined && this.#tested.has(path) && !this.isTest(path) && !this.definition.files.has(path);
  }

  #isByName(path: string): boolean {
    if (isFoundByName(path, this.#manifestFolders.has(dirname(path)) || dirname(path) === ".")) return true;
    // Programs of a package find its dependencies beside its manifest.
    const [beside] = /^.*?(?=\/(?:vendor|deps)\/)/.exec(path) ?? [];
    return beside !== undefined && this.#manifestFolders.has(beside);
  }

  /** True for a file of which only the base's version counts, wherever it lies. */
  #isOfJudge({ path, how, mode }: ChangedFile): boolean {
    if (mode === "symlink" || mode === "submodule" || this.#isByName(path) || this.#isOfDefinition(path)) return true;
    if (/(?:^|\/)__init__\.py$/.test(path) && this.isTest(path)) return true;
    return how === "added" && this.#isShadow(path);
  }

  /** True also for a file from which make would make one of the definition, and for a program on the search path. */
  #isOfDefinition(path: string): boolean {
    const { files } = this.definition;
    if (files.has(path) || files.has(path.replace(/\.[^./]+$/, ""))) return true;
    return this.#programFolders.has(dirname(path)) && !basename(path).includes(".");
  }

  #canBeCode(file: ChangedFile): boolean {
    const isNamed = this.#named.has(file.path) && !this.#subjects.has(file.path);
    return !this.isTest(file.path) && !isNamed && !this.#isOfJudge(file);
  }

  #canBeReached(path: string): boolean {
    const own = this.#changed.get(path);
    return own === undefined || this.#canBeCode(own);
  }
}

/** The words of commands, also those that set variables of the environment. */
function commandWords({ words, steering }: CheckDefinition): readonly string[] {
  const texts = steering.filter(({ path }) => path === "command").flatMap(({ text }) => text.split(/[\s"'`]+/));
  return [...words, ...texts];
}

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
    const [old, own] = [objectMembers(before["scripts"]), objectMembers(after["scripts"])];
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
