import { dirname, join } from "node:path/posix";
import { languageFamily } from "../compare/languages.ts";

/** A file that stands for its folder. */
const INDEX = /(?:^|\/)(?:index|__init__|__main__|mod|main)$/;

/** The files of a repository by all the ways in which others name them. */
export class FileIndex {
  readonly #byPath: ReadonlySet<string>;
  /** Paths by what they are without their last extension; a file that stands for its folder also by the folder. */
  readonly #byBare = new Map<string, string[]>();
  /** The same by each end of that name, from a slash on. */
  readonly #byEnd = new Map<string, string[]>();
  readonly #byFolder = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    this.#byPath = new Set(paths);
    for (const path of this.#byPath) {
      const bare = withoutExtension(path);
      for (const name of new Set([path, bare, INDEX.test(bare) ? dirname(bare) : bare])) {
        add(this.#byBare, name, path);
        for (const end of endsIn(name)) add(this.#byEnd, end, path);
      }
      add(this.#byFolder, dirname(path), path);
    }
  }

  has(path: string): boolean {
    return this.#byPath.has(path);
  }

  get paths(): Iterable<string> {
    return this.#byPath;
  }

  /** The files whose paths end with these names. */
  *endingIn(tail: string): Generator<string> {
    for (const path of this.#byEnd.get(tail) ?? []) if (`/${path}`.endsWith(`/${tail}`)) yield path;
  }

  /** True if files lie directly in this folder. */
  hasFolder(path: string): boolean {
    return this.#byFolder.has(path);
  }

  /** The files that a file names exactly: relative to its folder, or as the whole path. */
  *namedBy(from: string, name: string): Generator<string> {
    yield* this.#at(join(dirname(from), name));
    if (!name.startsWith(".")) yield* this.#at(name);
  }

  /**
   * The files that a file may load by these names. Names that are relative are exact; others (aliases, packages of a workspace, paths
   * that are put together) match each path that ends like them. So there may be too many files, and none is missing.
   */
  *loadedBy(from: string, { imports, quoted, modules }: LoadedNames): Generator<string> {
    const folder = dirname(from);
    for (const name of quoted) {
      if (/\w/.test(name)) yield* this.#quoted(name, folder);
      // `require("../")`: the file that stands for the folder.
      else if (/^\.{1,2}(?:\/|$)/.test(name)) yield* this.#at(join(folder, name).replace(/\/$/, ""));
    }
    for (const name of imports) {
      const parts = name.split("/");
      for (const drop of [0, 1, 2].slice(0, parts.length)) yield* this.#endingWith(parts.slice(drop).join("/"));
    }
    for (const name of modules) yield* this.#module(name, folder);
  }

  *#quoted(name: string, folder: string): Generator<string> {
    const path = join(folder, name).replace(/\/$/, "");
    yield* this.#at(path);
    yield* this.#byFolder.get(path) ?? [];
    const plain = name.replace(/^(?:\.{0,2}\/)+/, "").replace(/\/$/, "");
    if (plain === "") return;
    if (plain !== name || name.endsWith("/")) yield* this.#byFolder.get(plain) ?? [];
    const isPath = plain.includes("/") || /\.\w{1,12}$/.test(plain);
    if (isPath) for (const found of this.#endingWith(plain)) if (isNamedWhole(found, plain)) yield found;
  }

  /** A module and the packages in which it lies; they are loaded before it. */
  *#module(name: string, folder: string): Generator<string> {
    const dots = /^\.*/.exec(name)?.[0].length ?? 0;
    const parts = name.slice(dots).split(".");
    for (let n = parts.length; n > 0; n -= 1) {
      const tail = parts.slice(0, n).join("/");
      if (tail === "") continue;
      const found = dots === 0 ? this.#endingWith(tail) : this.#at(join(folder, "../".repeat(dots - 1), tail));
      for (const path of found) if (path.endsWith(".py")) yield path;
    }
    if (dots > 0) yield* this.#at(join(folder, "../".repeat(dots - 1), "__init__"));
  }

  /** TypeScript names a file by the name that it gets when it is compiled. */
  *#at(path: string): Generator<string> {
    yield* this.#byBare.get(path) ?? [];
    yield* this.#byBare.get(withoutExtension(path)) ?? [];
  }

  #endingWith(tail: string): Iterable<string> {
    const found = this.#byEnd.get(tail) ?? [];
    const bare = withoutExtension(tail);
    return bare === tail ? found : new Set([...found, ...(this.#byEnd.get(bare) ?? [])]);
  }
}

/** Levels of a path that count: a hostile one may have thousands. */
const MOST_LEVELS = 30;

/** A path without its first folder, without its first two, and so on. */
function endsIn(path: string): readonly string[] {
  const parts = path.split("/").slice(-MOST_LEVELS);
  return parts.map((_, n) => parts.slice(n).join("/"));
}

/** True if a name with an extension has that of the path, or one of JavaScript that TypeScript compiles to. */
function isNamedWhole(path: string, name: string): boolean {
  return `/${path}`.endsWith(`/${name}`) || /\.[cm]?jsx?$/.test(name) || !/\.\w{1,12}$/.test(name);
}

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.\w{1,12}$/, "");
}

function add(map: Map<string, string[]>, key: string, path: string): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [path]);
  else list.push(path);
}

