import { type Draft, type ParsedReport, placeInStack, relativeFile, runJsTest, type TestCounts } from "../draft.ts";
import { type Block, jsFailureMessage, splitBlocks } from "./blocks.ts";

/** Reads the output of vitest and jest for a terminal: a block for each failed test, and the counts. */
export function parseJsTests(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const jest = jestDrafts(lines);
  const drafts = jest.length > 0 ? jest : vitestDrafts(lines, roots);
  const counts = jsCounts(lines);
  return { drafts, counts };
}

/** ` FAIL  test/a.test.ts > suite > name`. A project's name stands before it between bars, or between blanks that had a colour. */
const VITEST_HEAD = /^ FAIL(?: {3}\S.{0,60}? {2}| {2}\|[^|]{1,60}\| | {1,2})(\S.*)$/;

function vitestDrafts(lines: readonly string[], roots: readonly string[]): readonly Draft[] {
  const blocks = splitBlocks(lines, {
    isHead: (line) => VITEST_HEAD.test(line),
    isEnd: (line) => line.startsWith("⎯⎯"),
  });
  // Tests that failed by the same error share its one block, below the last of them.
  let body: readonly string[] = [];
  const shared = blocks.toReversed().map((block) => {
    if (block.body.some((line) => line.trim() !== "")) body = block.body;
    return { ...block, body };
  });
  return shared.toReversed().map((block) => vitestDraft(block, roots));
}

function vitestDraft({ at, head, body }: Block, roots: readonly string[]): Draft {
  const named = VITEST_HEAD.exec(head)?.[1] ?? head;
  const name = named.endsWith(" ]") ? named.slice(0, named.lastIndexOf(" [ ")) : named;
  const [path = "", ...titles] = name.split(" > ");
  return { ...jsDraft("vitest", { file: relativeFile(path, roots), titles, body }), at };
}

/** The finding of a test, or of a file that did not load (no titles). */
export function jsDraft(
  runner: "vitest" | "jest",
  { file, titles, body }: { readonly file: string; readonly titles: readonly string[]; readonly body: readonly string[] },
): Draft {
  const place = placeInStack(body);
  const reproduce = runJsTest(runner, file, titles);
  return {
    tool: runner,
    severity: titles.length === 0 ? "blocker" : "high",
    category: "test",
    test: [file, ...titles].join(" > "),
    ...(place ?? { file }),
    message: jsFailureMessage(body),
    ...(reproduce && { reproduce }),
  };
}

/** `FAIL ./a.test.js`, with the project's name before the file and its time behind it. On a terminal, blanks surround the word. */
const JEST_FILE = /^ ?FAIL {1,2}(?:[^/]{1,60} )?(\S{1,300}\.[cm]?[jt]sx?)(?: \([\d.]{1,9} m?s\))?$/;

function jestDrafts(lines: readonly string[]): readonly Draft[] {
  const blocks = splitBlocks(lines, {
    isHead: (line) => line.startsWith("  ● ") || JEST_FILE.test(line),
    isEnd: (line) => /^(?: ?FAIL | ?PASS | ?RUNS |Test Suites: |Summary of all failing tests)/.test(line),
  });
  const drafts: Draft[] = [];
  let file: string | undefined;
  for (const { at, head, body } of blocks) {
    const found = JEST_FILE.exec(head)?.[1];
    if (found !== undefined) file = relativeFile(found, []);
    const titles = head.slice(4).split(" › ");
    if (found !== undefined || file === undefined || titles[0] === "Console") continue;
    const ofFile = titles[0] === "Test suite failed to run";
    drafts.push({ ...jsDraft("jest", { file, titles: ofFile ? [] : titles, body }), at });
  }
  return drafts;
}

/**
 * Lines with those blanked that a runner prints for its tests, which tell of no failure: jest's `  console.error` with what is indented below
 * it, vitest's `stderr | a.test.ts > name` up to a blank line.
 */
export function withoutConsole(lines: readonly string[]): readonly string[] {
  let isOpen: "jest" | "vitest" | undefined;
  return lines.map((line) => {
    const isEnd = isOpen === "jest" ? /^ {0,3}\S/.test(line) : line === "";
    if (isEnd) isOpen = undefined;
    if (/^ {2,6}console\.\w{3,9}$/.test(line)) isOpen = "jest";
    else if (/^std(?:err|out) \| \S/.test(line)) isOpen = "vitest";
    return isOpen === undefined ? line : "";
  });
}

/** `Tests:       2 failed, 1 passed, 3 total` of jest, `      Tests  2 failed | 1 passed (3)` of vitest. */
function jsCounts(lines: readonly string[]): TestCounts | undefined {
  const line = lines.findLast((each) => /^(?:Tests: | {2,8}Tests {2})/.test(each));
  if (line === undefined) return undefined;
  const total = /(\d{1,9}) total/.exec(line)?.[1] ?? /\((\d{1,9})\)$/.exec(line)?.[1];
  if (total === undefined) return undefined;
  return { failed: Number(/(\d{1,9}) failed/.exec(line)?.[1] ?? 0), total: Number(total) };
}
