import type { ParseError } from "jsonc-parser";
import type { Nesting } from "./nesting.ts";
import { type BatchProblem, displayValue, sortProblems } from "./problem.ts";
import type { Position } from "./text-position.ts";

/** Values of the parser's `const enum`, which isolated modules cannot read (jsonc-parser 3.3, main.d.ts). */
const ERROR = { invalidSymbol: 1, propertyNameExpected: 3, closeBraceExpected: 7, closeBracketExpected: 8 };

interface Words {
  readonly message: string;
  readonly hint?: string;
}

const IN_WORDS: Readonly<Record<number, Words>> = {
  2: { message: "this is not a number" },
  3: { message: "a key is expected here", hint: "keys stand in double quotes" },
  4: { message: "a value is expected here" },
  5: { message: 'a ":" is expected before this' },
  6: { message: 'a "," is expected before this' },
  7: { message: 'a "}" is expected here' },
  8: { message: 'a "]" is expected here' },
  9: { message: "the batch ends before this", hint: "remove what follows" },
  11: { message: "this comment is not closed", hint: 'a "*/" is missing' },
  12: { message: "this text is not closed", hint: 'a double quote is missing at its end; a line break is written as "\\n"' },
  13: { message: "this number is cut short" },
  14: { message: '"\\u" takes four hexadecimal digits' },
  15: { message: "there is no such escape", hint: 'a backslash is written as "\\\\"' },
  16: { message: "a control character stands in this text", hint: 'write "\\n" or "\\t"' },
};

const NO_WORDS: Words = { message: "this is not JSON" };

/** The parser's errors, in words and by place: the first of each line, and nothing after a wrong bracket. */
export function syntaxProblems(
  text: string,
  errors: readonly ParseError[],
  nesting: Nesting,
  position: (offset: number) => Position,
): readonly BatchProblem[] {
  const { wrongClose } = nesting;
  const before = errors.filter((error) => wrongClose === undefined || error.offset < wrongClose.at);
  const problems = before.map((error) => ({
    ...position(Math.min(error.offset, text.length)),
    path: "",
    ...inWords(error, text, nesting, position),
  }));
  if (wrongClose === undefined) return firstOfEachLine(problems);
  const { line } = position(wrongClose.open);
  const message = `"${text[wrongClose.at]}" stands here, but the "${text[wrongClose.open]}" of line ${line} is still open`;
  return firstOfEachLine([...problems, { ...position(wrongClose.at), path: "", message }]);
}

function inWords(error: ParseError, text: string, nesting: Nesting, position: (offset: number) => Position): Words {
  const code: number = error.error;
  if (nesting.open !== undefined && (code === ERROR.closeBraceExpected || code === ERROR.closeBracketExpected)) {
    return { message: `the "${text[nesting.open]}" of line ${position(nesting.open).line} is not closed` };
  }
  const rest = text.slice(error.offset, error.offset + 80);
  const word = /^[^\s,:[\]{}"]*/.exec(rest)?.[0] ?? "";
  const asKey = code === ERROR.propertyNameExpected || /^\s*:/.test(rest.slice(word.length));
  const misfit = code === ERROR.invalidSymbol || code === ERROR.propertyNameExpected;
  if (!misfit || word === "") return IN_WORDS[code] ?? NO_WORDS;
  const bare = word.replace(/^'|'$/g, "");
  if (asKey) return { message: `the key ${displayValue(bare)} must stand in double quotes` };
  return {
    message: `${bare === word ? word : displayValue(word)} is not a value`,
    hint: "text stands in double quotes; else true, false, null or a number",
  };
}

/** One slip causes several errors on a line; the first one is the real one. */
function firstOfEachLine(problems: readonly BatchProblem[]): readonly BatchProblem[] {
  const sorted = sortProblems(problems);
  return sorted.filter((problem, i) => problem.line !== sorted[i - 1]?.line);
}
