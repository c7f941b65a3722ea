import type { TestOutcome } from "../compare/results.ts";
import { GatheredResults, type ParsedResults } from "./parsed-results.ts";
import { addShownTests } from "./shown-tests.ts";
import { parseTap } from "./tap.ts";

const GO_TEST = /^ *--- (PASS|FAIL|SKIP): (\S+) \(\d+(?:\.\d+)?s\)$/;
/** Go says the package of tests after them. */
const GO_PACKAGE = /^(?:ok {2}|FAIL|\? {3})\t(\S+)(?:\t| \[)/;

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  PASS: "passed",
  FAIL: "failed",
  SKIP: "skipped",
};

/** Tests as the output of a command shows them: by the runner's own lines, or as TAP. None if it shows none. */
export function parseOutput(text: string, roots: readonly string[]): ParsedResults {
  const gathered = new GatheredResults(roots);
  const lines = text.replace(COLOURS, "").split(/\r?\n/);
  addGoTests(lines, gathered);
  addShownTests(lines, gathered);
  const { tests } = gathered;
  return tests.length === 0 && /^TAP version 1[34]$/m.test(text) ? parseTap(text, roots) : { tests };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours begin with one
const COLOURS = /\u001b\[[\d;]*m/g;

function addGoTests(lines: readonly string[], gathered: GatheredResults): void {
  let tests: { readonly name: string; readonly outcome: TestOutcome }[] = [];
  const add = (of: readonly string[]): void => {
    for (const { name, outcome } of tests) gathered.add([...of, name], outcome);
    tests = [];
  };
  for (const line of lines) {
    const [, result = "", name] = GO_TEST.exec(line) ?? [];
    if (name !== undefined) tests.push({ name, outcome: OUTCOMES[result] as TestOutcome });
    const [, tested] = GO_PACKAGE.exec(line) ?? [];
    if (tested === undefined) continue;
    // Its code does not compile, or its process died.
    if (line.startsWith("FAIL") && !tests.some(({ outcome }) => outcome === "failed")) gathered.add([tested], "failed");
    add([tested]);
  }
  add([]);
}
