/** Refuses imports that cross a layer the wrong way, and cycles: `node scripts/layers/check.ts [folder]`. */
import { resolve } from "node:path";
import { cyclesIn, type Module, readModules, type Target } from "./graph.ts";
import { LAYERS, type Layer, STARTERS } from "./rules.ts";

const ROOTS = ["src", "components", "oracle"];

/** What was looked at and every complaint about it, one line each. */
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
    // A check that saw nothing must not pass.
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
  return module.imports.flatMap((to) => {
    const reason = objection(layer, module.path, to);
    return reason === undefined ? [] : [`${module.path} → ${to.kind === "file" ? to.path : to.name}: ${reason}`];
  });
}

const layerOf = (path: string): Layer | undefined => LAYERS.find((layer) => path.startsWith(`${layer.folder}/`));
const listed = (names: readonly string[]): string => (names.length === 0 ? "none" : names.join(", "));

/** Why a file of this layer may not import that, or undefined where it may. */
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
      return objectionToFile(layer, from, to.path);
  }
}

/** Whether a module starts programs. */
const startsPrograms = (to: Target): boolean => to.kind !== "file" && STARTERS.modules.includes(to.name);

/** Every program is started in one place; where that does not serve, the file is named with its reason. */
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

/** Where the folders of a layer are closed to each other: adapters of one port do not know those of another. */
function objectionWithin(layer: Layer, from: string, to: string): string | undefined {
  if (layer.openFolders === undefined) return undefined;
  const folderIn = (path: string): string => path.slice(layer.folder.length + 1).split("/")[0] ?? "";
  const folder = folderIn(to);
  const belongsToNone = folder.endsWith(".ts");
  if (belongsToNone || folder === folderIn(from) || layer.openFolders.includes(folder)) return undefined;
  return `a folder of ${layer.folder} imports no other one but ${listed(layer.openFolders)}`;
}

if (import.meta.main) {
  const report = checkLayers(resolve(process.argv[2] ?? "."));
  for (const problem of report.problems) console.error(problem);
  console.log(`layers: ${report.modules} modules, ${report.imports} imports, ${report.problems.length} problems`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
