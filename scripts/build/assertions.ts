import { isBuiltin } from "node:module";
import type { Metafile } from "esbuild";

export type Outputs = Metafile["outputs"];

/** Packages that only a dashboard needs. */
const DRAWING = /(?:^|\/)node_modules\/(?:ink|react|react-reconciler|yoga-layout)\//;

/** Throws if a built file imports a module that neither Node nor the package itself has. */
export function assertSelfContained(outputs: Outputs): void {
  for (const [path, output] of Object.entries(outputs)) {
    for (const { path: to, external } of output.imports) {
      const foreign = external === true ? !isBuiltin(to) : path.endsWith("oracle.cjs") || !(to in outputs);
      if (foreign) throw new Error(`${path} imports ${to}: built files may import Node's own modules and each other only`);
    }
    if (path.endsWith("oracle.cjs")) assertFromOracle(path, Object.keys(output.inputs));
  }
}

/**
 * Throws if a built file requires a module at run time that the bundler did not see: Node would look for it on the user's disk.
 */
export function assertNoHiddenRequire(path: string, text: string): void {
  for (const [, name = ""] of text.matchAll(/\brequire\d*\("([^"]+)"\)/g)) {
    if (!isBuiltin(name)) throw new Error(`${path} requires ${name}, which is not bundled`);
  }
}

/** Throws unless the oracle is built only from the oracle's sources. */
function assertFromOracle(path: string, inputs: readonly string[]): void {
  const stranger = inputs.find((input) => !input.startsWith("oracle/"));
  if (stranger !== undefined) throw new Error(`${path} holds ${stranger}: the oracle is made of files under oracle/ only`);
}

/**
 * Throws if the program loads too much at its start: the entry imports nothing of its own before the check of Node's version, and
 * no code that every verb loads draws on a terminal.
 */
export function assertLightStart(outputs: Outputs, entry: string, dispatcher: string): void {
  const early = staticImports(outputs, entry);
  if (early.length > 0) throw new Error(`${entry} loads ${early.join(", ")} before it knows that Node is new enough`);
  const start = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === dispatcher);
  if (start === undefined) throw new Error(`no built file begins with ${dispatcher}`);
  for (const path of closure(outputs, start)) {
    const drawing = Object.keys(outputs[path]?.inputs ?? {}).find((input) => DRAWING.test(input));
    if (drawing !== undefined)
      throw new Error(`every verb would load ${drawing} (through ${path}); import it where something is drawn`);
  }
}

/** Built files that `path` imports in a statement. */
function staticImports(outputs: Outputs, path: string): readonly string[] {
  const imports = outputs[path]?.imports ?? [];
  return imports.filter((to) => to.kind === "import-statement" && to.external !== true).map((to) => to.path);
}

function closure(outputs: Outputs, start: string): ReadonlySet<string> {
  const seen = new Set([start]);
  for (const path of seen) for (const to of staticImports(outputs, path)) seen.add(to);
  return seen;
}
