import { type Draft, type ParsedReport, runCargoTest, type SourcePlace, type TestCounts } from "../draft.ts";
import { type Block, splitBlocks, withoutIndent } from "./blocks.ts";

/** Reads cargo's output: failed tests with their panics, and errors of rustc and clippy with their places. */
export function parseCargo(lines: readonly string[]): ParsedReport {
  const tests = testDrafts(lines);
  const counts = cargoCounts(lines);
  return { drafts: [...diagnosticDrafts(lines), ...tests], counts };
}

/** `---- tests::adds stdout ----`. */
const TEST_HEAD = /^---- (\S.{0,300}) stdout ----$/;

function testDrafts(lines: readonly string[]): readonly Draft[] {
  const isEnd = (line: string) => line === "failures:" || line.startsWith("test result: ");
  const blocks = splitBlocks(lines, { isHead: (line) => TEST_HEAD.test(line), isEnd });
  const drafts = blocks.map(({ at, head, body }) => ({ ...testDraft(TEST_HEAD.exec(head)?.[1] ?? "", body), at }));
  const told = new Set(drafts.map(({ test }) => test));
  // The sections may have been cut off: the list of tests stands before them.
  const listed = lines.flatMap((line) => /^test (\S.{0,300}?)(?: - should panic)? \.\.\. FAILED$/.exec(line)?.[1] ?? []);
  return [...drafts, ...listed.filter((name) => !told.has(name)).map((name) => testDraft(name, []))];
}

function testDraft(name: string, body: readonly string[]): Draft {
  const reproduce = runCargoTest(name);
  const { message, ...place } = panicAt(
    body,
    body.findIndex((line) => PANIC.test(line)),
  );
  return {
    tool: "cargo test",
    severity: "high",
    category: "test",
    test: name,
    ...place,
    message: message,
    ...(reproduce && { reproduce }),
  };
}

/** `thread 'tests::adds' (7) panicked at src/lib.rs:11:9:`; before Rust 1.73, `… panicked at 'message', src/lib.rs:11:9`. */
export const PANIC =
  /^ {0,8}thread '[^']{0,300}' (?:\(\d{1,10}\) )?panicked at (?:'(.{0,900})', )?(\S{1,300}\.rs):(\d{1,7}):\d{1,7}:?$/;

/** The message below a panic and its place; without a panic (-1), the first paragraph. */
export function panicAt(lines: readonly string[], at: number): Partial<SourcePlace> & { readonly message: string } {
  const [, quoted, file, number] = PANIC.exec(lines[at] ?? "") ?? [];
  const rest = lines.slice(at + 1, at + 200);
  const end = rest.findIndex((line) => line === "" || (at >= 0 && /^ {0,8}(?:stack backtrace:|note: )/.test(line)));
  const message = quoted ?? withoutIndent(end < 0 ? rest : rest.slice(0, end));
  return { message, ...(file !== undefined && { file, line: Number(number) }) };
}

const DIAGNOSTIC = /^error(?:\[(E\d{4})\])?: (\S.*)$/;
/** Errors that only say that there were others. */
const SUMMARIES =
  /^(?:could not compile|aborting due to|test failed, to rerun|doctest failed|\d{1,6} targets? failed|process didn't exit)/;

function diagnosticDrafts(lines: readonly string[]): readonly Draft[] {
  const isHead = (line: string) => DIAGNOSTIC.test(line) || /^warning(?:\[|:)/.test(line);
  const blocks = splitBlocks(lines, { isHead, isEnd: (line) => line === "" });
  return blocks.flatMap((block) => diagnosticDraft(block) ?? []);
}

function diagnosticDraft({ at, head, body }: Block): Draft | undefined {
  const [, code, message = ""] = DIAGNOSTIC.exec(head) ?? [];
  if (message === "" || SUMMARIES.test(message)) return undefined;
  const [, file, number] = body.slice(0, 3).flatMap((line) => /^ {0,9}--> (\S.{0,300}?):(\d{1,7}):\d{1,7}$/.exec(line) ?? []);
  // Many programs begin a line with "error:".
  if (file === undefined) return undefined;
  const isClippy = body.some((line) => line.includes("rust-lang.github.io/rust-clippy"));
  return { ...rustDraft({ code, message, file, line: Number(number), isClippy, label: typeLabel(body) }), at };
}

/** The words under the marked code, which name the types. */
function typeLabel(body: readonly string[]): string {
  return body.map((line) => /^ {0,9}\| {1,200}\^{1,200} (\S.*)$/.exec(line)?.[1]).find((label) => label !== undefined) ?? "";
}

/** The finding of a diagnostic of rustc or clippy, from its text or its JSON. */
export function rustDraft(options: {
  readonly code: string | undefined;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly isClippy: boolean;
  readonly label: string;
}): Draft {
  const { code, message, file, line, isClippy, label } = options;
  return {
    tool: isClippy ? "clippy" : "rustc",
    severity: isClippy ? "medium" : "blocker",
    category: isClippy ? "lint" : "build",
    ...{ file, line },
    message: [code === undefined || isClippy ? message : `${code}: ${message}`, ...(label === "" ? [] : [label])].join("\n"),
    reproduce: isClippy ? ["cargo", "clippy"] : ["cargo", "build"],
    ...(code !== undefined && /^E\d{4}$/.test(code) && { hints: [`rustc --explain ${code}`] }),
  };
}

/** The sum of all `test result: FAILED. 1 passed; 2 failed; 0 ignored; …`. */
function cargoCounts(lines: readonly string[]): TestCounts | undefined {
  const results = lines.flatMap((line) => {
    const found = /^test result: \w{2,8}\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(line);
    return found === null ? [] : [found.slice(1).map(Number)];
  });
  if (results.length === 0) return undefined;
  const sum = (of: (result: readonly number[]) => number) => results.reduce((total, result) => total + of(result), 0);
  return { failed: sum(([, failed = 0]) => failed), total: sum((result) => result.reduce((a, b) => a + b, 0)) };
}
