import { folderOf, isRunnerModule, moduleAt } from "../test-canary/python-modules.ts";
import { FileIndex } from "./file-index.ts";
import type { LoadedNames } from "./loaded-names.ts";

const LAYOUTS = ["", "src", "lib"] as const;

interface ShadowOptions {
  /** The names in trusted files, by their paths. */
  readonly loaded: ReadonlyMap<string, LoadedNames>;
  /** Trusted paths. */
  readonly base: readonly string[];
  /** Folders beside the usual ones in which programs may look for modules: those of tests, and those that settings name. */
  readonly folders: ReadonlySet<string>;
  readonly isTest: (path: string) => boolean;
  /** True if tests fail on the base: it may import what is not written yet. */
  readonly isRed: boolean;
}

/**
 * New files that would be found instead of others: by the name of a package or a module that the base imports and that is none of
 * its own files, or that Python and pytest load; and beside Python's tests, where it searches first, by that of any module that
 * they import from elsewhere. An `__init__.py` above tests is one if only pytest would load it.
 */
export function findShadows({ loaded, base, folders, isTest, isRed }: ShadowOptions): (path: string) => boolean {
  const searched = new Set<string>([...LAYOUTS, ...folders, ...base.filter(isTest).map(folderOf)]);
  const above = new Set(base.filter((path) => isTest(path)).flatMap((path) => foldersAbove(folderOf(path))));
  const packages = new Set(base.flatMap((path) => (path.endsWith("/__init__.py") ? [folderOf(path)] : [])));
  const index = new FileIndex(base);
  const foreign = new Set<string>();
  for (const [path, names] of loaded) for (const name of foreignNames(path, names, index)) foreign.add(name);
  const ofTests = [...loaded].filter(([path]) => path.endsWith(".py") && isTest(path));
  const beside = new Set(
    ofTests.flatMap(([path, { modules }]) => [...modules].map((name) => `${folderOf(path)}/${name.split(".")[0]}`)),
  );
  return (path) => {
    if (/(?:^|\/)__init__\.py$/.test(path) && above.has(folderOf(path))) return true;
    const python = moduleAt(path);
    if (python !== undefined) {
      const { folder, name } = python;
      if (packages.has(folder) && folder !== "" && !folders.has(folder)) return false;
      if (isRunnerModule(name)) return searched.has(folder) || above.has(folder);
      return !isRed && (beside.has(`${folder}/${name}`) || (searched.has(folder) && foreign.has(name)));
    }
    const [, folder = "", name = ""] = /^(?:(.*)\/)?([^/]+?)\.(?:[cm]?[jt]sx?|json)$/.exec(path) ?? [];
    const own = name === "index" ? folder.split("/").at(-1) : name;
    const place = name === "index" ? folderOf(folder) : folder;
    return own !== undefined && !isRed && searched.has(place) && foreign.has(own);
  };
}

/** The first names of imports that lead to no file of the base. */
function* foreignNames(path: string, { imports, modules }: LoadedNames, index: FileIndex): Generator<string> {
  const none = new Set<string>();
  for (const name of path.endsWith(".py") ? modules : imports) {
    const [first = ""] = name.split(path.endsWith(".py") ? "." : "/");
    if (first === "") continue;
    const only = new Set([name]);
    const names = path.endsWith(".py")
      ? { imports: none, quoted: none, modules: only }
      : { imports: only, quoted: none, modules: none };
    if (index.loadedBy(path, names).next().done === true) yield first;
  }
}

function foldersAbove(folder: string): readonly string[] {
  return folder
    .split("/")
    .map((_, n, names) => names.slice(0, n + 1).join("/"))
    .concat("");
}
