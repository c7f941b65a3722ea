/** Prints the measures of size and naming beside their bounds: `node scripts/house.ts`. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Node, parseSync, Visitor } from "oxc-parser";

const ROOT = resolve(import.meta.dirname, "..");

interface Measure {
  readonly what: string;
  readonly value: number;
  readonly bound: number;
  readonly unit?: "%";
}

interface Names {
  /** Names of functions that are declared or kept in a variable. */
  readonly functions: readonly string[];
  /** Names of methods, and of functions that are a property. */
  readonly methods: readonly string[];
  readonly exportedTypes: readonly string[];
}

/** The files that git tracks below the folders and that end like this. */
function tracked(folders: readonly string[], ending = ""): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--", ...folders], { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  return listed.split("\0").filter((path) => path !== "" && path.endsWith(ending) && existsSync(join(ROOT, path)));
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

function countLines(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);
}

/** Words with a letter or a digit: the bars of a table are none. */
function countWords(paths: readonly string[]): number {
  return paths.reduce(
    (sum, path) =>
      sum +
      read(path)
        .split(/\s+/)
        .filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    0,
  );
}

const isFunction = (node: Node | null | undefined): boolean =>
  node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";

/** The names that a file gives to functions, and to the types that it exports. */
function readNames(path: string): Names {
  const { program, errors } = parseSync(path, read(path));
  if (errors[0] !== undefined) throw new SyntaxError(`${path}: ${errors[0].message}`);
  const functions: string[] = [];
  const methods: string[] = [];
  const exportedTypes: string[] = [];
  new Visitor({
    FunctionDeclaration: ({ id }) => void (id !== null && functions.push(id.name)),
    VariableDeclarator: ({ id, init }) => void (id.type === "Identifier" && isFunction(init) && functions.push(id.name)),
    MethodDefinition: ({ key, kind }) => void (kind === "method" && methods.push(keyName(key))),
    PropertyDefinition: ({ key, value }) => void (isFunction(value) && methods.push(keyName(key))),
    Property: ({ key, value }) => void (isFunction(value) && methods.push(keyName(key))),
    ExportNamedDeclaration: ({ declaration }) => {
      if (declaration?.type === "TSInterfaceDeclaration" || declaration?.type === "TSTypeAliasDeclaration")
        exportedTypes.push(declaration.id.name);
    },
  }).visit(program);
  return { functions, methods, exportedTypes };
}

const keyName = (key: Node): string => ("name" in key ? String(key.name) : "");

/** The number of names that occur more than once. */
function countShared(names: readonly string[]): number {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times.values()].filter((count) => count > 1).length;
}

function measures(): readonly Measure[] {
  const product = tracked(["src", "components", "oracle"]);
  const packages = tracked(["packages"]).filter((path) => !/^packages\/[^/]+\/test\//.test(path));
  const names = [...product, ...packages].filter((path) => /\.tsx?$/.test(path)).map(readNames);
  const functions = names.flatMap((file) => file.functions);
  const all = [...functions, ...names.flatMap(({ methods }) => methods)];
  const endInOf = all.filter((name) => /[a-z0-9]Of$/.test(name));
  const pages = tracked(["."], ".md").filter((path) => !/^(?:packages\/[^/]+\/)?test\//.test(path));
  return [
    { what: "lines in src, components and oracle", value: countLines(product), bound: 92_000 },
    { what: "lines in packages", value: countLines(packages), bound: 26_000 },
    { what: "words of Markdown outside of test", value: countWords(pages), bound: 40_000 },
    { what: "functions whose name ends in Of", value: (100 * endInOf.length) / all.length, bound: 4, unit: "%" },
    { what: "names of several exported types", value: countShared(names.flatMap((file) => file.exportedTypes)), bound: 8 },
    { what: "names of several functions", value: countShared(functions), bound: 150 },
  ];
}

function formatMeasure({ what, value, bound, unit }: Measure): string {
  const format = (number: number): string =>
    `${number.toLocaleString("en", { maximumFractionDigits: 1 })}${unit === undefined ? "" : ` ${unit}`}`;
  return `${what}: ${format(value)} of at most ${format(bound)}${value > bound ? ", over its bound" : ""}`;
}

const all = measures();
const over = all.filter(({ value, bound }) => value > bound);
for (const measure of all) console.log(formatMeasure(measure));
console.log(`${over.length} of ${all.length} measures are over their bound; this fails nothing yet`);
