import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import { isExact, MARK, type ShellScope, unknownValue } from "./scope.ts";

/** Variables that the shell sets itself, to numbers. */
const NUMBERS = /^(?:[?$!]|RANDOM|UID|EUID|PPID|SECONDS|LINENO)$/;

/** The value of `$name`: text, or several words for arrays and `$@`. Undefined if the line does not set it. */
export function variable(name: string, scope: ShellScope): string | readonly string[] | undefined {
  if (name === "PWD") return scope.cwd ?? MARK.unknown;
  if (name === "0") return scope.variables.get("0") ?? "bash";
  if (/^[@*#\d]/.test(name)) return positional(name, scope.positional);
  return NUMBERS.test(name) ? "1" : scope.variables.get(name);
}

function positional(name: string, words: readonly string[] | undefined): string | readonly string[] {
  if (words === undefined) return name === "#" ? "1" : MARK.unknown;
  if (name === "#") return String(words.length);
  return /^\d/.test(name) ? (words[Number(name) - 1] ?? "") : words;
}

/** The value of `${…}`. `expand` gives the text of an operand. */
export function expandParameter(
  part: ParameterExpansionPart,
  scope: ShellScope,
  expand: (word: Word) => string,
): string | readonly string[] {
  const { prefix, operation, index } = part;
  if (prefix === "#") return "1";
  const name = prefix === "!" ? pointedName(part, scope) : part.parameter;
  if (name === undefined) return MARK.unknown;
  const value = arrayElement(variable(name, scope), index, expand);
  if (operation?.type === "Default") return withDefault(operation.operator, value, expand(operation.operand), name, scope);
  if (value === undefined) return unknownValue(name);
  if (operation === undefined) return value;
  if (typeof value !== "string") return sliceWords(operation, value, expand) ?? MARK.unknown;
  return (isExact(value) ? changed(operation, value, expand) : undefined) ?? MARK.unknown;
}

/** The name in the variable of `${!name}`. Undefined if it cannot be known. */
function pointedName({ parameter, operation, index }: ParameterExpansionPart, scope: ShellScope): string | undefined {
  if (operation?.type === "Names" || index !== undefined) return undefined;
  const pointed = variable(parameter, scope);
  return typeof pointed === "string" && isExact(pointed) ? pointed : undefined;
}

function arrayElement(
  value: string | readonly string[] | undefined,
  index: Word | undefined,
  expand: (word: Word) => string,
): string | readonly string[] | undefined {
  if (index === undefined || value === undefined) return typeof value === "object" ? (value[0] ?? "") : value;
  const words = typeof value === "string" ? [value] : value;
  if (index.text === "@" || index.text === "*") return words;
  const at = Number(expand(index));
  return Number.isInteger(at) ? (words.at(at) ?? "") : MARK.unknown;
}

function withDefault(
  operator: string,
  value: string | readonly string[] | undefined,
  fallback: string,
  name: string,
  scope: ShellScope,
): string | readonly string[] {
  if (operator.endsWith("?")) return value ?? unknownValue(name);
  if (operator.endsWith("+")) return value === "" ? "" : fallback;
  const isUnset = value === undefined || value === MARK.unknown || (operator.startsWith(":") && value === "");
  if (!isUnset) return value;
  if (operator.endsWith("=")) scope.variables.set(name, fallback);
  return fallback;
}

/** `${@:2}` of known words. */
function sliceWords(
  operation: ParameterOperation,
  words: readonly string[],
  expand: (word: Word) => string,
): readonly string[] | undefined {
  if (operation.type !== "Slice") return undefined;
  const from = Number(expand(operation.offset));
  return Number.isInteger(from) ? words.slice(Math.max(from - 1, 0)) : undefined;
}

/** The value after an operation. Undefined if that cannot be worked out. */
function changed(operation: ParameterOperation, value: string, expand: (word: Word) => string): string | undefined {
  switch (operation.type) {
    case "Slice":
      return sliceText(value, expand(operation.offset), operation.length && expand(operation.length));
    case "Remove":
      return removed(value, operation.operator, expandPattern(operation.operand, expand));
    case "Replace": {
      const [pattern, replacement] = [expandPattern(operation.pattern, expand), expand(operation.replacement)];
      if (!isExact(pattern) || pattern === "") return undefined;
      if (operation.operator === "/") return value.replace(pattern, () => replacement);
      return operation.operator === "//" ? value.replaceAll(pattern, () => replacement) : undefined;
    }
    case "CaseModification":
      if (operation.operator === ",,") return value.toLowerCase();
      return operation.operator === "^^" ? value.toUpperCase() : undefined;
    case "Transform":
      return operation.operand.text === "Q" ? value : undefined;
    default:
      return undefined;
  }
}

/** The text of a pattern, in which stars that are not quoted are marks. */
function expandPattern(word: Word, expand: (word: Word) => string): string {
  if (word.parts === undefined) return expand(word);
  return word.parts
    .map((part) => {
      if (part.type === "ExtendedGlob") return MARK.any;
      if (part.type === "Glob") return part.kind === "star" ? MARK.star : MARK.any;
      return expand({ ...word, text: part.text, parts: [part] });
    })
    .join("");
}

function sliceText(value: string, offset: string, length: string | undefined): string | undefined {
  const [from, count] = [Number(offset), length === undefined ? value.length : Number(length)];
  if (!Number.isInteger(from) || !Number.isInteger(count)) return undefined;
  const start = from < 0 ? Math.max(value.length + from, 0) : from;
  return value.slice(start, count < 0 ? value.length + count : start + count);
}

/** Removes a prefix or suffix: exact text, or text with one star at its outer end. */
function removed(value: string, operator: string, pattern: string): string | undefined {
  const isPrefix = operator.startsWith("#");
  const hasStar = isPrefix ? pattern.startsWith(MARK.star) : pattern.endsWith(MARK.star);
  const fixed = hasStar ? pattern.replace(MARK.star, "") : pattern;
  if (!isExact(fixed)) return undefined;
  // The shortest prefix up to the text ends at its first place, the shortest suffix begins at its last one.
  const isFirst = (operator.length === 2) !== isPrefix;
  const at = isFirst ? value.indexOf(fixed) : value.lastIndexOf(fixed);
  const fits = hasStar ? at !== -1 : isPrefix ? value.startsWith(fixed) : value.endsWith(fixed);
  if (!fits) return value;
  if (isPrefix) return value.slice(hasStar ? at + fixed.length : fixed.length);
  return value.slice(0, hasStar ? at : value.length - fixed.length);
}
