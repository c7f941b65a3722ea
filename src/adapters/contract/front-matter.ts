import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLError } from "yaml";
import type { Path } from "../../domain/batch/problem.ts";
import type { ContractTextProblem } from "../../domain/batch/read-contract.ts";
import type { Position } from "../../domain/batch/text-position.ts";

/** The value of a contract's front matter with the places of its parts; or the problems of its YAML. */
export type FrontMatterValue =
  | { readonly ok: true; readonly value: unknown; readonly locate: (path: Path, key?: string) => Position | undefined }
  | { readonly ok: false; readonly problems: readonly ContractTextProblem[] };

/** A contract nests four levels deep. The value is walked by recursion. */
const MOST_DEPTH = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/;

/**
 * Reads front matter as YAML 1.2 in the core schema. Aliases, anchors, tags and duplicate keys are problems: the value that a
 * person sees is the one that counts. `firstLine` is the line of the file in which `text` begins.
 */
export function readFrontMatterValue(text: string, firstLine: number): FrontMatterValue {
  const lines = new LineCounter();
  const position = (at: number): Position => {
    const { line, col } = lines.linePos(at);
    return { line: line + firstLine - 1, column: col };
  };
  const document = parseDocument(text, { schema: "core", prettyErrors: false, lineCounter: lines, uniqueKeys: true });
  const control = CONTROL.exec(text);
  const end = /^\.\.\.(?=\s|$)/m.exec(text);
  const problems: ContractTextProblem[] = [
    ...(control === null
      ? []
      : [{ ...position(control.index), message: "a tab or control character stands in the front matter" }]),
    ...(end === null ? [] : [{ ...position(end.index), message: "a line `...` ends the front matter early" }]),
    ...[...document.errors, ...document.warnings].map((error) => ({
      ...position(error.pos[0]),
      message: yamlProblem(error, text),
    })),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const reading = new Reading(position);
  const value = document.contents === null ? {} : reading.value(document.contents, 0);
  if (reading.problems.length > 0) return { ok: false, problems: reading.problems };
  return { ok: true, value, locate: (path, key) => findPosition(document.contents, path, key, position) };
}

function yamlProblem({ code, message, pos }: YAMLError, text: string): string {
  if (code !== "DUPLICATE_KEY") return `not valid YAML: ${message}`;
  const key = /^[^:\s]{1,60}/.exec(text.slice(pos[0]))?.[0] ?? "";
  return `the key ${JSON.stringify(key)} is given twice`;
}

class Reading {
  readonly problems: ContractTextProblem[] = [];
  readonly #position: (at: number) => Position;

  constructor(position: (at: number) => Position) {
    this.#position = position;
  }

  value(node: unknown, depth: number): unknown {
    if (!isNode(node)) return null;
    if (isAlias(node)) return this.#refuse(node, "aliases are not read: write the value itself");
    if (depth > MOST_DEPTH) return this.#refuse(node, `values nest deeper than ${MOST_DEPTH} levels`);
    if ("anchor" in node && node.anchor !== undefined) return this.#refuse(node, "anchors are not read: write the value itself");
    if (node.tag !== undefined && /^!|^tag:(?!yaml\.org,2002:(?:map|seq|str|int|float|bool|null)$)/.test(node.tag))
      return this.#refuse(node, "tags are not read");
    if (isSeq(node)) return node.items.map((item) => this.value(item, depth + 1));
    if (isMap(node)) return this.#object(node.items, depth);
    return isScalar(node) ? node.value : this.#refuse(node, "is no value");
  }

  #object(pairs: readonly Pair[], depth: number): unknown {
    const object: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? key.value : undefined;
      if (typeof name !== "string" || name === "__proto__") this.#refuse(key, "a key must be a plain word");
      else object[name] = this.value(value, depth + 1);
    }
    return object;
  }

  #refuse(node: unknown, message: string): undefined {
    const at = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    this.problems.push({ ...this.#position(at), message });
    return undefined;
  }
}

/** The place of the value at exactly this path, or of a key of it; undefined if there is none. */
function findPosition(
  root: Node | null,
  path: Path,
  key: string | undefined,
  position: (at: number) => Position,
): Position | undefined {
  let node: unknown = root;
  for (const step of path) {
    if (typeof step === "number") node = isSeq(node) ? node.items[step] : undefined;
    else node = findPair(node, step)?.value;
    if (node === undefined) return undefined;
  }
  const found = key === undefined ? node : findPair(node, key)?.key;
  const range = isNode(found) ? found.range : undefined;
  return range == null ? undefined : position(range[0]);
}

function findPair(node: unknown, key: string): Pair | undefined {
  return isMap(node) ? node.items.find((pair) => isScalar(pair.key) && pair.key.value === key) : undefined;
}
