import { isEscaped, isSpace, quoteBefore } from "../../../domain/values/json-text.ts";
import type { JsonObject } from "../../json.ts";

const COLON = 0x3a;

/** Levels of lists and objects that an honest request stays well within. */
const MOST_DEPTH = 200;

/**
 * True if no object of a JSON text has two members of the same name; `value` is the parsed text. Of two such members JavaScript
 * takes the last, and another reader of the text may take the first. A text without duplicates has as many names as the value has
 * members. Also false if it is nested deeper than any request.
 */
export function hasNoDuplicateKeys(text: string, value: JsonObject): boolean {
  const members = membersOf(value);
  // The quick count is never too low: if it equals the members, there are no more names.
  return namesAtMost(text) === members || namesIn(text) === members;
}

/**
 * Colons after the end of a string, or after what looks like one: the opening quote of a string that begins with a colon. A long
 * request has far fewer colons than strings.
 */
function namesAtMost(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    if (quoteBefore(text, colon) !== undefined) names += 1;
  }
  return names;
}

/** Strings before a colon. The text is well-formed, so quotes come in pairs. */
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

/** The index of the quote that ends the string which begins at `begin`. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Members of an object and of all objects in it; NaN, which equals nothing, if it is nested too deeply. */
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
