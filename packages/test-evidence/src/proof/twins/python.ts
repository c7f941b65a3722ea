import { type CallStyle, changedLiterals, changesOfCall, negating, type TwinChange, textSpan } from "./changes.ts";
import { calls, capitalized, type FindTests, type FoundTest, has, lineEnd } from "./found-test.ts";
import { behind, type Code, type Range, sourceText, splitArguments, textAt, tokenize } from "./tokens.ts";

/** A line of Python in the sense of its grammar: it may go on over several lines of text. */
interface Line extends Range {
  /** Characters that it is indented by. */
  readonly indent: number;
}

const PYTHON: CallStyle = {
  negated: (value) => `not (${value})`,
  wrapped: (value) => `[${value}]`,
  hasTuples: true,
  aliases: new Map(),
};

/** Marks under which a test may not run, must fail, or runs until it passes, and its uses of what is stored under its name. */
const RISKY =
  /^(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure|flaky|given|retry|rerun|reruns|repeat)$|snapshot|regression/i;
const RISKY_CALLS = /^(?:skip|skipTest|xfail|fail|exit|importorskip|subTest)$/;

/** The tests of pytest: functions at the top and methods of classes, with their decorators. */
export const findPythonTests: FindTests = (text) => {
  const code = tokenize(text, "python");
  if (code === undefined) return undefined;
  const lines = pythonLines(code);
  const names = code.tokens.flatMap((token, i) =>
    textAt(code, i - 1) === "def" && token.text.startsWith("test") ? [token.text] : [],
  );
  return { tests: testsIn(code, lines, 0), names };
};

function pythonLines(code: Code): readonly Line[] {
  const starts: number[] = [];
  for (let i = 0; i < code.tokens.length; i = behind(code, i)) if (code.tokens[i]?.isFirst) starts.push(i);
  return starts.map((from, n) => {
    const at = code.tokens[from]?.from ?? 0;
    return { from, to: starts[n + 1] ?? code.tokens.length, indent: at - (code.text.lastIndexOf("\n", at - 1) + 1) };
  });
}

/** The lines from an index on that are indented further than a line before them. */
function blockAt(lines: readonly Line[], from: number, indent: number): readonly Line[] {
  let to = from;
  while (to < lines.length && (lines[to]?.indent ?? 0) > indent) to += 1;
  return lines.slice(from, to);
}

/** Classes within classes that are entered, at most. */
const MAX_DEPTH = 3;

/** The tests of a module or a class, by its lines. */
function testsIn(code: Code, lines: readonly Line[], depth: number): readonly FoundTest[] {
  const indent = lines[0]?.indent ?? 0;
  const tests: FoundTest[] = [];
  let decorators = 0;
  for (let i = 0; i < lines.length; ) {
    const line = lines[i];
    if (line === undefined || line.indent < indent) return tests;
    const block = blockAt(lines, i + 1, line.indent);
    if (textAt(code, line.from) === "class" && depth < MAX_DEPTH) {
      if (!has(code, definitionHead(lines, i, decorators), RISKY)) tests.push(...testsIn(code, block, depth + 1));
    } else if (line.indent === indent) {
      tests.push(...parsePythonTest(code, { head: definitionHead(lines, i, decorators), line, block }));
    }
    decorators = textAt(code, line.from) === "@" ? decorators + 1 : 0;
    i += 1 + block.length;
  }
  return tests;
}

/** A definition's own line and its decorators before it. */
function definitionHead(lines: readonly Line[], at: number, decorators: number): Range {
  return { from: lines[at - decorators]?.from ?? 0, to: lines[at]?.to ?? 0 };
}

interface Definition {
  readonly head: Range;
  readonly line: Line;
  readonly block: readonly Line[];
}

