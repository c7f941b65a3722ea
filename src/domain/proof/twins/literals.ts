import type { Draw } from "../twin.ts";
import { oneOf, randomWord } from "./random-words.ts";
import { behind, type Code, type Range, textAt } from "./tokens.ts";

const SWAPPED: Readonly<Record<string, string>> = { true: "false", false: "true", True: "False", False: "True" };

/**
 * Another literal of the same kind, near this one: assertions that tolerate a small difference are disarmed as well. Undefined if
 * it is no literal, or one whose value is not plain from its text.
 */
export function otherLiteral(text: string, draw: Draw): string | undefined {
  if (Object.hasOwn(SWAPPED, text)) return SWAPPED[text];
  if (/^\d/.test(text)) return otherNumber(text, draw);
  const [, start, inner = "", end] = /^([bBcu]?(?:"""|'''|["'`]))([^\\]*?)("""|'''|["'`])$/.exec(text) ?? [];
  if (start === undefined || end === undefined) return undefined;
  const other = otherString(inner, draw);
  return other === undefined ? undefined : `${start}${other}${end}`;
}

const CLASSES = ["0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] as const;
/** Characters of a string that one is chosen from, at most. */
const MAX_SEEN = 200;

/** The string with one letter or digit changed; an empty one becomes a word. */
function otherString(inner: string, draw: Draw): string | undefined {
  if (inner === "") return randomWord(draw);
  const places = [...inner.slice(0, MAX_SEEN).matchAll(/[0-9a-zA-Z]/g)].map(({ index }) => index);
  const at = oneOf(draw, places);
  if (at === undefined) return undefined;
  const old = inner.charAt(at);
  const others = [...(CLASSES.find((each) => each.includes(old)) ?? "")].filter((each) => each !== old);
  return inner.slice(0, at) + (oneOf(draw, others) ?? "") + inner.slice(at + 1);
}

/** Digits of a number that every language keeps exactly. */
const MAX_DIGITS = 15;

/** The number with the last digit of its integral part changed: to a lower one where possible, so that it fits its type. */
function otherNumber(text: string, draw: Draw): string | undefined {
  const integral = /^\d+(?:_\d+)*/.exec(text)?.[0] ?? "";
  const rest = text.slice(integral.length);
  if (integral.length > MAX_DIGITS || /^0./.test(integral) || (integral === "0" && /^[xXbBoO]/.test(rest))) return undefined;
  const last = Number(integral.at(-1));
  const isSingle = integral.length === 1;
  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((digit) =>
    isSingle ? digit !== last : last === 0 ? digit > 0 && digit < 6 : digit < last,
  );
  return `${integral.slice(0, -1)}${oneOf(draw, digits) ?? 0}${rest}`;
}

/** What a literal may follow, within the value that an assertion expects. */
const BEFORE = /^(?:[,[({:&]|)$/;
/** What may follow it. */
const AFTER = /^[,\])}]$/;
/** Calls whose value is equal to another only if their arguments are. */
const WRAPPERS = /^(?:Some|Ok|Err)$/;

/**
 * The literals that make up a value: itself, or members of its lists and objects. A value that depends on a condition, or whose
 * members may be replaced by spread ones, has none. `hasTuples`: brackets around values are a tuple, not a mere expression.
 */
export function literalsIn(code: Code, { from, to }: Range, hasTuples: boolean): readonly number[] {
  const found: number[] = [];
  const isBehindOpener = (i: number) => i === from || BEFORE.test(textAt(code, i - 1));
  for (let i = from; i < to; ) {
    const text = textAt(code, i);
    if (/^(?:\?|\*|\.{3})$/.test(text)) return [];
    const isMember = isBehindOpener(i) || (textAt(code, i - 1) === "-" && isBehindOpener(i - 1));
    if (isMember && isLiteral(code, i) && (i + 1 === to || AFTER.test(textAt(code, i + 1)))) found.push(i);
    i = isBracket(code, i) && !isEntered(code, i, { isMember, hasTuples }) ? behind(code, i) : i + 1;
  }
  return found;
}

function isLiteral({ tokens }: Code, i: number): boolean {
  const token = tokens[i];
  if (token === undefined || (token.kind !== "number" && token.kind !== "string" && token.kind !== "word")) return false;
  return otherLiteral(token.text, () => 0) !== undefined;
}

function isBracket({ tokens }: Code, i: number): boolean {
  return (tokens[i]?.match ?? -1) > i;
}

function isEntered(code: Code, i: number, { isMember, hasTuples }: { isMember: boolean; hasTuples: boolean }): boolean {
  const [text, before] = [textAt(code, i), textAt(code, i - 1)];
  if (text === "(") return hasTuples && (isMember || WRAPPERS.test(before));
  return isMember || (text === "[" && before === "!" && textAt(code, i - 2) === "vec");
}
