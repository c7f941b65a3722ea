import { type CallStyle, changesOfCall, type TwinChange } from "./changes.ts";
import { calls, type FindTests, type FoundTest, separatorAt, surelyRun } from "./found-test.ts";
import { randomWord } from "./random-words.ts";
import { behind, type Code, type Range, sourceText, splitArguments, splitStatements, textAt, tokenize } from "./tokens.ts";

/** The name of a test, as a report has it: without escapes, which runners may write in other ways. */
const TITLE = /^(["'`])([^\\\n\r"'`]{1,200})\1$/;
const GROUP = /^(?:describe|suite|context|group)$/;
/** Groups and hooks that are no tests, and marks of tests that do not run, must fail or run several times. */
const NO_TEST =
  /^(?:x?(?:describe|suite|context|group)|before|after|beforeEach|afterEach|beforeAll|afterAll|setup|teardown|[xf](?:it|test|specify|describe|context)|skip|only|todo|each|for|fails|failing|skipIf|runIf|expectFailure|step|mock)$/;
/** Options of a test under which it may not run, or not fail. */
const RISKY_OPTIONS = /skip|todo|only|fail|plan|retry|repeat/i;
/** Calls in a test that count its assertions, leave it, repeat it, or compare with what is stored under its name. */
const RISKY = /^(?:plan|assertions|skip|todo|skipIf|retry|retries)$|snapshot/i;

/** Parameters of a test's function, at most: a further one is a callback, after which assertions may come. */
const MOST_PARAMETERS: Readonly<Record<string, number>> = { jest: 0, mocha: 0, "bun test": 0 };

/** The tests of JavaScript and TypeScript: calls with a name and a function, also in groups. */
export function findJsTests(runner: string): FindTests {
  return (text) => {
    const code = tokenize(text, "js");
    if (code === undefined) return undefined;
    const reading = { code, style: jsCallStyle(code), mostParameters: MOST_PARAMETERS[runner] ?? 1 };
    const all = { from: 0, to: code.tokens.length };
    return { tests: testsIn(reading, all), names: titlesIn(code) };
  };
}

interface Reading {
  readonly code: Code;
  readonly style: CallStyle;
  readonly mostParameters: number;
}

function jsCallStyle(code: Code): CallStyle {
  return {
    negated: (value) => `!(${value})`,
    wrapped: (value, draw) => `{ ${randomWord(draw)}: ${value} }`,
    hasTuples: false,
    aliases: aliasesIn(code),
    chainHeads: /^(?:expect|should)$/,
  };
}

/** What local names stand for: `a as b`, `a: b`, and whole modules of assertions. */
function aliasesIn(code: Code): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (let i = 2; i < code.tokens.length; i += 1) {
    const [name, link, local] = [textAt(code, i - 2), textAt(code, i - 1), textAt(code, i)];
    if (code.tokens[i]?.kind === "word" && /^(?:as|:)$/.test(link) && ALIASED.test(name)) aliases.set(local, name);
    const isModule = /^["'](?=.*["']$).*assert/;
    if (link === "from" && isModule.test(local)) aliases.set(name, "assert");
    if (link === "(" && name === "require" && isModule.test(local) && textAt(code, i - 3) === "=")
      aliases.set(textAt(code, i - 4), "assert");
  }
  return aliases;
}

const ALIASED =
  /^(?:test|it|specify|describe|suite|context|expect|should|assert|ok|is|same|\w{0,20}(?:[eE]qual|Equals|Throws?|Same))$/;

/** The names in all calls of the file that begin with one. */
function titlesIn(code: Code): readonly string[] {
  return code.tokens.flatMap((token, i) => {
    const title = token.kind === "string" && textAt(code, i - 1) === "(" ? TITLE.exec(token.text)?.[2] : undefined;
    return title === undefined ? [] : [title];
  });
}

/** A statement `name("title", …, function)`. */
interface TitledCall {
  readonly name: string;
  readonly title: string;
  readonly titleAt: number;
  readonly isRisky: boolean;
  readonly parameters: number;
  readonly body: Range;
}

/** Groups within groups that are entered, at most. */
const MAX_DEPTH = 10;

function testsIn(reading: Reading, block: Range, depth = 0): readonly FoundTest[] {
  const { code, style } = reading;
  return splitStatements(code, block).flatMap((statement) => {
    const call = titledCall(code, statement);
    if (call === undefined || call.isRisky) return [];
    const name = style.aliases.get(call.name) ?? call.name;
    if (GROUP.test(name)) return depth < MAX_DEPTH ? testsIn(reading, call.body, depth + 1) : [];
    if (NO_TEST.test(name) || call.parameters > reading.mostParameters) return [];
    const changes = changesIn(reading, call.body);
    return [foundTest(code, statement, call, changes)];
  });
}

function titledCall(code: Code, statement: Range): TitledCall | undefined {
  const called = calledName(code, statement);
  if (called === undefined) return undefined;
  const [title, ...args] = splitArguments(code, { from: called.open + 1, to: behind(code, called.open) - 1 });
  const name = title !== undefined && title.to === title.from + 1 ? TITLE.exec(textAt(code, title.from))?.[2] : undefined;
  const functions = args.flatMap((arg) => functionIn(code, arg) ?? []);
  const [found] = functions;
  if (title === undefined || name === undefined || found === undefined || functions.length > 1) return undefined;
  const options = args.filter((arg) => functionIn(code, arg) === undefined);
  const isRisky = options.some((arg) => RISKY_OPTIONS.test(sourceText(code, arg)));
  return { name: called.name, title: name, titleAt: title.from, isRisky, ...found };
}

/** The name that a statement calls, such as `it`, `t.test` or `describe.concurrent`, and the bracket of the call. */
function calledName(code: Code, { from, to }: Range): { readonly name: string; readonly open: number } | undefined {
  const first = /^(?:await|void)$/.test(textAt(code, from)) ? from + 1 : from;
  let at = first;
  while (at < to && textAt(code, at + 1) === ".") at += 2;
  const open = at + 1;
  if (code.tokens[at]?.kind !== "word" || textAt(code, open) !== "(") return undefined;
  // Mocha's tests may have a call behind them: `it("name", function () {}).timeout(100)`.
  if (behind(code, open) !== to && textAt(code, behind(code, open)) !== ".") return undefined;
  const words = code.tokens.slice(first, open).map(({ text }) => text);
  const marks = words.filter((word) => NO_TEST.test(word));
  // `describe.concurrent` is a group, `describe.skip` is not entered.
  return { name: marks.find((word) => !GROUP.test(word)) ?? marks[0] ?? words.at(-1) ?? "", open };
}

/** A function that is an argument: `(a, b) => value`, `async () => {}`, `function name(a) {}`. A generator is no test. */
function functionIn(code: Code, arg: Range): { readonly parameters: number; readonly body: Range } | undefined {
  let at = textAt(code, arg.from) === "async" ? arg.from + 1 : arg.from;
  const isWord = textAt(code, at) === "function";
  if (isWord) at += textAt(code, at + 1) === "(" ? 1 : 2;
  const isList = textAt(code, at) === "(";
  const isName = !isWord && code.tokens[at]?.kind === "word" && textAt(code, at + 1) === "=>";
  if (!isList && !isName) return undefined;
  const parameters = isList ? splitArguments(code, { from: at + 1, to: behind(code, at) - 1 }).length : 1;
  const body = bodyIn(code, { from: behind(code, at), to: arg.to }, isWord ? "{" : "=>");
  return body === undefined ? undefined : { parameters, body };
}

/** The body of a function, from behind its parameters: a return type may come first. */
function bodyIn(code: Code, { from, to }: Range, mark: "{" | "=>"): Range | undefined {
  let at = from;
  while (at < to && textAt(code, at) !== mark) at = behind(code, at);
  if (at >= to) return undefined;
  const start = mark === "{" ? at : at + 1;
  const isBlock = textAt(code, start) === "{" && behind(code, start) === to;
  return isBlock ? { from: start + 1, to: to - 1 } : { from: start, to };
}

/** The changes of the assertions that surely run. A test with tests in it has none. */
function changesIn({ code, style }: Reading, body: Range): readonly TwinChange[] {
  if (calls(code, body, RISKY)) return [];
  const statements = splitStatements(code, body);
  if (statements.some((statement) => titledCall(code, statement) !== undefined)) return [];
  const isExpression = textAt(code, body.from - 1) === "=>";
  // The value of an arrow function is returned, so a promise is waited for.
  return surelyRun(code, body).flatMap((statement) => changesOfCall(code, statement, style, isExpression));
}

function foundTest(code: Code, statement: Range, call: TitledCall, changes: readonly TwinChange[]): FoundTest {
  const { text, tokens } = code;
  const from = tokens[statement.from]?.from ?? 0;
  const semicolon = textAt(code, statement.to) === ";" ? 1 : 0;
  const title = tokens[call.titleAt];
  const isCapital = /^[A-Z]/.test(call.title);
  return {
    name: call.title,
    label: { from: (title?.from ?? 0) + 1, to: (title?.to ?? 0) - 1 },
    from,
    to: tokens[statement.to - 1 + semicolon]?.to ?? from,
    separator: separatorAt(text, from),
    toName: (words) => (isCapital ? words.join(" ").replace(/^./, (letter) => letter.toUpperCase()) : words.join(" ")),
    changes,
  };
}
