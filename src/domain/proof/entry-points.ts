import { basename, dirname } from "node:path/posix";
import { jsonMembers, membersOf } from "../batch/test-command.ts";
import { familyOf } from "../evidence/languages.ts";
import type { TrustedTree } from "./definition.ts";
import type { FileIndex } from "./file-index.ts";
import { loadedNames } from "./loaded-names.ts";

/** Languages whose imports are read here. In others, each source file is code. */
const PARSED: ReadonlySet<string | undefined> = new Set(["js", "python", undefined]);

/** The files of packages that say what the package is. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|composer\.json|Gemfile|pom\.xml)$/;

/** True for a source file in a language whose imports are not read: it is code whatever loads it. */
export function isUnparsed(path: string): boolean {
  return !PARSED.has(familyOf(path));
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
  const scripts = Object.entries(membersOf(members["scripts"])).filter(([name]) => STARTS.test(name));
  const words = scripts.flatMap(([, script]) => (typeof script === "string" ? script.slice(0, 10_000).split(/[\s"'=]+/) : []));
  for (const name of ["./index", "./src/index", ...named, ...words.filter((word) => /\.\w{1,5}$/.test(word))])
    yield* index.namedBy(path, name);
  // Built files are named; their sources have the same names elsewhere.
  const none = new Set<string>();
  yield* index.loadedBy(path, { imports: none, quoted: new Set(named.map((name) => basename(name))), modules: none });
}

/** The texts in a value of JSON. */
export function stringsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (depth > 8 || typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((each) => stringsIn(each, depth + 1));
}
