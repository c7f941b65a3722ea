import type { TestOutcome } from "../compare/results.ts";
import type { GatheredResults } from "./parsed-results.ts";

const CARGO_TEST = /^test (\S.*) \.\.\. (ok|FAILED|ignored)(?:, .*)?$/;
/** With retries, each try has a line: a test that passed on a second run failed. */
const NEXTEST = /^ *(?!SETUP )([A-Z][A-Z0-9+/ -]{0,20}) \[ *\d+\.\d+s\] (?:\( *\d+\/\d+\) )?(\S+) (\S.*)$/;
/** After this line, nextest repeats the tests that failed. */
const NEXTEST_END = /^ *Summary \[/;

const BUN_FILE = /^(?:::group::)?(\S.*\.[cm]?[jt]sx?):$/;
/** With colours, bun has signs in place of words. */
const BUN_TEST = /^(?:\((pass|fail|skip|todo)\)|[✓✗»✎]) (.+?)(?: \[\d+(?:\.\d+)?m?s\])?$/;
/** After many tests, bun repeats some of them below such a line. */
const BUN_END = /^\d+ tests? (?:skipped|todo|failed):$/;

const DENO_FILE = /^running \d+ tests? from (?:\.\/)?(\S.*)$/;
const DENO_TEST = /^( *)(\S.*) \.\.\. (ok|FAILED|ignored) \(/;
/** The steps of a test follow, or what it prints. */
const DENO_STEPS = /^( *)(\S.*) \.\.\.$/;
const DENO_PRINTS = /^-+ (?:[\w-]+ )?output( end)? -+$/;
const DENO_END = /^ ERRORS $|^(?:ok|FAILED) \| /;

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  ok: "passed",
  pass: "passed",
  "✓": "passed",
  PASS: "passed",
  LEAK: "passed",
  "TIMEOUT-PASS": "passed",
  FAILED: "failed",
  fail: "failed",
  "✗": "failed",
  ignored: "skipped",
  skip: "skipped",
  "»": "skipped",
  todo: "todo",
  "✎": "todo",
};

/** Adds the tests that lines of cargo, cargo-nextest, bun and deno show. Each of them has a line for each test. */
export function addShownTests(lines: readonly string[], gathered: GatheredResults): void {
  const readers = [nextestReader(), bunReader(), denoReader()];
  let isNextest = false;
  for (const line of lines) {
    const shown = readers.map((read) => read(line));
    for (const test of shown) if (test !== undefined) gathered.add(test.names, test.outcome);
    isNextest ||= shown[0] !== undefined;
  }
  // nextest shows the output of tests that failed, in which cargo's lines are.
  if (isNextest) return;
  for (const line of lines) {
    const [, name, result = ""] = CARGO_TEST.exec(line) ?? [];
    if (name !== undefined) gathered.add([name], OUTCOMES[result] as TestOutcome);
  }
}

/** Gives the test that the next line shows, if it shows one. */
type LineReader = (line: string) => { readonly names: readonly string[]; readonly outcome: TestOutcome } | undefined;

function nextestReader(): LineReader {
  let isOver = false;
  return (line) => {
    isOver = NEXTEST_END.test(line) || (isOver && !/^ *Starting \d/.test(line));
    const [, status = "", program = "", name] = isOver ? [] : (NEXTEST.exec(line) ?? []);
    return name === undefined ? undefined : { names: [program, name], outcome: OUTCOMES[status] ?? "failed" };
  };
}

function bunReader(): LineReader {
  let file: string | undefined;
  return (line) => {
    file = BUN_END.test(line) ? undefined : (BUN_FILE.exec(line)?.[1] ?? file);
    const [, word = line[0] ?? "", name] = file === undefined ? [] : (BUN_TEST.exec(line) ?? []);
    return file === undefined || name === undefined ? undefined : { names: [file, name], outcome: OUTCOMES[word] as TestOutcome };
  };
}

function denoReader(): LineReader {
  let file: string | undefined;
  let isPrinting = false;
  const steps: string[] = [];
  return (line) => {
    const [border, end] = DENO_PRINTS.exec(line) ?? [];
    if (border !== undefined) isPrinting = end === undefined;
    if (border !== undefined || isPrinting) return undefined;
    file = DENO_END.test(line) ? undefined : (DENO_FILE.exec(line)?.[1] ?? file);
    return file === undefined ? undefined : denoTest(line, file, steps);
  };
}

/** `steps`: the names that lead to the next line, which this one may change. */
function denoTest(line: string, file: string, steps: string[]): ReturnType<LineReader> {
  const [, indent = "", name, result = ""] = DENO_TEST.exec(line) ?? DENO_STEPS.exec(line) ?? [];
  if (name === undefined) return undefined;
  steps.length = Math.min(steps.length, Math.floor(indent.length / 2));
  const names = [file, ...steps, name];
  if (result !== "") return { names, outcome: OUTCOMES[result] as TestOutcome };
  steps.push(name);
  return undefined;
}
