import type { TwinChange } from "./changes.ts";
import { type Code, type Range, splitStatements, textAt } from "./tokens.ts";

/** A test of a file that a twin can be made of. Places are in the text. */
export interface FoundTest {
  readonly name: string;
  /** Where the name stands, without quotes. */
  readonly label: Range;
  readonly from: number;
  readonly to: number;
  /** What stands between it and a copy of it. */
  readonly separator: string;
  /** A name in the style of its neighbours; the words are drawn. */
  readonly toName: (words: readonly string[]) => string;
  /** The changes that make it fail. */
  readonly changes: readonly TwinChange[];
}

/** Finds the tests of a file with their changes; undefined if the text is not understood. `names` are those of all its tests. */
export type FindTests = (text: string) => { readonly tests: readonly FoundTest[]; readonly names: readonly string[] } | undefined;

/** Words that begin a statement of which not every part runs, or runs once. */
const CONTROL = /^(?:if|for|while|do|switch|select|try|match|loop|with|else|catch|finally|unsafe|\{)$/;

/** The statements directly in the body of a function that surely run, if none before them fails. */
export function surelyRun(code: Code, body: Range): readonly Range[] {
  const sure: Range[] = [];
  for (const statement of splitStatements(code, body)) {
    if (textAt(code, statement.from) === "return") return [...sure, statement];
    const mayLeave = CONTROL.test(textAt(code, statement.from)) && has(code, statement, /^(?:return|panic)$/);
    if (mayLeave) return sure;
    sure.push(statement);
  }
  return sure;
}

/** True if one of the words or literals is like this. */
export function has({ tokens }: Code, { from, to }: Range, pattern: RegExp): boolean {
  for (let i = from; i < to; i += 1) {
    const token = tokens[i];
    if (token !== undefined && token.kind !== "string" && pattern.test(token.text)) return true;
  }
  return false;
}

/** True if something with such a name is called. */
export function calls(code: Code, { from, to }: Range, pattern: RegExp): boolean {
  for (let i = from; i + 1 < to; i += 1)
    if (code.tokens[i]?.kind === "word" && textAt(code, i + 1) === "(" && pattern.test(textAt(code, i))) return true;
  return false;
}

/** Words with capitals. */
export function capitalized(words: readonly string[]): readonly string[] {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
}

/** Characters before a test that are looked at, at most. */
const MAX_BLANK = 200;

/** What stands between a test that begins at a place and a copy of it: an empty line if one stands before it, and its indentation. */
export function separatorAt(text: string, at: number): string {
  const newline = lineEnd(text);
  const [, empty, indent = ""] = /(\n[ \t]*\r?)?\n([ \t]*)$/.exec(text.slice(Math.max(0, at - MAX_BLANK), at)) ?? [];
  return `${newline}${empty === undefined ? "" : newline}${indent}`;
}

/** The line end that a text uses. */
export function lineEnd(text: string): string {
  return text.charAt(text.indexOf("\n") - 1) === "\r" ? "\r\n" : "\n";
}
