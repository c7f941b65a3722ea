import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Expression, type PrivateIdentifier, parseSync, type TemplateLiteral, Visitor } from "oxc-parser";

/** A regular expression in a source file. `source` is undefined if its text is made of more than constants of that file. */
export interface FoundRegex {
  readonly path: string;
  readonly line: number;
  readonly source: string | undefined;
  readonly flags: string;
}

/** Every regular expression of the TypeScript files below the folders of `base`: literals, and calls of RegExp. */
export function collectRegexes(base: string, folders: readonly string[]): readonly FoundRegex[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: base })).sort();
  return files.flatMap((path) => regexesIn(path, readFileSync(join(base, path), "utf8")));
}

function regexesIn(path: string, text: string): readonly FoundRegex[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`);
  const found: FoundRegex[] = [];
  const constants = new Map<string, Expression>();
  const add = (start: number, source: string | undefined, flags: string): void => {
    found.push({ path, line: text.slice(0, start).split("\n").length, source, flags });
  };
  const addCall = ({ start, callee, arguments: given }: Call): void => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp") return;
    const [source, flags] = given.map((each) => textOf(each as Expression, constants));
    add(start, source, flags ?? "");
  };
  // Constants first: a function may use one that stands below it.
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init);
    },
  }).visit(program);
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) add(node.start, node.regex.pattern, node.regex.flags);
    },
    NewExpression: addCall,
    CallExpression: addCall,
  }).visit(program);
  return found;
}

interface Call {
  readonly start: number;
  readonly callee: Expression;
  readonly arguments: readonly { readonly type: string }[];
}

/** The text of an expression that is made of constants; undefined for any other. A regular expression stands for its source. */
function textOf(node: Expression | PrivateIdentifier, constants: ReadonlyMap<string, Expression>): string | undefined {
  switch (node.type) {
    case "Literal":
      if ("regex" in node) return node.regex.pattern;
      return typeof node.value === "string" ? node.value : undefined;
    case "TemplateLiteral":
      return joined(node, constants, "cooked");
    case "TaggedTemplateExpression":
      return joined(node.quasi, constants, "raw");
    case "BinaryExpression": {
      const [left, right] = [textOf(node.left, constants), textOf(node.right, constants)];
      return node.operator === "+" && left !== undefined && right !== undefined ? left + right : undefined;
    }
    case "MemberExpression":
      return node.property.type === "Identifier" && node.property.name === "source" ? textOf(node.object, constants) : undefined;
    case "Identifier": {
      const constant = constants.get(node.name);
      return constant === undefined ? undefined : textOf(constant, constants);
    }
    default:
      return undefined;
  }
}

function joined(
  { quasis, expressions }: TemplateLiteral,
  constants: ReadonlyMap<string, Expression>,
  kind: "cooked" | "raw",
): string | undefined {
  const parts = expressions.map((each) => textOf(each, constants));
  if (parts.includes(undefined)) return undefined;
  return quasis.map(({ value }, i) => `${value[kind] ?? ""}${parts[i] ?? ""}`).join("");
}
