import type { JsonObject } from "./json.ts";

const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Levels of lists and objects that an honest request stays well within. */
const MOST_DEPTH = 200;

/**
 * Whether a JSON text names no member of an object twice, `value` being what was read from it. Of two members of one name
 * JavaScript takes the last, and whoever else reads the text may take the first: so it has as many members as the text has
 * names, or it says something twice. Also false where it is nested deeper than any request.
 */
export function saysNothingTwice(text: string, value: JsonObject): boolean {
  return namesIn(text) === membersOf(value);
}

/** Strings before a colon. The text is well-formed, so that quotes come in pairs. */
function namesIn(text: string): number {
  let names = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    let next = endOfString(text, at) + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === COLON) names += 1;
    at = text.indexOf('"', next);
  }
  return names;
}

/** The place of the quote that ends the string which begins at `begin`: the first with an even number of backslashes before. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let at = end - 1;
    while (text.charCodeAt(at) === BACKSLASH) at -= 1;
    if ((end - at) % 2 === 1) return end;
  }
  return text.length;
}

/** White space of JSON (RFC 8259, 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Members of an object and of all that is in it; NaN, which equals nothing, where that is nested too deeply. */
function membersOf(value: object, depth = 0): number {
  if (depth > MOST_DEPTH) return Number.NaN;
  const inner: readonly unknown[] = Object.values(value);
  let members = Array.isArray(value) ? 0 : inner.length;
  for (const each of inner) if (typeof each === "object" && each !== null) members += membersOf(each, depth + 1);
  return members;
}
