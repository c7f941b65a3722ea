/** Refuses imports that violate the layers, and cycles: `node scripts/layers/check.ts [folder]`. */
import { matchesGlob, resolve } from "node:path";
import { cyclesIn, type Module, readModules, type Target } from "./graph.ts";
import { LAYERS, type Layer, STARTERS } from "./rules.ts";

const ROOTS = ["src", "packages/*/src", "components", "oracle"];

/** The number of checked items, and every complaint, one line each. */
export interface LayerReport {
  readonly modules: number;
  readonly imports: number;
  readonly problems: readonly string[];
}

/** Checks the tree under `base`. */
export function checkLayers(base: string): LayerReport {
  const modules = readModules(base, ROOTS);
  const imports = modules.reduce((sum, module) => sum + module.imports.length, 0);
  const problems = [
    // A check that found no imports must not pass.
    ...(imports === 0 ? [`no imports seen under ${base}`] : []),
    ...modules.flatMap((module) => problemsOf(module)),
    ...needlessExceptions(modules),
    ...cyclesIn(modules).map((cycle) => `cycle: ${cycle.join(" → ")}`),
  ];
  return { modules: modules.length, imports, problems };
}

function problemsOf(module: Module): string[] {
  const layer = layerOf(module.path);
  if (layer === undefined) return [`${module.path}: belongs to no layer of scripts/layers/rules.ts`];
  if (layer.folderLevels !== undefined && levelOf(layer.folderLevels, folderIn(layer, module.path)) < 0)
    return [`${module.path}: belongs to no folder of ${layer.folder} in scripts/layers/rules.ts`];
  return module.imports.flatMap((to) => {
    const reason = objection(layer, module.path, to);
    return reason === undefined ? [] : [`${module.path} → ${to.kind === "file" ? to.path : to.name}: ${reason}`];
  });
}

const layerOf = (path: string): Layer | undefined => LAYERS.find((layer) => path.startsWith(`${layer.folder}/`));
const listed = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));

/** The reason why a file of this layer may not import `to`, or undefined if it may. */
function objection(layer: Layer, from: string, to: Target): string | undefined {
  switch (to.kind) {
    case "missing":
      return "there is no such file";
    case "computed":
      return "write the module's name out: a computed one cannot be checked";
    case "builtin":
      if (startsPrograms(to)) return objectionToStarter(from);
      if (layer.builtins === "all" || layer.builtins.includes(to.name)) return undefined;
      return `${layer.name} may import these modules of Node: ${listed(layer.builtins)}`;
    case "package":
      if (startsPrograms(to)) return objectionToStarter(from);
      if (layer.packages.includes(to.name)) return undefined;
      return `${layer.name} may import these packages: ${listed(layer.packages)}`;
    case "file":
      return objectionToEntry(from, to) ?? objectionToFile(layer, from, to.path);
  }
}

/** A package of this repository is imported by its name, which leads to what it exports. */
function objectionToEntry(from: string, to: Extract<Target, { kind: "file" }>): string | undefined {
  const packageOf = (path: string): string | undefined => /^packages\/[^/]+/.exec(path)?.[0];
  const isInside = packageOf(to.path) === undefined || packageOf(to.path) === packageOf(from);
  return isInside || to.byName === true ? undefined : "import a package by its name";
}

/** True if a module starts programs. */
const startsPrograms = (to: Target): boolean => to.kind !== "file" && STARTERS.modules.includes(to.name);

/** Only one place starts programs; every exception is a named file with a reason. */
function objectionToStarter(from: string): string | undefined {
  if (from.startsWith(`${STARTERS.folder}/`) || Object.hasOwn(STARTERS.exceptions, from)) return undefined;
  return `programs are started through ${STARTERS.folder}, or by a file that STARTERS in scripts/layers/rules.ts names`;
}

/** Exceptions that a file no longer needs. */
function needlessExceptions(modules: readonly Module[]): string[] {
  const idle = modules.filter(({ path, imports }) => Object.hasOwn(STARTERS.exceptions, path) && !imports.some(startsPrograms));
  return idle.map(({ path }) => `${path}: starts no programs; remove it from STARTERS in scripts/layers/rules.ts`);
}

function objectionToFile(layer: Layer, from: string, to: string): string | undefined {
  const target = layerOf(to);
  if (target === layer) return objectionWithin(layer, from, to);
  if (target !== undefined && layer.layers.includes(target.name)) return undefined;
  return `${layer.name} may import these layers: ${listed([layer.name, ...layer.layers])}`;
}

/** The reason why a file may not import another one of its layer, or undefined if it may. */
function objectionWithin(layer: Layer, from: string, to: string): string | undefined {
  if (layer.folderLevels !== undefined) return objectionToLevel(layer, layer.folderLevels, from, to);
  return layer.openFolders === undefined ? undefined : objectionToFolder(layer, layer.openFolders, from, to);
}

/** The folders of a layer are closed to each other: adapters of one port cannot import those of another. */
function objectionToFolder(layer: Layer, open: readonly string[], from: string, to: string): string | undefined {
  const topFolder = (path: string): string => folderIn(layer, path).split("/")[0] ?? "";
  const folder = topFolder(to);
  if (folder === "" || folder === topFolder(from) || open.includes(folder)) return undefined;
  return `a folder of ${layer.folder} imports no other one but ${listed(open)}`;
}

type Levels = readonly (readonly string[])[];

/** The folders of a layer have an order: none imports another of its own level, or of one further out. */
function objectionToLevel(layer: Layer, levels: Levels, from: string, to: string): string | undefined {
  const [own, other] = [folderIn(layer, from), folderIn(layer, to)];
  if (own === other || levelOf(levels, own) < levelOf(levels, other)) return undefined;
  return `${layer.folder}/${own} may import these folders of ${layer.folder}: ${listed(levels.slice(levelOf(levels, own) + 1).flat())}`;
}

/** The folder of a file within its layer; empty if the file is directly in the layer. */
const folderIn = (layer: Layer, path: string): string =>
  path
    .slice(layer.folder.length + 1)
    .split("/")
    .slice(0, -1)
    .join("/");

/** The level of a folder, counted from the outermost; -1 if it has none. */
function levelOf(levels: Levels, folder: string): number {
  const isIt = (name: string): boolean => (name.endsWith("/*") ? matchesGlob(folder, name) : folder === name);
  return levels.findIndex((names) => names.some(isIt));
}

if (import.meta.main) {
  const report = checkLayers(resolve(process.argv[2] ?? "."));
  for (const problem of report.problems) console.error(problem);
  console.log(`layers: ${report.modules} modules, ${report.imports} imports, ${report.problems.length} problems`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
