import { createScanner } from "jsonc-parser";

/** A batch nests seven levels deep. The parser recurses, so the depth is bounded before it runs. */
export const MAX_DEPTH = 64;

/** Values of the scanner's `const enum`, which isolated modules cannot read (jsonc-parser 3.3, main.d.ts). */
const TOKEN = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, eof: 17 };

/** The nesting of a text's brackets. Places are offsets. */
export interface Nesting {
  /** True if there is nothing but white space and comments. */
  readonly empty: boolean;
  /** The first bracket that is too deep. The text after it was not scanned. */
  readonly tooDeep?: number;
  /** The first closing bracket that does not belong to the innermost open one. */
  readonly wrongClose?: { readonly at: number; readonly open: number };
  /** The innermost bracket that is open at the end. */
  readonly open?: number;
}

/**
 * Scans the brackets alone. A bracket is closed only by its own kind, as in the parser, so this depth is never less than the
 * parser's.
 */
export function measureNesting(text: string): Nesting {
  const scanner = createScanner(text, true);
  const open: { readonly at: number; readonly close: number }[] = [];
  let wrongClose: Nesting["wrongClose"];
  let empty = true;
  for (let token: number = scanner.scan(); token !== TOKEN.eof; token = scanner.scan()) {
    empty = false;
    const at = scanner.getTokenOffset();
    const innermost = open.at(-1);
    if (token === TOKEN.openBrace || token === TOKEN.openBracket) {
      open.push({ at, close: token + 1 });
      if (open.length > MAX_DEPTH) return { empty, tooDeep: at };
    } else if (innermost?.close === token) open.pop();
    else if ((token === TOKEN.closeBrace || token === TOKEN.closeBracket) && innermost !== undefined) {
      wrongClose ??= { at, open: innermost.at };
    }
  }
  const last = open.at(-1);
  return { empty, wrongClose, open: last?.at };
}