/** What a file names: modules that it imports, and files and folders that its texts in quotes may be. */
export interface LoadedNames {
  /** Specifiers of imports that are no paths: packages, aliases. */
  readonly imports: ReadonlySet<string>;
  /** Texts in quotes that may be paths. One that ends with "/" may be a folder whose files are chosen while the code runs. */
  readonly quoted: ReadonlySet<string>;
  /** Python modules in dots; leading dots are those of a relative import. */
  readonly modules: ReadonlySet<string>;
}

/** Names that are read from one text: the text may be a worker's. */
const MOST = 20_000;

/** A text between quotes without blanks. The quotes need not belong together: a lone apostrophe hides nothing. */
const QUOTED = /(?<=["'`])[^"'`\s]{1,300}(?=["'`])/g;
const IMPORTS = /(?:\bfrom|\bimport|\brequire|\bresolve|\bmock|\bimportActual|\brequireActual)\s{0,8}\(?\s{0,8}["'`]$/;

/** `from .a.b import c, d` and `import a.b, c`; the list may stand in parentheses over several lines. */
const PYTHON =
  /^[ \t]{0,100}(?:from[ \t]{1,20}(\.{0,10}[\p{L}\w.]{0,200})[ \t]{1,20}import[ \t]{0,20}(\([^)]{0,4000}\)|[^\n(]{0,1000})|import[ \t]{1,20}([^\n]{1,1000}))/gmu;

/** The names in a file's text. Bounded, and in time linear to its length. */
export function loadedNames(path: string, text: string): LoadedNames {
  const names = { imports: new Set<string>(), quoted: new Set<string>(), modules: new Set<string>() };
  const isPython = languageFamily(path) === "python";
  for (const { 0: whole, index } of text.matchAll(QUOTED)) {
    if (names.quoted.size > MOST) break;
    const head = whole.split("${")[0] ?? "";
    const name = head.replace(/[?#].*/s, "").replace(/^file:\/\//, "");
    if (name === "") continue;
    names.quoted.add(head === whole ? name : name.replace(/(?<![^/])[^/]*$/, ""));
    if (isPython) addModule(names.modules, name);
    else if (isImported(text, index, name)) names.imports.add(name);
  }
  return isPython ? { ...names, modules: new Set([...names.modules, ...importedModules(text)]) } : names;
}

function isImported(text: string, at: number, name: string): boolean {
  return !/^[./]/.test(name) && IMPORTS.test(text.slice(Math.max(0, at - 40), at));
}

/** A module in quotes, perhaps with a name in it: `package.module:name`. */
function addModule(modules: Set<string>, name: string): void {
  if (/^[\p{L}\w.]+(?::\w*)?$/u.test(name)) modules.add(name.replace(/:.*/s, ""));
}

function* importedModules(text: string): Generator<string> {
  let n = 0;
  for (const [, from, names = "", list = ""] of text.matchAll(PYTHON)) {
    if (++n > MOST) return;
    const listed = (from === undefined ? list : names.replace(/[()]/g, "")).split(/[,;]/).map(firstWord);
    if (from === undefined) yield* listed;
    else yield* [from, ...listed.map((name) => `${from}${from.endsWith(".") ? "" : "."}${name}`)];
  }
}

function firstWord(text: string): string {
  return /^[\p{L}\w.]*/u.exec(text.replace(/^[\s\\]+/, ""))?.[0] ?? "";
}
