import { existsSync, globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import { type Argument, type Expression, parseSync, Visitor } from "oxc-parser";

/** The target of an import. `computed` names nothing that can be checked. */
export type Target =
  /** `byName`: it is what a package of this repository exports under the name that is imported. */
  | { readonly kind: "file"; readonly path: string; readonly byName?: true }
  | { readonly kind: "builtin"; readonly name: string }
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "missing" | "computed"; readonly name: string };

/** A source file, by its path from the root, with everything it imports: values, types, re-exports, at run time. */
export interface Module {
  readonly path: string;
  readonly imports: readonly Target[];
}

/** Reads every TypeScript file under the given folders of `base`. Throws if one cannot be parsed. */
export function readModules(base: string, folders: readonly string[]): readonly Module[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: base })).sort();
  return files.map((path) => ({ path, imports: specifiersIn(base, path).map((name) => targetOf(base, path, name)) }));
}

const COMPUTED = "(computed)";

function specifiersIn(base: string, path: string): string[] {
  const { program, errors } = parseSync(path, readFileSync(join(base, path), "utf8"));
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  const found: string[] = [];
  const add = (source: Expression | Argument | null | undefined): void => {
    if (source === null || source === undefined) return;
    found.push(source.type === "Literal" && typeof source.value === "string" ? source.value : COMPUTED);
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "require") add(node.arguments[0]);
    },
  }).visit(program);
  return found;
}

function targetOf(base: string, from: string, name: string): Target {
  if (name === COMPUTED) return { kind: "computed", name };
  if (name.startsWith(".")) {
    const path = posix.join(dirname(from), name);
    return existsSync(join(base, path)) ? { kind: "file", path } : { kind: "missing", name };
  }
  const exported = exportedFile(base, name);
  if (exported !== undefined) return exported;
  if (isBuiltin(name)) return { kind: "builtin", name: name.replace(/^node:/, "") };
  return { kind: "package", name: name.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? name };
}

const OWN_PACKAGE = /^@loopdash\/([^/]+)(?:\/(.+))?$/;

/** The file that a package of this repository exports by this name; undefined for the name of any other package. */
function exportedFile(base: string, name: string): Target | undefined {
  const [, own, inside] = OWN_PACKAGE.exec(name) ?? [];
  if (own === undefined) return undefined;
  const folder = posix.join("packages", own);
  const manifest = join(base, folder, "package.json");
  const { exports = {} } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")) : {};
  const file: unknown = exports[inside === undefined ? "." : `./${inside}`];
  return typeof file === "string" ? { kind: "file", path: posix.join(folder, file), byName: true } : { kind: "missing", name };
}

/** Every cycle once, as the files along it. Tarjan's strongly connected components; one file that imports itself counts. */
export function cyclesIn(modules: readonly Module[]): readonly (readonly string[])[] {
  const next = new Map(
    modules.map(({ path, imports }) => [path, imports.flatMap((to) => (to.kind === "file" ? [to.path] : []))]),
  );
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const lowOf = (path: string): number => low.get(path) ?? Number.POSITIVE_INFINITY;
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.size - 1);
    stack.push(path);
    for (const to of next.get(path) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(path, Math.min(lowOf(path), lowOf(to)));
    }
    if (lowOf(path) !== order.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1 || next.get(path)?.includes(path)) cycles.push(component);
  };
  for (const path of next.keys()) if (!order.has(path)) visit(path);
  return cycles;
}
