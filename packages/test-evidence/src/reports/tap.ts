import { Parser, type Result, type TapError } from "tap-parser";
import type { TestOutcome } from "../compare/results.ts";
import { MAX_SUITE_DEPTH } from "./bounds.ts";
import { BadResults, GatheredResults, type ParsedResults } from "./parsed-results.ts";

/** A subtest is indented by four spaces in its parent (TAP 14, "Subtests"). */
const TOO_DEEP = "    ".repeat(MAX_SUITE_DEPTH + 1);

/**
 * TAP 12 to 14 with subtests. A suite's own line counts only if it says more than its tests. Throws if the plan is missing or
 * does not fit, if a run bailed out, or if numbers repeat: each means that tests are missing.
 */
export function parseTap(text: string, roots: readonly string[]): ParsedResults {
  const gathered = new GatheredResults(roots);
  const parser = new Parser();
  const trouble: string[] = [];
  watch(parser, trouble);
  const lines = text.split(/\r?\n/);
  const byTape = isOfTape(lines) ? new TapeTests() : undefined;
  parser.on("comment", (comment: string) => byTape?.begin(comment.trim().slice(2)));
  parser.on("result", (result: Result) => {
    const outcome = result.todo ? "todo" : result.skip ? "skipped" : result.ok ? "passed" : "failed";
    if (byTape !== undefined) return byTape.assert(outcome);
    const name = result.fullname === "" || result.name === "" ? `${result.fullname}#${result.id}` : result.fullname;
    gathered.add([name], outcome);
  });
  let sawTap = false;
  for (const line of withoutDiagnostics(lines)) {
    if (/^\s*(?:TAP version|1\.\.\d|(?:not )?ok\b)/.test(line)) sawTap = true;
    parser.write(`${line}\n`);
  }
  parser.end();
  if (!sawTap) throw new BadResults("it holds no TAP (of node:test: --test-reporter=tap)");
  if (parser.bailedOut) throw new BadResults("the run bailed out");
  const [first] = trouble;
  if (first !== undefined) throw new BadResults(first);
  for (const { name, outcome } of byTape?.tests ?? []) if (outcome !== undefined) gathered.add([name], outcome);
  return { tests: gathered.tests };
}

/**
 * True for the output of tape: a comment names a test, and the points below it are the assertions of that test, without the dash that
 * other programs write before a name.
 */
function isOfTape(lines: readonly string[]): boolean {
  const version = lines.indexOf("TAP version 13");
  if (version === -1) return false;
  const begun = lines.slice(version + 1);
  const first = begun.find((line) => /^(?:# |(?:not )?ok\b)/.test(line)) ?? "";
  const point = begun.find((line) => /^(?:not )?ok\b/.test(line)) ?? "";
  return first.startsWith("# ") && !first.startsWith("# Subtest") && !/^(?:not )?ok \d+ - /.test(point);
}

const OUTCOMES_BY_WEIGHT = ["skipped", "todo", "passed", "failed"] as const;

/** The tests of tape. A test has the weightiest outcome of its assertions; one without any has not run. */
class TapeTests {
  readonly tests: { name: string; outcome: TestOutcome | undefined }[] = [{ name: "", outcome: undefined }];

  begin(comment: string): void {
    const [, skipped, name = comment] = /^(?:(SKIP)|TODO) (.*)$/s.exec(comment) ?? [];
    this.tests.push({ name, outcome: skipped === undefined ? undefined : "skipped" });
  }

  assert(outcome: TestOutcome): void {
    const test = this.tests.at(-1);
    const weigh = (of: TestOutcome | undefined) => (of === undefined ? -1 : OUTCOMES_BY_WEIGHT.indexOf(of));
    if (test !== undefined && weigh(outcome) > weigh(test.outcome)) test.outcome = outcome;
  }
}

/** Records violations of the protocol, here and in every subtest. */
function watch(parser: Parser, trouble: string[]): void {
  parser.on("child", (child: Parser) => watch(child, trouble));
  // After a plan at the end, the parser reports test points as extra output.
  parser.on("extra", (line: string) => {
    if (/^\s*(?:not ok\b|ok (?:\d|- )|Bail out!)/.test(line)) trouble.push("it breaks the protocol: it goes on after its plan");
  });
  parser.on("complete", () => {
    for (const failure of parser.failures) {
      if (typeof failure.tapError !== "string" || isFileOfNode(failure)) continue;
      trouble.push(`it breaks the protocol: ${failure.tapError}`);
    }
  });
}

/**
 * True for a point of Node's runner about a file that does not load, or has no test. It has the file's own number, which a test
 * may have had (seen in 22 and 24). A failed point hides nothing, one with a file's name is no test, and the plan still counts
 * both.
 */
function isFileOfNode(failure: Result | TapError): boolean {
  if (!("ok" in failure) || failure.tapError?.endsWith("appears multiple times") !== true) return false;
  return !failure.ok || /^\S+\.[cm]?[jt]sx?$/.test(failure.name);
}

/**
 * The lines without the YAML blocks under test points: they are not needed, so no untrusted YAML is ever parsed. A block ends
 * with its "..." or before the first line that is indented less (TAP 14, "YAML Diagnostics").
 */
function* withoutDiagnostics(lines: readonly string[]): Iterable<string> {
  let block: string | undefined;
  let afterPoint = false;
  for (const line of lines) {
    if (block !== undefined && (line === "" || line.startsWith(block))) {
      if (line === `${block}...`) block = undefined;
      continue;
    }
    block = afterPoint ? blockStart(line) : undefined;
    if (block !== undefined) continue;
    if (line.startsWith(TOO_DEEP)) throw new BadResults(`it is nested more than ${MAX_SUITE_DEPTH} deep`);
    afterPoint = /^ *(?:not )?ok\b/.test(line);
    yield line;
  }
}

/** The indentation of the block that begins with this line, if one does. */
function blockStart(line: string): string | undefined {
  return /^( +)---$/.exec(line)?.[1];
}
