import { displayValue } from "@loopdash/values";
import type { Node } from "jsonc-parser";
import { checkValue } from "./issues.ts";
import { type BatchProblem, type Path, pathText, sortProblems } from "./problem.ts";
import { BatchFile } from "./schema.ts";
import { nodeAt, nodeOfProblem, nodeValue, readSyntax, type Syntax, walk } from "./syntax.ts";
import type { Position } from "./text-position.ts";

/** A batch file in which every value has the right shape. `checkBatch` checks how they fit together. */
export interface ParsedBatch {
  readonly ok: true;
  readonly file: BatchFile;
  /** The place of the value at exactly this path; undefined if the file does not give it. */
  readonly locate: (path: Path) => Position | undefined;
}

export type ParseResult = ParsedBatch | { readonly ok: false; readonly problems: readonly BatchProblem[] };

/**
 * Parses the text of a batch file: JSON with comments and trailing commas. Never throws. Every problem has a place in the text,
 * and all of one kind come together: first syntax, then repeated keys and values of the wrong shape, sorted by place.
 */
export function parseBatchFile(text: string): ParseResult {
  const read = readSyntax(text.replace(/^\ufeff/, ""));
  if (!read.ok) return read;
  const { root, position } = read;
  const refused = refusedKeys(read);
  const checked = checkValue(BatchFile, nodeValue(root));
  if (checked.ok && refused.length === 0) {
    const locate = (path: Path) => {
      const node = nodeAt(root, path);
      return node === undefined ? undefined : position(node.offset);
    };
    return { ok: true, file: checked.value, locate };
  }
  const wrong = checked.ok
    ? []
    : checked.findings.map(({ path, key, ...said }) => ({
        ...position(nodeOfProblem(root, path, key).offset),
        path: pathText(path),
        ...said,
      }));
  return { ok: false, problems: sortProblems([...refused, ...wrong]) };
}

/**
 * Duplicate keys of an object: parsers silently keep the last, and people mean the one they look at. Also `__proto__`, which zod
 * silently leaves out.
 */
function refusedKeys({ root, position }: Syntax): readonly BatchProblem[] {
  const problems: BatchProblem[] = [];
  walk(root, (node, path) => {
    if (node.type !== "object") return;
    const first = new Map<unknown, Node>();
    for (const { children } of node.children ?? []) {
      const key = children?.[0];
      if (key === undefined) continue;
      const before = first.get(key.value);
      if (key.value === "__proto__")
        problems.push({ ...position(key.offset), path: pathText(path), message: 'unknown key "__proto__"' });
      else if (before === undefined) first.set(key.value, key);
      else {
        const { line } = position(before.offset);
        const message = `the key ${displayValue(key.value)} is given twice`;
        problems.push({ ...position(key.offset), path: pathText(path), message, hint: `the first is on line ${line}` });
      }
    }
  });
  return problems;
}
