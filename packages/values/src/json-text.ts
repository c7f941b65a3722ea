import { visit } from "jsonc-parser";
import { objectMembers } from "./json-object.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON as `JSON.parse` should. V8 confuses a name written with escapes with a name that it has just read, if the
 * characters of that one are how the escaped one begins: after `"\\u0"`, `"\u0075rl"` is read as `\u0` (nodejs/node#63785; Node
 * 24 and 26). The author of a text could so hide a member that the next reader sees. Throws a SyntaxError for invalid JSON, and
 * for escaped names that are nested too deeply to be read here.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? built(text) : value;
}

/** The members of a JSON object; none if the text is no JSON object. */
export function jsonMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectMembers(readJson(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** True if a name of a well-formed text is written with an escape. */
function hasEscapedName(text: string): boolean {
  if (!text.includes("\\")) return false;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    const end = quoteBefore(text, colon);
    if (end !== undefined && hasEscapeBefore(text, end)) return true;
  }
  return false;
}

/**
 * The place of the unescaped quote right before a colon, blanks aside: the end of a name, or the beginning of a string that
 * begins with a colon.
 */
export function quoteBefore(text: string, colon: number): number | undefined {
  let at = colon - 1;
  while (isSpace(text.charCodeAt(at))) at -= 1;
  return text.charCodeAt(at) === QUOTE && !isEscaped(text, at) ? at : undefined;
}

/** True if there is a backslash between a quote and the previous unescaped one. */
function hasEscapeBefore(text: string, quote: number): boolean {
  for (let at = quote - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) return true;
    if (code === QUOTE) return isEscaped(text, at);
  }
  return false;
}

/** True if an odd number of backslashes stands before. */
export function isEscaped(text: string, place: number): boolean {
  let at = place - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (place - at) % 2 === 0;
}

/** White space of JSON (RFC 8259, 2). */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The value of a well-formed text, built from its parts. The last of two members with one name counts, as in JSON.parse. */
function built(text: string): unknown {
  const root: unknown[] = [];
  const open: object[] = [root];
  let name = "";
  const put = (value: unknown): void => {
    const into = open.at(-1);
    if (Array.isArray(into)) into.push(value);
    // An assignment would not do: `__proto__` is a member like any other.
    else Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  };
  const begin = (into: object): void => {
    put(into);
    open.push(into);
  };
  const end = (): void => void open.pop();
  try {
    visit(text, {
      onObjectProperty: (found) => {
        name = found;
      },
      onObjectBegin: () => begin({}),
      onObjectEnd: end,
      onArrayBegin: () => begin([]),
      onArrayEnd: end,
      onLiteralValue: put,
    });
  } catch (error) {
    // The parser recurses, and its stack is bounded.
    if (error instanceof RangeError) throw new SyntaxError("it is nested too deeply", { cause: error });
    throw error;
  }
  return root[0];
}
