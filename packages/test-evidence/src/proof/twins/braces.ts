import { type CallStyle, changedLiterals, changesOfCall, negating, type TwinChange, textSpan } from "./changes.ts";
import { capitalized, type FindTests, type FoundTest, has, separatorAt, surelyRun } from "./found-test.ts";
import { behind, type Code, type Range, sourceText, splitArguments, splitStatements, textAt, tokenize } from "./tokens.ts";

/** Words by which a test leaves early, or is left out. */
const RISKY = /^(?:Skip|Skipf|SkipNow|Goexit|catch_unwind|should_panic|ignore|rstest|proptest)$/;

/** The functions of go test: `func TestName(t *testing.T) {`. */
export const findGoTests: FindTests = (text) => {
  const code = tokenize(text, "go");
  if (code === undefined) return undefined;
  const heads = code.tokens.flatMap((token, i) => (token.isFirst && token.text === "func" ? [i] : []));
  const tests = heads.flatMap((i) => goTest(code, i) ?? []);
  return { tests, names: namesBehind(code, "func", /^Test/) };
};

function goTest(code: Code, at: number): FoundTest | undefined {
  const name = at + 1;
  const [open, end] = [at + 2, behind(code, at + 2)];
  const [parameter = "", ...type] = code.tokens.slice(open + 1, end - 1).map(({ text }) => text);
  if (!/^Test(?:[^a-z]|$)/.test(textAt(code, name)) || type.join("") !== "*testing.T" || textAt(code, end) !== "{")
    return undefined;
  const body = { from: end + 1, to: behind(code, end) - 1 };
  if (has(code, body, RISKY)) return undefined;
  const style = { ...GO, context: parameter };
  const changes = surelyRun(code, body).flatMap((statement) =>
    textAt(code, statement.from) === "if" ? ofGoIf(code, statement, parameter) : changesOfCall(code, statement, style),
  );
  const isSnake = textAt(code, name).includes("_");
  const toName = (words: readonly string[]) => `Test${isSnake ? `_${words.join("_")}` : capitalized(words).join("")}`;
  return foundFunction(code, { from: at, to: body.to + 1, name, changes, toName });
}

const GO: CallStyle = { negated: (value) => `!(${value})`, hasTuples: false, aliases: new Map() };

/** `if got := f(); got != 3 { t.Errorf(…) }`: another literal, or the negated condition. */
function ofGoIf(code: Code, { from, to }: Range, t: string): readonly TwinChange[] {
  const block = indexAt(code, { from, to }, "{");
  if (block === undefined || behind(code, block) !== to) return [];
  const fails = splitStatements(code, { from: block + 1, to: to - 1 }).some(
    ({ from: i }) => textAt(code, i) === t && textAt(code, i + 1) === "." && /^(?:Error|Fatal|Fail)/.test(textAt(code, i + 2)),
  );
  const start = indexAt(code, { from, to: block }, ";");
  const condition = { from: start === undefined ? from + 1 : start + 1, to: block };
  if (!fails || condition.from >= block) return [];
  const operators = code.tokens.slice(condition.from, block).filter(({ text }) => /^(?:[!=]=|&&|\|\||[<>]=?)$/.test(text));
  const unequal = indexAt(code, condition, "!=");
  const literals =
    unequal === undefined || operators.length !== 1
      ? []
      : [
          { from: condition.from, to: unequal },
          { from: unequal + 1, to: block },
        ].flatMap((side) => changedLiterals(code, side, false));
  return [...literals, negating(code, condition, GO)];
}

/** The functions of cargo test, with their attributes, also in modules. */
export const findRustTests: FindTests = (text) => {
  const code = tokenize(text, "rust");
  if (code === undefined) return undefined;
  return { tests: rustTestsIn(code, { from: 0, to: code.tokens.length }), names: namesBehind(code, "fn", /./) };
};

/** Modules within modules that are entered, at most. */
const MAX_DEPTH = 10;

