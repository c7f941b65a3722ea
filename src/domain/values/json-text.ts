import { visit } from "jsonc-parser";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * What `JSON.parse` is to give. V8 takes a name that is written with escapes for another one that it has just read, where that one's
 * characters are how the escaped one begins: after `"\\u0"`, `"\u0075rl"` is read as `\u0` (nodejs/node#63785; Node 24 and 26). Whoever
 * chooses the text could hide a member from us that the next reader sees. Throws a SyntaxError for what is no JSON, and for escaped
 * names in what is nested too deeply to be read by hand.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasEscapedName(text) ? built(text) : value;
}

/** Whether a name of a well-formed text is written with an escape. */
function hasEscapedName(text: string): boolean {
  if (!text.includes("\\")) return false;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    const end = quoteBefore(text, colon);
    if (end !== undefined && hasEscapeBefore(text, end)) return true;
  }
  return false;
}

/**
 * The place of the quote that stands right before a colon, blanks aside, and is not escaped: the end of a name, or the beginning of a
 * string that begins with a colon.
 */
export function quoteBefore(text: string, colon: number): number | undefined {
  let at = colon - 1;
  while (isSpace(text.charCodeAt(at))) at -= 1;
  return text.charCodeAt(at) === QUOTE && !isEscaped(text, at) ? at : undefined;
}

/** Whether there is a backslash between a quote and the one before it that is not escaped. */
function hasEscapeBefore(text: string, quote: number): boolean {
  for (let at = quote - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) return true;
    if (code === QUOTE) return isEscaped(text, at);
  }
  return false;
}

/** Whether an odd number of backslashes stands before. */
export function isEscaped(text: string, place: number): boolean {
  let at = place - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (place - at) % 2 === 0;
}

/** White space of JSON (RFC 8259, 2). */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** The value of a well-formed text, put together from its parts; of two members of one name the last counts, as in JSON.parse. */
function built(text: string): unknown {
  const root: unknown[] = [];
  const open: object[] = [root];
  let name = "";
  const put = (value: unknown): void => {
    const into = open.at(-1);
    if (Array.isArray(into)) into.push(value);
    // Not by assignment: `__proto__` is a member like any other.
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
