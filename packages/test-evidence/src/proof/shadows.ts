import { FileIndex, type LoadedNames } from "./file-index.ts";
import { isRunnerModule, moduleAt, repoFolder } from "./python-modules.ts";

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
  const searched = new Set<string>([...LAYOUTS, ...folders, ...base.filter(isTest).map(repoFolder)]);
  const above = new Set(base.filter((path) => isTest(path)).flatMap((path) => foldersAbove(repoFolder(path))));
  const index = new FileIndex(base);
  const packages = new Set(base.flatMap((path) => (path.endsWith("/__init__.py") ? [repoFolder(path)] : [])));
  for (const [path, names] of loaded) for (const folder of packagesIn(path, names, index)) packages.add(folder);
  const foreign = new Set<string>();
  for (const [path, names] of loaded) for (const name of foreignNames(path, names, index)) foreign.add(name);
  const ofTests = [...loaded].filter(([path]) => path.endsWith(".py") && isTest(path));
  const beside = new Set(
    ofTests.flatMap(([path, { modules }]) => [...modules].map((name) => `${repoFolder(path)}/${name.split(".")[0]}`)),
  );
  const isLookedFor = ({ folder, name }: Module): boolean => !isRed && searched.has(folder) && foreign.has(name);
  const isPythonShadow = (module: Module): boolean => {
    if (module.folder !== "" && packages.has(module.folder) && !folders.has(module.folder)) return false;
    const isPossible = searched.has(module.folder) || above.has(module.folder);
    if (isRunnerModule(module.name)) return isPossible;
    return (!isRed && beside.has(`${module.folder}/${module.name}`)) || isLookedFor(module);
  };
  return (path) => {
    if (/(?:^|\/)__init__\.py$/.test(path) && above.has(repoFolder(path)) && !packages.has(repoFolder(path))) return true;
    const python = moduleAt(path);
    if (python !== undefined) return isPythonShadow(python);
    const script = scriptModule(path);
    return script !== undefined && isLookedFor(script);
  };
}

/** The folders from which a Python file imports as from packages, with or without an `__init__.py`. */
function* packagesIn(path: string, { modules }: LoadedNames, index: FileIndex): Generator<string> {
  if (!path.endsWith(".py")) return;
  const none = new Set<string>();
  for (const name of modules) {
    if (/^\.[^.]*$/.test(name)) yield repoFolder(path);
    const tail = `/${name.replaceAll(".", "/")}.py`;
    if (!/\w\.\w/.test(name)) continue;
    for (const found of index.loadedBy(path, { imports: none, quoted: none, modules: new Set([name]) }))
      if (`/${found}`.endsWith(tail)) yield repoFolder(found);
  }
}

interface Module {
  readonly folder: string;
  readonly name: string;
}

/** The name by which a script would be imported like a package, and the folder in which that name is looked for. */
function scriptModule(path: string): Module | undefined {
  const [, folder = "", name] = /^(?:(.*)\/)?([^/]+?)\.(?:[cm]?[jt]sx?|json)$/.exec(path) ?? [];
  if (name !== "index") return name === undefined ? undefined : { folder, name };
  return { folder: repoFolder(folder), name: folder.split("/").at(-1) ?? "" };
}

/** The first names of imports that lead to no file of the base. */
function* foreignNames(path: string, { imports, modules }: LoadedNames, index: FileIndex): Generator<string> {
  const none = new Set<string>();
  const isPython = path.endsWith(".py");
  for (const name of isPython ? modules : imports) {
    const [first = ""] = name.split(isPython ? "." : "/");
    if (first === "") continue;
    const only = new Set([name]);
    const names = { imports: isPython ? none : only, quoted: none, modules: isPython ? only : none };
    if (index.loadedBy(path, names).next().done === true) yield first;
  }
}

function foldersAbove(folder: string): readonly string[] {
  return folder
    .split("/")
    .map((_, n, names) => names.slice(0, n + 1).join("/"))
    .concat("");
}
