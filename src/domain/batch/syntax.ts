import { displayValue } from "@loopdash/values";
import { type Node, type ParseError, parseTree } from "jsonc-parser";
import { MAX_DEPTH, measureNesting, type Nesting } from "./nesting.ts";
import { type BatchProblem, type Path, sortProblems } from "./problem.ts";
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
  const nesting = measureNesting(text);
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

/** Values of the parser's `const enum`, which isolated modules cannot read (jsonc-parser 3.3, main.d.ts). */
const ERROR = { invalidSymbol: 1, propertyNameExpected: 3, closeBraceExpected: 7, closeBracketExpected: 8 };

interface Words {
  readonly message: string;
  readonly hint?: string;
}

const IN_WORDS: Readonly<Record<number, Words>> = {
  2: { message: "this is not a number" },
  3: { message: "a key is expected here", hint: "keys stand in double quotes" },
  4: { message: "a value is expected here" },
  5: { message: 'a ":" is expected before this' },
  6: { message: 'a "," is expected before this' },
  7: { message: 'a "}" is expected here' },
  8: { message: 'a "]" is expected here' },
  9: { message: "the batch ends before this", hint: "remove what follows" },
  11: { message: "this comment is not closed", hint: 'a "*/" is missing' },
  12: { message: "this text is not closed", hint: 'a double quote is missing at its end; a line break is written as "\\n"' },
  13: { message: "this number is cut short" },
  14: { message: '"\\u" takes four hexadecimal digits' },
  15: { message: "there is no such escape", hint: 'a backslash is written as "\\\\"' },
  16: { message: "a control character stands in this text", hint: 'write "\\n" or "\\t"' },
};

const NO_WORDS: Words = { message: "this is not JSON" };

/** The parser's errors, in words and by place: the first of each line, and nothing after a wrong bracket. */
function syntaxProblems(
  text: string,
  errors: readonly ParseError[],
  nesting: Nesting,
  position: (offset: number) => Position,
): readonly BatchProblem[] {
  const { wrongClose } = nesting;
  const before = errors.filter((error) => wrongClose === undefined || error.offset < wrongClose.at);
  const problems = before.map((error) => ({
    ...position(Math.min(error.offset, text.length)),
    path: "",
    ...inWords(error, text, nesting, position),
  }));
  if (wrongClose === undefined) return firstOfEachLine(problems);
  const { line } = position(wrongClose.open);
  const message = `"${text[wrongClose.at]}" stands here, but the "${text[wrongClose.open]}" of line ${line} is still open`;
  return firstOfEachLine([...problems, { ...position(wrongClose.at), path: "", message }]);
}

function inWords(error: ParseError, text: string, nesting: Nesting, position: (offset: number) => Position): Words {
  const code: number = error.error;
  if (nesting.open !== undefined && (code === ERROR.closeBraceExpected || code === ERROR.closeBracketExpected)) {
    return { message: `the "${text[nesting.open]}" of line ${position(nesting.open).line} is not closed` };
  }
  const rest = text.slice(error.offset, error.offset + 80);
  const word = /^[^\s,:[\]{}"]*/.exec(rest)?.[0] ?? "";
  const asKey = code === ERROR.propertyNameExpected || /^\s*:/.test(rest.slice(word.length));
  const misfit = code === ERROR.invalidSymbol || code === ERROR.propertyNameExpected;
  if (!misfit || word === "") return IN_WORDS[code] ?? NO_WORDS;
  const bare = word.replace(/^'|'$/g, "");
  if (asKey) return { message: `the key ${displayValue(bare)} must stand in double quotes` };
  return {
    message: `${bare === word ? word : displayValue(word)} is not a value`,
    hint: "text stands in double quotes; else true, false, null or a number",
  };
}

/** One slip causes several errors on a line; the first one is the real one. */
function firstOfEachLine(problems: readonly BatchProblem[]): readonly BatchProblem[] {
  const sorted = sortProblems(problems);
  return sorted.filter((problem, i) => problem.line !== sorted[i - 1]?.line);
}