function parsePythonTest(code: Code, { head, line, block }: Definition): readonly FoundTest[] {
  const def = textAt(code, line.from) === "async" ? line.from + 1 : line.from;
  const last = block.at(-1);
  const name = textAt(code, def + 1);
  if (textAt(code, def) !== "def" || !name.startsWith("test") || last === undefined) return [];
  const body = { from: line.to, to: last.to };
  if (has(code, head, RISKY) || calls(code, body, RISKY_CALLS) || has(code, body, /^yield$/)) return [];
  const changes = surelyRun(code, block).flatMap((each) => changesOfLine(code, each));
  const { text } = code;
  const from = lineStart(text, code.tokens[head.from]?.from ?? 0);
  const to = code.tokens[last.to - 1]?.to ?? from;
  const indent = text.slice(from, code.tokens[head.from]?.from ?? from);
  const separator = lineEnd(text).repeat(indent === "" ? 3 : 2);
  const toName = (words: readonly string[]) =>
    /^test[A-Z]/.test(name)
      ? `test${capitalized(words).join("")}`
      : ["test", ...words.filter((word) => word !== "test")].join("_");
  const label = textSpan(code, { from: def + 1, to: def + 2 });
  return [{ name, label, from, to, separator, toName, changes }];
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The lines directly in a body that surely run, if none before them fails. */
function surelyRun(code: Code, block: readonly Line[]): readonly Line[] {
  const indent = block[0]?.indent ?? 0;
  const sure: Line[] = [];
  let inner = false;
  for (const line of block) {
    if (line.indent === indent)
      inner = /^(?:def|async def|class)\b/.test(sourceText(code, { from: line.from, to: line.from + 2 }));
    if (!inner && has(code, line, /^return$/)) return sure;
    if (line.indent === indent) sure.push(line);
  }
  return sure;
}

/** An exception that code hardly raises, for a block that must raise another. */
const OTHER_EXCEPTION = "BufferError";

function changesOfLine(code: Code, line: Range): readonly TwinChange[] {
  if (textAt(code, line.from) === "assert") return ofAssert(code, { from: line.from + 1, to: line.to });
  if (textAt(code, line.from) === "with") return ofRaises(code, line);
  return changesOfCall(code, line, PYTHON);
}

/** `with pytest.raises(KeyError):` */
function ofRaises(code: Code, { from, to }: Range): readonly TwinChange[] {
  for (let i = from; i + 2 < to; i += 1) {
    const isRaises = /^(?:raises|assertRaises|assertRaisesRegex)$/.test(textAt(code, i)) && textAt(code, i + 1) === "(";
    const isPlain = /^[A-Z]\w*$/.test(textAt(code, i + 2)) && /^[,)]$/.test(textAt(code, i + 3));
    if (isRaises && isPlain && textAt(code, i + 2) !== OTHER_EXCEPTION && !/^(?:Base)?Exception$/.test(textAt(code, i + 2)))
      return [{ kind: "same", ...textSpan(code, { from: i + 2, to: i + 3 }), text: () => OTHER_EXCEPTION }];
  }
  return [];
}

/** Words and operators by which a comparison is more than `a == b`. */
const MORE = /^(?:and|or|not|if|else|lambda|in|is|for|:=|[!<>]=?|===)$/;

/** `assert actual == expected, message`: another literal, or the negated condition. */
function ofAssert(code: Code, { from, to }: Range): readonly TwinChange[] {
  const [condition] = splitArguments(code, { from, to });
  if (condition === undefined) return [];
  const equals: number[] = [];
  let isMore = false;
  for (let i = condition.from; i < condition.to; i = behind(code, i)) {
    if (textAt(code, i) === "==") equals.push(i);
    if (MORE.test(textAt(code, i))) isMore = true;
  }
  const [equal] = equals;
  const negated = negating(code, condition, PYTHON);
  if (equal === undefined || equals.length > 1 || isMore) return [negated];
  const sides = [
    { from: condition.from, to: equal },
    { from: equal + 1, to: condition.to },
  ];
  return [...sides.flatMap((side) => changedLiterals(code, side, true)), negated];
}
