import { type Draft, isForeign, isFrame, type ParsedReport, placeInStack, relativeFile, type SourcePlace } from "../draft.ts";
import { MAX_BLOCKS, withoutIndent } from "./blocks.ts";
import { PANIC, panicAt } from "./cargo.ts";
import { isErrorHead } from "./labels.ts";

/** Lines of one uncaught error that are read, and lines of its message. */
const MOST_LINES = 200;
const MESSAGE_LINES = 20;

/** Reads the errors that ended a program of Node, Python or Rust, as the language itself prints them. */
export function parseUncaught(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const drafts: Draft[] = [];
  for (let at = 0; at < lines.length && drafts.length < MAX_BLOCKS; at += 1) {
    const draft = nodeDraft(lines, at, roots) ?? pythonDraft(lines, at, roots) ?? rustDraft(lines, at);
    if (draft !== undefined) drafts.push({ at, ...draft });
  }
  return { drafts };
}

function crash(tool: string, message: readonly string[], place: SourcePlace | undefined): Draft {
  const text = withoutIndent(message.slice(0, MESSAGE_LINES));
  return { tool, severity: "blocker", category: "crash", ...place, message: text };
}

/** The block of Node that ends with its version: file and line, the source, a caret, and the error with its stack. */
function nodeDraft(lines: readonly string[], end: number, roots: readonly string[]): Draft | undefined {
  if (!/^Node\.js v\d/.test(lines[end] ?? "")) return undefined;
  const start = Math.max(0, end - MOST_LINES);
  const before = lines.slice(start, end);
  const caret = before.findLastIndex((line) => /^\s*\^{1,200}$/.test(line));
  // A source of one long line has lost its caret.
  const at = caret >= 0 ? caret + 1 : before.findLastIndex((line) => !line.startsWith(" ") && isErrorHead(line));
  if (at < 0) return undefined;
  const body = before.slice(at);
  const stop = body.findIndex(isFrame);
  const message = stop < 0 ? body : body.slice(0, stop);
  const [, path = "", line] = /^(\S.{0,300}):(\d{1,7})$/.exec(before[caret - 2] ?? "") ?? [];
  const own = path === "" || isForeign(path) ? undefined : { file: relativeFile(path, roots), line: Number(line) };
  return { ...crash("node", message, placeInStack(body) ?? own), at: start + at };
}

const FRAME = /^ {1,60}File "([^"]{1,300})", line (\d{1,7})(?:, in .*)?$/;

/** A traceback. One that only led to the next says nothing of its own. */
function pythonDraft(lines: readonly string[], at: number, roots: readonly string[]): Draft | undefined {
  const isTraceback = lines[at] === "Traceback (most recent call last):";
  // An error in the syntax of the program itself has no traceback.
  if (!isTraceback && (!FRAME.test(lines[at] ?? "") || isInTraceback(lines, at))) return undefined;
  const rest = lines.slice(at + 1, at + MOST_LINES);
  const end = rest.findIndex((line) => /^[^\s]/.test(line));
  const error = rest[end];
  if (error === undefined || (!isTraceback && !/^(?:Syntax|Indentation|Tab)Error: /.test(error))) return undefined;
  const after = rest.slice(end + 1);
  const more = after.slice(0, 4).filter((line) => line !== "" && line !== '"""');
  if (/^(?:The above exception was the direct|During handling of the above)/.test(more[0] ?? "")) return undefined;
  const blank = after.findIndex((line) => line === "" || !/^[-+? ]/.test(line));
  const places = [lines[at] ?? "", ...rest.slice(0, end)].flatMap((line): SourcePlace[] => {
    const [, file = "", number] = FRAME.exec(line) ?? [];
    return file === "" || isForeign(file) ? [] : [{ file: relativeFile(file, roots), line: Number(number) }];
  });
  const draft = crash("python", [error, ...after.slice(0, Math.max(0, blank))], places.at(-1));
  return { ...draft, ...unittestHeading(lines, at) };
}

function isInTraceback(lines: readonly string[], at: number): boolean {
  const before = lines.slice(Math.max(0, at - MOST_LINES), at);
  const head = before.findLastIndex((line) => /^\S/.test(line));
  return before[head]?.startsWith("Traceback ") === true;
}

/** The test of unittest whose heading stands before a traceback: `FAIL: test_a (tests.T.test_a)`, and a rule. */
function unittestHeading(lines: readonly string[], at: number): Partial<Draft> {
  const before = lines.slice(Math.max(0, at - 4), at).toReversed();
  const heading = before.find((line) => /^(?:FAIL|ERROR): \S/.test(line));
  if (heading === undefined || !before.some((line) => line.startsWith("-----"))) return {};
  return { tool: "unittest", severity: "high", category: "test", test: heading.slice(heading.indexOf(" ") + 1) };
}

function rustDraft(lines: readonly string[], at: number): Draft | undefined {
  if (!PANIC.test(lines[at] ?? "")) return undefined;
  const { message, file, line } = panicAt(lines, at);
  return file === undefined || line === undefined ? undefined : crash("rust", message.split("\n"), { file, line });
}
