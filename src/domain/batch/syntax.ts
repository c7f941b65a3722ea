import { type Node, type ParseError, parseTree } from "jsonc-parser";
import { MAX_DEPTH, nestingOf } from "./nesting.ts";
import type { BatchProblem, Path } from "./problem.ts";
import { syntaxProblems } from "./syntax-errors.ts";
import { type Position, positionsIn } from "./text-position.ts";

/** Length of the longest batch file. UTF-16 units. */
const MAX_BATCH_LENGTH = 32 * 1024 * 1024;

/** A file of JSON with comments: its tree, and the places of its parts. */
export interface Syntax {
  readonly ok: true;
  readonly root: Node;
  readonly position: (offset: number) => Position;
}

/** Reads JSON with comments and trailing commas. Never throws; nesting and length are bounded. */
export function readSyntax(text: string): Syntax | { readonly ok: false; readonly problems: readonly BatchProblem[] } {
  const refuse = (message: string, at: Position = { line: 1, column: 1 }) => ({
    ok: false as const,
    problems: [{ ...at, path: "", message }],
  });
  if (text.length > MAX_BATCH_LENGTH) return refuse("the file is longer than 32 million characters");
  const position = positionsIn(text);
  const nesting = nestingOf(text);
  if (nesting.empty) return refuse("the file is empty");
  if (nesting.tooDeep !== undefined) return refuse(`brackets nest deeper than ${MAX_DEPTH} levels`, position(nesting.tooDeep));
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root !== undefined && errors.length === 0) return { ok: true, root, position };
  const problems = syntaxProblems(text, errors, nesting, position);
  return problems.length > 0 ? { ok: false, problems } : refuse("this is not JSON");
}

/** Calls `visit` for each value with its path and the node of its key. Depth is bounded by `readSyntax`. */
export function walk(node: Node, visit: (node: Node, path: Path) => void, path: Path = []): void {
  visit(node, path);
  node.children?.forEach((child, i) => {
    const [key, value] = child.type === "property" ? (child.children ?? []) : [];
    if (key !== undefined && value !== undefined) walk(value, visit, [...path, String(key.value)]);
    else if (node.type === "array") walk(child, visit, [...path, i]);
  });
}

/** The value of a node, without keys named `__proto__`, which would set the prototype. */
export function nodeValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(nodeValue);
  if (node.type !== "object") return node.value;
  const object: Record<string, unknown> = {};
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    if (key === undefined || value === undefined || key.value === "__proto__") continue;
    Object.defineProperty(object, String(key.value), {
      value: nodeValue(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}

/** The node at a path. With `key`, the key of that property if the object has it. */
export function nodeAt(root: Node, path: Path, key?: string): Node | undefined {
  let node: Node | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    if (typeof step === "number") node = node.type === "array" ? node.children?.[step] : undefined;
    else node = property(node, step)?.children?.[1];
  }
  return key === undefined || node === undefined ? node : property(node, key)?.children?.[0];
}

/** The node of a problem: at its path, or the deepest one on the way there. */
export function nodeOfProblem(root: Node, path: Path, key?: string): Node {
  const found = nodeAt(root, path, key);
  if (found !== undefined) return found;
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}

function property(node: Node, key: string): Node | undefined {
  return node.type === "object" ? node.children?.find((child) => child.children?.[0]?.value === key) : undefined;
}
