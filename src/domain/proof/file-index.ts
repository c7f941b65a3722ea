import { dirname, join } from "node:path/posix";
import type { LoadedNames } from "./loaded-names.ts";

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
