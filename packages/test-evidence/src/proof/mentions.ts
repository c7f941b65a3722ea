import { basename, dirname, join } from "node:path/posix";
import { jsonMembers, objectMembers } from "@loopdash/values";
import picomatch from "picomatch";
import { languageFamily } from "../compare/languages.ts";
import type { TrustedTree } from "./definition.ts";
import { FileIndex, loadedNames } from "./file-index.ts";
import { isSource, type SteeringText } from "./programs.ts";

interface MentionOptions {
  readonly steering: readonly SteeringText[];
  /** The folders in which commands may run. */
  readonly folders: ReadonlySet<string>;
  readonly base: TrustedTree;
  /** Paths of the base and of the candidate. */
  readonly all: FileIndex;
  /** True for a file that tests of the base load. */
  readonly isTested: (path: string) => boolean;
  /** True for a file that tests or entry points of the base load. */
  readonly isCode: (path: string) => boolean;
}

/** Files whose texts are followed, characters of one, and paths in it. */
const MOST_FILES = 500;
const MOST_CHARS = 200_000;
const MOST_PATHS = 20_000;

/** A part of a path that is only known when it runs. */
const EXPANSION = /\$\{[^{}\n]{0,200}\}|\$\([^()\n]{0,200}\)|\$\w{1,80}|\$./g;
const COMMENT = /^[ \t]*(?:#|\/\/).*$/gm;
const BETWEEN_PATHS = /[\s"'`=:,;|&<>(){}[\]@]+/;

/**
 * The files that texts mention which say what runs, in any spelling, and the files that those mention or load. What tests of the base
 * load is none: only explicit settings make that a file of the judge.
 */
export function mentionedFiles(options: MentionOptions): ReadonlySet<string> {
  const { steering, base, isTested, isCode, all, folders } = options;
  const indexes = { known: new FileIndex(base.files), all, folders, exports: packageFiles(base) };
  const mentioned = new Set<string>();
  const next = [...steering];
  const isRead = new Set(steering.map(({ path }) => path));
  const take = (path: string): void => {
    mentioned.add(path);
    const text = isRead.has(path) ? undefined : base.texts.get(path);
    if (text !== undefined && next.length < MOST_FILES) next.push({ path, text });
  };
  for (const read of next) {
    const isFollowed = mentioned.has(read.path) && isSource(read.path);
    const isOther = isFollowed ? isCode : isTested;
    for (const path of filesIn(read, indexes))
      if (!mentioned.has(path) && !isTested(path) && !isOther(path) && canBeMentioned(path)) take(path);
  }
  return mentioned;
}

function* filesIn({ path, text: whole }: SteeringText, indexes: Indexes): Generator<string> {
  const text = whole.slice(0, MOST_CHARS).replace(COMMENT, "");
  for (const name of pathsIn(text)) yield* filesNamed(name, new Set([dirname(path), ...indexes.folders]), indexes);
  if (isSource(path)) yield* indexes.known.loadedBy(path, { ...loadedNames(path, text), quoted: new Set() });
}

/** Source in languages whose imports are not read is code, unless it is a shell's. */
function canBeMentioned(path: string): boolean {
  const family = languageFamily(path);
  return family === undefined || family === "js" || family === "python" || family === "shell";
}

function* pathsIn(text: string): Generator<string> {
  const names = new Set(text.replace(EXPANSION, " ").split(BETWEEN_PATHS).slice(0, MOST_PATHS));
  for (const name of names) {
    const path = name.replace(/^\/+|(?<!\/)\/+$/g, "");
    if (/[\w\p{L}]/u.test(path) && path.length < 300) yield path;
  }
}

interface Indexes extends Pick<MentionOptions, "folders"> {
  readonly known: FileIndex;
  readonly all: FileIndex;
  readonly exports: ReadonlyMap<string, readonly string[]>;
}

function* filesNamed(name: string, folders: Iterable<string>, { known, all, exports }: Indexes): Generator<string> {
  yield* exports.get(name) ?? [];
  const plain = name.replace(/^(?:\.\/)+/, "");
  for (const folder of folders) {
    const path = join(folder, plain);
    if (all.has(path)) yield path;
    if (name.includes("/")) yield* known.namedBy("x", `./${path}`);
  }
  const tail = plain.replace(/^(?:\.\.\/)+/, "");
  if (/[*?]/.test(tail)) yield* scriptsLike(tail, all);
  else if (tail.includes("/") || /\.\w{1,12}$/.test(tail)) yield* known.endingIn(tail);
}

/** Globs of scripts count; those of sources are for tests and linters. */
function scriptsLike(glob: string, all: FileIndex): readonly string[] {
  const isLike = picomatch([glob, `**/${glob}`]);
  return [...all.paths].filter((path) => !/\.(?:[cm]?[jt]sx?|py)$/.test(path) && isLike(path));
}

/** The files behind the names by which packages of the base export them, or import them themselves. */
function packageFiles({ texts }: TrustedTree): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const [path, text] of texts) {
    if (basename(path) !== "package.json") continue;
    const { name, exports, imports } = jsonMembers(text);
    for (const [key, value] of [...Object.entries(objectMembers(exports)), ...Object.entries(objectMembers(imports))])
      if (/^(?:\.\/|#)[^*]+$/.test(key))
        files.set(
          key.replace(/^\./, String(name)),
          stringsIn(value, 0).map((target) => join(dirname(path), target)),
        );
  }
  return files;
}

const SEARCH_PATH = /\b((?:PYTHON)?PATH)["']?[ \t]{0,8}[:+?]?=[ \t]{0,8}["']?([^\s"';]{1,2000})/g;

/** The folders on a search path that these texts set: programs for `PATH`, modules for `PYTHONPATH`. */
export function foldersOnPath(
  steering: readonly SteeringText[],
  variable: "PATH" | "PYTHONPATH",
  from: ReadonlySet<string>,
): ReadonlySet<string> {
  const values = steering.flatMap(({ text }) =>
    [...text.slice(0, MOST_CHARS).matchAll(SEARCH_PATH)].flatMap(([, name, value = ""]) => (name === variable ? [value] : [])),
  );
  const named = values.flatMap((value) => value.replace(EXPANSION, "").split(":")).filter((folder) => folder !== "");
  const inside = named.map((folder) => folder.replace(/^\/+/, ""));
  return new Set([...from].flatMap((each) => inside.map((folder) => join(each, folder).replace(/\/$/, ""))));
}

/** Languages whose imports are read here. In others, each source file is code. */
const PARSED: ReadonlySet<string | undefined> = new Set(["js", "python", undefined]);

/** The files of packages that say what the package is. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|Gemfile|pom\.xml)$/;

/** True for a source file in a language whose imports are not read: it is code whatever loads it. */
export function isUnparsed(path: string): boolean {
  return !PARSED.has(languageFamily(path));
}

/** True for the manifest of a package. */
export function isPackageManifest(path: string): boolean {
  return MANIFEST.test(path);
}

/** The files by which others enter the base: what manifests, their scripts and pages name, and the modules of Python packages. */
export function* entryPoints({ files, texts }: TrustedTree, index: FileIndex): Generator<string> {
  const packages = new Set(files.flatMap((path) => (path.endsWith("/__init__.py") ? [dirname(path)] : [])));
  for (const path of files) {
    if (/\.html?$/.test(path)) yield path;
    if (path.endsWith(".py") && packages.has(dirname(path))) yield path;
    if (isUnparsed(path)) yield path;
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
  const scripts = Object.entries(objectMembers(members["scripts"])).filter(([name]) => STARTS.test(name));
  const words = scripts.flatMap(([, script]) => (typeof script === "string" ? script.slice(0, 10_000).split(/[\s"'=]+/) : []));
  for (const name of ["./index", "./src/index", ...named, ...words.filter((word) => /\.\w{1,5}$/.test(word))])
    yield* index.namedBy(path, name);
  // Built files are named; their sources have the same names elsewhere.
  const none = new Set<string>();
  yield* index.loadedBy(path, { imports: none, quoted: new Set(named.map((name) => basename(name))), modules: none });
}

/** The texts in a value of JSON. */
function stringsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth > 8 || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((each) => stringsIn(each, depth + 1));
}
