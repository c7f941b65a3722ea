import { visit } from "jsonc-parser";
import { isExactly } from "../values/exact-number.ts";
import { errorMessage, plainText, plural } from "../values/text.ts";
import { MAX_DEPTH, measureNesting } from "./nesting.ts";
import type { Expectation } from "./step-spec.ts";

/** Maximum of characters of stdout for an expectation. A longer output meets none. */
export const MAX_EXPECTED_OUTPUT = 1024 * 1024;

/** Characters of an outside value in a message. */
const SHOWN_CHARS = 60;

/** A number in JSON that a double cannot represent exactly. It equals nothing. */
class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * The reason in plain words why a command's stdout (undefined if it was too long) does not meet the expectation; undefined if it
 * does. Fails closed: only one strict JSON value (RFC 8259, no comments, no NaN) with unique keys can meet it. Objects may have
 * more keys than expected, at any depth. Lists must have as many entries, each with the expected contents at its place, so `[]`
 * expects an empty list. Numbers are compared by value, to the last digit.
 */
export function unmet({ text, json }: Expectation, stdout: string | undefined): string | undefined {
  if (stdout === undefined) return `it printed more than ${MAX_EXPECTED_OUTPUT} characters on stdout`;
  if (text !== undefined && !stdout.includes(text)) return `stdout does not hold ${shown(text)}`;
  if (json === undefined) return undefined;
  const read = readJson(stdout);
  if (!read.ok) return `stdout is not one JSON value: ${read.why}`;
  return lacks(json, read.value, "");
}

/** Gets the text of each value from Node's JSON.parse (ECMAScript: JSON.parse source text access). */
const parse = JSON.parse as (
  text: string,
  reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

type JsonReading = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string };

function readJson(text: string): JsonReading {
  if (text.trim() === "") return { ok: false, why: "it is empty" };
  // Both readers below recurse.
  if (measureNesting(text).tooDeep !== undefined) return { ok: false, why: `it nests deeper than ${MAX_DEPTH}` };
  let value: unknown;
  try {
    value = parse(text, (_, each, { source = "" }) =>
      typeof each === "number" && !isExactly(source, each) ? new Inexact(source) : each,
    );
  } catch (error) {
    return { ok: false, why: plainText(errorMessage(error), 200) };
  }
  const twice = repeatedKey(text);
  return twice === undefined ? { ok: true, value } : { ok: false, why: `the key ${shown(twice)} is given twice` };
}

/** The first duplicate key of an object. Parsers silently keep the last one, and the first may be the true one. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  let twice: string | undefined;
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key) => {
      const keys = open.at(-1);
      if (keys?.has(key)) twice ??= key;
      keys?.add(key);
    },
  });
  return twice;
}

/** The first missing part of the expected value, with its place; undefined if all is there. */
function lacks(expected: unknown, found: unknown, at: string): string | undefined {
  if (Array.isArray(expected)) return lacksInList(expected, found, at);
  if (typeof expected !== "object" || expected === null)
    return expected === found ? undefined : `${place(at)} is ${shown(found)}, not ${shown(expected)}`;
  if (typeof found !== "object" || found === null || Array.isArray(found) || found instanceof Inexact)
    return `${place(at)} is ${shown(found)}, not an object`;
  for (const [key, value] of Object.entries(expected)) {
    const path = `${at}.${key}`;
    if (!Object.hasOwn(found, key)) return `${place(path)} is missing`;
    const lack = lacks(value, Reflect.get(found, key), path);
    if (lack !== undefined) return lack;
  }
  return undefined;
}

function lacksInList(expected: readonly unknown[], found: unknown, at: string): string | undefined {
  if (!Array.isArray(found)) return `${place(at)} is ${shown(found)}, not a list`;
  if (found.length !== expected.length)
    return `${place(at)} has ${plural(found.length, "entry", "entries")}, not ${expected.length}`;
  for (const [i, value] of expected.entries()) {
    const lack = lacks(value, found[i], `${at}[${i}]`);
    if (lack !== undefined) return lack;
  }
  return undefined;
}

function place(at: string): string {
  return at === "" ? "the JSON on stdout" : plainText(at.replace(/^\./, ""), SHOWN_CHARS);
}

function shown(value: unknown): string {
  if (value instanceof Inexact) return plainText(value.source, SHOWN_CHARS);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return plainText(JSON.stringify(value), SHOWN_CHARS);
}
