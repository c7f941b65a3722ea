import { isEscaped, isSpace, quoteBefore } from "../../../domain/values/json-text.ts";
import type { JsonObject } from "../../json.ts";

const COLON = 0x3a;

/** Levels of lists and objects that an honest request stays well within. */
const MOST_DEPTH = 200;

/**
 * Whether a JSON text names no member of an object twice, `value` being what was read from it. Of two members of one name
 * JavaScript takes the last, and whoever else reads the text may take the first: so it has as many members as the text has
 * names, or it says something twice. Also false where it is nested deeper than any request.
 */
export function hasNoDuplicateKeys(text: string, value: JsonObject): boolean {
  const members = membersOf(value);
  // The quick count is never too low: where it says as many, there are no more.
  return namesAtMost(text) === members || namesIn(text) === members;
}

/**
 * Colons behind the end of a string, or behind what looks like one: the quote that begins a string which itself begins with
 * a colon. A long request has far fewer colons than strings.
 */
function namesAtMost(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    if (quoteBefore(text, colon) !== undefined) names += 1;
  }
  return names;
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

/** The place of the quote that ends the string which begins at `begin`. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Members of an object and of all that is in it; NaN, which equals nothing, where that is nested too deeply. */
function membersOf(value: object, depth = 0): number {
  if (depth > MOST_DEPTH) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (const each of value) if (isInner(each)) members += membersOf(each, depth + 1);
    return members;
  }
  for (const name in value) {
    const each = (value as JsonObject)[name];
    members += isInner(each) ? 1 + membersOf(each, depth + 1) : 1;
  }
  return members;
}

function isInner(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
