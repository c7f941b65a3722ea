import { displayValue, hintFor } from "@loopdash/values";
import { z } from "zod";
import { plainText } from "../values/text.ts";
import type { Path } from "./problem.ts";

/** A problem of a value, before it has a place. `key` is set if the key itself is wrong, and names a key of `path`. */
export interface ValueProblem {
  readonly path: Path;
  readonly key?: string;
  readonly message: string;
  readonly hint?: string;
}

/** A message may quote the file, and an id in it may be of any length. */
const MAX_MESSAGE = 300;

/** Unknown keys of one object that are reported: more of them are no typing mistake. */
const MOST_KEYS = 100;

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** Checks a value and lists its problems in plain sentences. */
export function checkValue<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { ok: true; value: T } | { ok: false; findings: readonly ValueProblem[] } {
  const keys = new Map<string, readonly string[]>();
  const result = schema.safeParse(value, {
    reportInput: true,
    error: (raw) => {
      if (raw.code === "unrecognized_keys") keys.set(JSON.stringify(raw.path ?? []), validKeys(raw));
      return sentence(raw);
    },
  });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, findings: result.error.issues.flatMap((issue) => findings(issue, keys)) };
}

function findings(issue: Issue, keys: ReadonlyMap<string, readonly string[]>): readonly ValueProblem[] {
  const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") {
    const valid = keys.get(JSON.stringify(issue.path)) ?? [];
    return issue.keys
      .slice(0, MOST_KEYS)
      .map((key) => finding(path, `unknown key ${displayValue(key)}`, hintFor(key, valid, "known here"), key));
  }
  if (issue.code === "invalid_key")
    return [finding(path.slice(0, -1), issue.issues[0]?.message ?? issue.message, undefined, String(path.at(-1)))];
  if (issue.code === "invalid_union" && "discriminator" in issue) return [unknownKind(issue, path)];
  if (issue.code === "invalid_union") {
    const isOther = (codes: readonly string[]) => (each: readonly Issue[]) =>
      !each.some(({ code, path: at }) => codes.includes(code) && at.length === 0);
    const meant = issue.errors.find(isOther(["invalid_type", "invalid_value"])) ?? issue.errors.find(isOther(["invalid_type"]));
    const literal = meant && literalAlternatives(issue.errors, meant);
    if (literal !== undefined) return [finding(path, `must be ${literal}, not ${given(issue.input)}`)];
    if (meant !== undefined)
      return meant.flatMap((each) => findings(each, keys)).map((each) => ({ ...each, path: [...path, ...each.path] }));
  }
  return [finding(path, issue.message, issueHint(issue))];
}

/**
 * The alternatives of a union whose nearest one is a literal like `false` or `1`, in words that follow "must be": `false or an object in
 * braces`. Undefined for others: the nearest name says more.
 */
function literalAlternatives(alternatives: readonly (readonly Issue[])[], [meant]: readonly Issue[]): string | undefined {
  if (meant?.code !== "invalid_value" || meant.path.length > 0 || meant.values.some((value) => typeof value === "string"))
    return undefined;
  return either(alternatives.flatMap(([first]) => /^must be (.+), not /.exec(first?.message ?? "")?.[1] ?? []));
}

function finding(path: Path, message: string, hint?: string, key?: string): ValueProblem {
  return { path, message: plainText(message, MAX_MESSAGE), hint, key };
}

/** A `kind` or `step` that is missing or that this version does not know. */
function unknownKind(issue: z.core.$ZodIssueInvalidUnion, path: Path): ValueProblem {
  const word = String(path.at(-1));
  const options = "options" in issue ? (issue.options ?? []).map(String) : [];
  const known = `known here: ${options.join(", ")}`;
  const input = issue.input;
  const given: unknown =
    typeof input === "object" && input !== null && Object.hasOwn(input, word) ? Reflect.get(input, word) : undefined;
  if (given === undefined) return finding(path, "is missing", known);
  if (typeof given !== "string") return finding(path, `must be text, not ${displayValue(given)}`, known);
  return finding(path, `unknown ${word} ${displayValue(given)}`, hintFor(given, options, "known here"));
}

function issueHint(issue: Issue): string | undefined {
  const { input } = issue;
  if (issue.code === "invalid_value" && (typeof input === "string" || input === undefined))
    return hintFor(input ?? "", issue.values.map(String), "known here");
  const isNoList = issue.code === "invalid_union" ? issue.errors.flat().some(wantsList) : wantsList(issue);
  if (!isNoList || typeof input !== "string") return undefined;
  const words = input.trim().split(/\s+/);
  return /^[\w@%+=:,./\s-]{1,60}$/.test(input) ? `write [${words.map((word) => JSON.stringify(word)).join(", ")}]` : undefined;
}

function wantsList(issue: Issue): boolean {
  return issue.code === "invalid_type" && issue.expected === "array";
}

/** The message for an issue whose schema has none; undefined if zod's own will do. */
function sentence(raw: RawIssue): string | undefined {
  const schema = raw.schema ?? raw.inst;
  if (raw.input === undefined) return `is missing${about(schema)}`;
  switch (raw.code) {
    case "invalid_type":
      return `must be ${expected(schema)}, not ${given(raw.input)}`;
    case "invalid_value":
      return `must be ${either(raw.values.map((value) => displayValue(value)))}, not ${given(raw.input)}`;
    case "too_small":
    case "too_big":
      return outOfBounds(schema, raw.input);
    default:
      return undefined;
  }
}

function outOfBounds(schema: unknown, input: unknown): string {
  if (input === "" || (Array.isArray(input) && input.length === 0)) return "must not be empty";
  if (typeof input === "string") return `must be ${expected(schema)}, not ${input.length}`;
  return `must be ${expected(schema)}, not ${given(input)}`;
}

/** The expectation of a schema, in words that follow "must be". */
function expected(schema: unknown): string {
  if (schema instanceof z.ZodNumber) return `a ${schema.isInt ? "whole " : ""}number${range(schema)}`;
  if (schema instanceof z.ZodString) {
    if (schema.maxLength === null) return "text";
    return schema.minLength === null
      ? `text of at most ${schema.maxLength} characters`
      : `text of ${schema.minLength} to ${schema.maxLength} characters`;
  }
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodString ? "a list of texts" : "a list";
  return "an object in braces";
}

/** The bounds of a number: " from 1 to 64", " above 0 and at most 10080", " of at least 0". */
function range(schema: z.ZodNumber): string {
  const checks = schema.def.checks ?? [];
  const least = checks.find((check) => check instanceof z.core.$ZodCheckGreaterThan)?._zod.def;
  const most = checks.find((check) => check instanceof z.core.$ZodCheckLessThan)?._zod.def;
  const above = least === undefined ? "" : least.inclusive ? ` of at least ${least.value}` : ` above ${least.value}`;
  if (most === undefined) return above;
  return least?.inclusive
    ? ` from ${least.value} to ${most.value}`
    : `${above}${above === "" ? " of" : " and"} at most ${most.value}`;
}

function given(input: unknown): string {
  return input === Number.POSITIVE_INFINITY || input === Number.NEGATIVE_INFINITY ? "one that large" : displayValue(input);
}

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** A schema's description, to name a missing value. */
function about(schema: unknown): string {
  const text = schema instanceof z.ZodType ? schema.description : undefined;
  return text === undefined ? "" : ` (${text.charAt(0).toLowerCase()}${text.slice(1)})`;
}

function validKeys(raw: RawIssue): readonly string[] {
  return raw.inst instanceof z.ZodObject ? Object.keys(raw.inst.shape) : [];
}