function rustTestsIn(code: Code, { from, to }: Range, depth = 0): readonly FoundTest[] {
  const tests: FoundTest[] = [];
  let start = from;
  for (let i = from; i < to; i = behind(code, i)) {
    // Attributes of the whole module, `#![allow(unused)]`, belong to no function.
    const isOfModule = textAt(code, i - 1) === "!" && textAt(code, i - 2) === "#";
    if (textAt(code, i) === ";" || isOfModule) start = behind(code, i);
    if (textAt(code, i) !== "{") continue;
    const head = { from: start, to: i };
    const block = { from: i + 1, to: behind(code, i) - 1 };
    start = block.to + 1;
    const isModule = textAt(code, i - 2) === "mod";
    if (isModule && depth < MAX_DEPTH) tests.push(...rustTestsIn(code, block, depth + 1));
    else tests.push(...(rustTest(code, head, block) ?? []));
  }
  return tests;
}

function rustTest(code: Code, head: Range, body: Range): readonly FoundTest[] | undefined {
  const fn = indexAt(code, head, "fn");
  if (fn === undefined || textAt(code, fn + 2) !== "(" || behind(code, fn + 2) !== fn + 4) return undefined;
  const attributes = sourceText(code, { from: head.from, to: fn });
  const isTest = /#\s*\[\s*(?:\w+\s*::\s*)?test\b/.test(attributes) && !has(code, { from: head.from, to: body.to }, RISKY);
  if (!isTest || !attributes.startsWith("#") || textAt(code, head.from + 1) !== "[") return undefined;
  const sure = surelyRun(code, body);
  const mayLeave = sure.findIndex((statement) => has(code, statement, /^return$/));
  const changes = (mayLeave === -1 ? sure : sure.slice(0, mayLeave)).flatMap((statement) => ofMacro(code, statement));
  const name = textAt(code, fn + 1);
  const toName = (words: readonly string[]) => [...(name.startsWith("test_") ? ["test"] : []), ...words].join("_");
  return [foundFunction(code, { from: head.from, to: body.to + 1, name: fn + 1, changes, toName })];
}

/** `assert_eq!(a, b)` and the like. */
function ofMacro(code: Code, { from, to }: Range): readonly TwinChange[] {
  const [name, open] = [textAt(code, from), from + 2];
  if (textAt(code, from + 1) !== "!" || behind(code, open) !== to) return [];
  const [first, second] = splitArguments(code, { from: open + 1, to: to - 1 });
  if (first === undefined) return [];
  if (name === "assert") return [negating(code, first, GO)];
  if (second === undefined || !/^assert_(?:eq|ne)$/.test(name)) return [];
  const literals = name === "assert_eq" ? [first, second].flatMap((side) => changedLiterals(code, side, true)) : [];
  if (literals.length > 0) return literals;
  const both = { from: first.from, to: second.to };
  // The same macro, and it needs no other traits of their types.
  const text = () => `(${sourceText(code, first)}) == (${sourceText(code, second)}), false`;
  return [{ kind: "same", ...textSpan(code, both), text }];
}

function indexAt(code: Code, { from, to }: Range, text: string): number | undefined {
  for (let i = from; i < to; i = behind(code, i)) if (textAt(code, i) === text) return i;
  return undefined;
}

function namesBehind({ tokens }: Code, word: string, like: RegExp): readonly string[] {
  return tokens.flatMap(({ kind, text }, i) =>
    kind === "word" && tokens[i - 1]?.text === word && like.test(text) ? [text] : [],
  );
}

function foundFunction(
  code: Code,
  { from, to, name, changes, toName }: Range & { readonly name: number } & Pick<FoundTest, "changes" | "toName">,
): FoundTest {
  const place = textSpan(code, { from, to });
  const separator = separatorAt(code.text, place.from);
  const label = textSpan(code, { from: name, to: name + 1 });
  return { name: textAt(code, name), label, ...place, separator, toName, changes };
}
