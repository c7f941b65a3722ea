import type { Draw } from "../twin.ts";
import { pickOne, randomWord } from "./random-words.ts";
import { behind, type Code, type Range, sourceText, splitArguments, textAt } from "./tokens.ts";

/** A change of a test's text from which it must fail. */
export interface TwinChange {
  /**
   * `literal`: another expected literal. `same`: the same assertion, of other values. `other`: another assertion, which code that
   * disarms a single one may have left alone.
   */
  readonly kind: "literal" | "same" | "other";
  readonly from: number;
  readonly to: number;
  readonly text: (draw: Draw) => string;
}

/** What differs between languages in the calls of assertions. */
export interface CallStyle {
  readonly negated: (value: string) => string;
  /** A value of any type that is equal to no value that it contains; undefined if a compiler may refuse it. */
  readonly wrapped?: (value: string, draw: Draw) => string;
  readonly hasTuples: boolean;
  /** The argument that leads all others, such as Go's `t`. */
  readonly context?: string;
  /** Names of the file and what they stand for, such as an alias of an import. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Names that begin a chain of words in which `not` may stand: `expect(a).not.toBe(b)`. */
  readonly chainHeads?: RegExp;
}

/** Words of the names of assertions that hold for equal values only. Of the first ones, a name has at least one. */
const EQUAL = /^(?:equals?|eq|eql|equiv|equivalent|same|is|be|deep|identical|exactly|length)$/;
const WITH_EQUAL =
  /^(?:equals?|eq|eql|equiv|equivalent|same|is|be|deep|identical|exactly|length|to|have|assert|strict|loose|partial|of|match|object|members|list|dict|tuple|set|sequence|count|array|len)$/;
/** Words of those that hold for true or false values, of which a name has at least one of the first. */
const TRUE = /^(?:ok|true|false|truthy|falsy|assert)$/;
const WITH_TRUE = /^(?:ok|true|false|truthy|falsy|assert|is|not)$/;

/** Assertions that are each other's opposite and take the same arguments. */
const OPPOSITES = new Map(
  `equal notEqual, strictEqual notStrictEqual, deepEqual notDeepEqual, deepStrictEqual notDeepStrictEqual, same notSame,
  match doesNotMatch, throws doesNotThrow, rejects doesNotReject, include notInclude, exists notExists, isNull isNotNull,
  isDefined isUndefined, instanceOf notInstanceOf, property notProperty, assertEqual assertNotEqual, assertIn assertNotIn,
  assertIs assertIsNot, assertIsNone assertIsNotNone, assertIsInstance assertNotIsInstance, assertRegex assertNotRegex,
  assertGreater assertLessEqual, assertLess assertGreaterEqual, Equal NotEqual, NoError Error, Nil NotNil, Contains NotContains,
  Empty NotEmpty, Same NotSame, Zero NotZero, EqualValues NotEqualValues, ErrorIs NotErrorIs, Panics NotPanics`
    .split(",")
    .map((pair) => pair.trim().split(" ") as [string, string])
    .flatMap(([a, b]) => [
      [a, b],
      [b, a],
    ]),
);

/** A call or property that ends a chain: `a.b(c).d(e)`. */
interface Chain {
  /** Indexes of its names. */
  readonly names: readonly number[];
  /** The bracket of the call that ends it, if one does. */
  readonly call: number | undefined;
  /** True if it calls something before. */
  readonly callsBefore: boolean;
}

