import { join } from "node:path";
import { isTestPath } from "../../domain/evidence/sealed-paths.ts";
import type { FoundRunner } from "../../domain/test-canary/find-runner.ts";
import {
  folderOf,
  importedBy,
  importsPackage,
  isRunnerModule,
  listedIn,
  moduleAt,
} from "../../domain/test-canary/python-modules.ts";
import { testFilesOf } from "../../domain/test-canary/test-files.ts";
import type { ChangedPath } from "../../ports/vcs.ts";
import type { TrustedFiles } from "./origins.ts";

/** Files of the base whose texts are searched. */
const MAX_FILES = 5_000;

/** Folders that may be searched for modules unless they are packages. */
const LAYOUTS = ["src", "lib"] as const;

const PYTEST_SETTINGS = /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)$/;

interface ShadowOptions {
  readonly trusted: TrustedFiles;
  readonly found: FoundRunner;
  readonly changed: readonly ChangedPath[];
  /** The files of the candidate, and those of the base. */
  readonly committed: readonly string[];
  readonly base: readonly string[];
  /** True if tests fail on the base: it may import what is not written yet. */
  readonly isRed: boolean;
}

/** The words of a list in the trusted settings of pytest, with the folder of the settings. */
export async function pytestList(
  trusted: TrustedFiles,
  key: Parameters<typeof listedIn>[1],
): Promise<readonly { readonly folder: string; readonly word: string }[]> {
  const texts = await trusted.texts((await trusted.paths()).filter((path) => PYTEST_SETTINGS.test(path)));
  return [...texts].flatMap(([path, text]) => listedIn(text, key).map((word) => ({ folder: folderOf(path), word })));
}

/**
 * New Python files that are found instead of others. A module is one if Python or pytest has one of its name, or if the base
 * imports the name and finds it elsewhere. An `__init__.py` is one if only pytest would load it.
 */
export async function pythonShadows(options: ShadowOptions): Promise<(path: string) => boolean> {
  const { changed, base } = options;
  if (!changed.some(({ path, how }) => how === "added" && path.endsWith(".py"))) return () => false;
  const search = await Search.read(options);
  const packages = new Set(base.flatMap((path) => (path.endsWith("__init__.py") ? [folderOf(path)] : [])));
  return (path) => {
    if (path.endsWith("__init__.py") && search.isOfTests(folderOf(path))) return true;
    const module = moduleAt(path);
    if (module === undefined || (module.folder !== "" && packages.has(module.folder))) return false;
    return search.isShadow(module.folder, module.name);
  };
}

/** The folders that Python searches, and what the base imports. */
class Search {
  readonly #options: ShadowOptions;
  readonly #texts: ReadonlyMap<string, string>;
  /** Folders that are searched, and those that may be. */
  readonly #sure: ReadonlySet<string>;
  readonly #possible: ReadonlySet<string>;
  readonly #testFolders: ReadonlySet<string>;
  readonly #paths: ReadonlySet<string>;
  readonly #imports: Readonly<Record<"any" | "sure", ReadonlySet<string>>>;

  private constructor(options: ShadowOptions, texts: ReadonlyMap<string, string>, paths: ReadonlySet<string>) {
    const { found, base } = options;
    this.#options = options;
    this.#texts = texts;
    this.#paths = paths;
    this.#testFolders = new Set(testFilesOf(found, base).map(folderOf));
    const layouts = LAYOUTS.filter((folder) => base.some((path) => moduleAt(path)?.folder === folder));
    this.#sure = new Set(["", ...this.#testFolders, ...paths, ...layouts]);
    const above = [...this.#testFolders].flatMap((folder) => folder.split("/").map((_, n, names) => names.slice(0, n).join("/")));
    this.#possible = new Set([...this.#sure, ...above, ...LAYOUTS]);
    const all = (surely: boolean) => new Set([...texts.values()].flatMap((text) => importedBy(text, { surely })));
    this.#imports = { any: all(false), sure: all(true) };
  }

  static async read(options: ShadowOptions): Promise<Search> {
    const { trusted, base } = options;
    const texts = await trusted.texts(base.filter((path) => path.endsWith(".py")).slice(0, MAX_FILES));
    const paths = (await pytestList(trusted, "pythonpath")).map(({ folder, word }) => join(folder, word).replace(/\/$|^\.$/, ""));
    return new Search(options, texts, new Set(paths));
  }

  /** True if an `__init__.py` in this folder would be loaded for the tests in it or below, and for nothing else. */
  isOfTests(folder: string): boolean {
    const holds = folder === "" || [...this.#testFolders].some((each) => each === folder || each.startsWith(`${folder}/`));
    return holds && !this.#isPackage(folder);
  }

  isShadow(folder: string, name: string): boolean {
    if (!this.#possible.has(folder)) return false;
    if (this.#isPackage(folder) && !this.#paths.has(folder) && !isTestPath(`${folder}/`)) return false;
    return isRunnerModule(name) || (this.#sure.has(folder) && this.#isImported(folder, name));
  }

  /** True if the base imports a module of this name that does not lie in this folder. */
  #isImported(folder: string, name: string): boolean {
    const { base, committed, isRed } = this.#options;
    const own = join(folder, name);
    if (base.some((path) => path === `${own}.py` || (path.startsWith(`${own}/`) && path.endsWith(".py")))) return false;
    const elsewhere = base.filter((path) => `/${path}`.endsWith(`/${name}.py`) || `/${path}`.endsWith(`/${name}/__init__.py`));
    if (elsewhere.length > 0) return this.#imports.any.has(name) && elsewhere.some((path) => committed.includes(path));
    return this.#imports.sure.has(name) && (!isRed || this.#testFolders.has(folder));
  }

  /** True if a module of the base imports from a folder as a package, with or without an `__init__.py`. */
  #isPackage(folder: string): boolean {
    return folder !== "" && [...this.#texts].some(([path, text]) => importsPackage(folder, { path, text }));
  }
}