/** The chain that a statement consists of; undefined if it is something else. */
function chainIn(code: Code, { from, to }: Range): Chain | undefined {
  const names: number[] = [];
  let call: number | undefined;
  let callsBefore = false;
  for (let i = from; i < to; i = behind(code, i)) {
    const text = textAt(code, i);
    if (code.tokens[i]?.kind === "word" && (i === from || textAt(code, i - 1) === ".")) names.push(i);
    else if (i === from || !/^[.([]$/.test(text)) return undefined;
    if (call !== undefined) callsBefore = true;
    call = text === "(" ? i : undefined;
  }
  return textAt(code, to - 1) === "." ? undefined : { names, call, callsBefore };
}

/** The changes of a statement that is a call of an assertion. `isReturned`: its value is waited for if it is a promise. */
export function changesOfCall(code: Code, statement: Range, style: CallStyle, isReturned = false): readonly TwinChange[] {
  const leads = /^(?:await|return)$/.test(textAt(code, statement.from));
  const chain = chainIn(code, leads ? { ...statement, from: statement.from + 1 } : statement);
  const at = chain?.names.at(-1);
  if (chain === undefined || at === undefined) return [];
  const names = chain.names.map((name) => style.aliases.get(textAt(code, name)) ?? textAt(code, name));
  const waits = leads || isReturned;
  if (names.some((name) => /snapshot/i.test(name) || (!waits && MUST_WAIT.test(name)))) return [];
  const isFluent = chain.callsBefore || names.includes("should");
  const args = chain.call === undefined ? [] : assertionArguments(code, chain.call, style.context);
  const method = { code, style, name: names.at(-1) ?? "", at };
  if (!isFluent) {
    const changes = ofArguments(method, args);
    return changes.length === 0 && names.length > 1 ? ofOpposite(method) : changes;
  }
  const changes = names.some((name) => /^(?:not|never|no)$/.test(name)) ? [] : ofExpected(method, args.slice(0, 1));
  return names.some((name) => style.chainHeads?.test(name)) ? [...changes, ofNot(method, chain.names)] : changes;
}

/** Names of assertions that wait for a promise. */
const MUST_WAIT = /^(?:resolves|rejects|eventually|poll|doesNotReject)$/;

/** A call of an assertion by its last name. */
interface Method {
  readonly code: Code;
  readonly style: CallStyle;
  readonly name: string;
  readonly at: number;
}

function assertionArguments(code: Code, call: number, context: string | undefined): readonly Range[] {
  const args = splitArguments(code, { from: call + 1, to: behind(code, call) - 1 });
  const isLed = args[0] !== undefined && context !== undefined && sourceText(code, args[0]) === context;
  return isLed ? args.slice(1) : args;
}

const splitIdentifier = (name: string): readonly string[] =>
  name
    .replace(/([a-z])(?=[A-Z])/g, "$1_")
    .toLowerCase()
    .split("_")
    .filter((word) => word !== "");

function hasOnlyWords(name: string, { one, all }: { readonly one: RegExp; readonly all: RegExp }): boolean {
  const words = splitIdentifier(name);
  return words.some((word) => one.test(word)) && words.every((word) => all.test(word));
}

/** `equal(actual, expected, message)`, `ok(value, message)`. */
function ofArguments(method: Method, args: readonly Range[]): readonly TwinChange[] {
  const [first] = args;
  if (first === undefined) return [];
  if (hasOnlyWords(method.name, { one: TRUE, all: WITH_TRUE })) return [negating(method.code, first, method.style)];
  return args.length < 2 ? [] : ofExpected(method, args.slice(0, 2));
}

/** The change of a value that must be true, or false, to its opposite. */
export function negating(code: Code, value: Range, style: Pick<CallStyle, "negated">): TwinChange {
  return { kind: "same", ...textSpan(code, value), text: () => style.negated(sourceText(code, value)) };
}

/** Changes of one of two values that must be equal. The last one is the expected one, for assertions that tell them apart. */
function ofExpected({ code, style, name }: Method, values: readonly Range[]): readonly TwinChange[] {
  const expected = values.at(-1);
  if (expected === undefined || !hasOnlyWords(name, { one: EQUAL, all: WITH_EQUAL })) return [];
  const isSymmetric = !splitIdentifier(name).some((word) => /^(?:partial|match|length|len|members)$/.test(word));
  const literals = (isSymmetric ? values : [expected]).flatMap((value) => changedLiterals(code, value, style.hasTuples));
  const { wrapped } = style;
  if (wrapped === undefined || literals.length > 0) return literals;
  return [{ kind: "same", ...textSpan(code, expected), text: (draw) => wrapped(sourceText(code, expected), draw) }];
}

/** A change for each literal of a value. */
export function changedLiterals(code: Code, value: Range, hasTuples: boolean): readonly TwinChange[] {
  return literalsIn(code, value, hasTuples).map((i) => ({
    kind: "literal",
    ...textSpan(code, { from: i, to: i + 1 }),
    text: (draw) => otherLiteral(textAt(code, i), draw) ?? "",
  }));
}

/** `expect(a).toBe(b)` to `expect(a).not.toBe(b)`, or back. */
function ofNot({ code, at }: Method, names: readonly number[]): TwinChange {
  const not = names.find((name) => textAt(code, name) === "not");
  const place = code.tokens[at]?.from ?? 0;
  if (not === undefined) return { kind: "same", from: place, to: place, text: () => "not." };
  return { kind: "same", from: code.tokens[not]?.from ?? 0, to: code.tokens[not + 2]?.from ?? 0, text: () => "" };
}

function ofOpposite({ code, name, at }: Method): readonly TwinChange[] {
  const opposite = OPPOSITES.get(name);
  if (opposite === undefined) return [];
  return [{ kind: "other", ...textSpan(code, { from: at, to: at + 1 }), text: () => opposite }];
}

/** The place of tokens in the text. */
export function textSpan({ tokens }: Code, { from, to }: Range): { readonly from: number; readonly to: number } {
  return { from: tokens[from]?.from ?? 0, to: tokens[to - 1]?.to ?? 0 };
}

const SWAPPED: Readonly<Record<string, string>> = { true: "false", false: "true", True: "False", False: "True" };

/**
 * Another literal of the same kind, near this one: assertions that tolerate a small difference are disarmed as well. Undefined if
 * it is no literal, or one whose value is not plain from its text.
 */
function otherLiteral(text: string, draw: Draw): string | undefined {
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
  const at = pickOne(draw, places);
  if (at === undefined) return undefined;
  const old = inner.charAt(at);
  const others = [...(CLASSES.find((each) => each.includes(old)) ?? "")].filter((each) => each !== old);
  return inner.slice(0, at) + (pickOne(draw, others) ?? "") + inner.slice(at + 1);
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
  return `${integral.slice(0, -1)}${pickOne(draw, digits) ?? 0}${rest}`;
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
function literalsIn(code: Code, { from, to }: Range, hasTuples: boolean): readonly number[] {
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
