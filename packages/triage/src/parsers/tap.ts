import {
  type Draft,
  type ParsedReport,
  placeAtEnd,
  placeInStack,
  relativeFile,
  runNodeTest,
  type SourcePlace,
  type TestCounts,
} from "../draft.ts";
import { MAX_BLOCKS, withoutIndent } from "./blocks.ts";

/** `not ok 3 - name # TODO`, indented by four blanks for each level of subtests (TAP 14). */
const POINT = /^( {0,240})(not )?ok\b(?: \d{1,9})?(?: - | |$)(.*)$/;
const SUBTEST = /^( {0,240})# Subtest: (\S.*)$/;
/** Lines of the diagnostics of a point that are read. */
const MOST_DIAGNOSTICS = 120;

interface Point {
  readonly path: readonly string[];
  /** The index of its line. */
  readonly at: number;
  readonly diagnostics: string[];
}

/** TAP 12 to 14, as Node's runner, tap, bats and others write it. Tolerant: a plan may be missing, the text cut. */
export function parseTap(lines: readonly string[], roots: readonly string[]): ParsedReport {
  const reader = new TapReader();
  for (const [at, line] of lines.entries()) reader.read(line, at);
  const { failed, points } = reader;
  const drafts = failed.flatMap((each) => pointDraft(each, roots) ?? []);
  const counts = countsOfNode(lines) ?? (isTap(lines) && points > 0 ? { failed: drafts.length, total: points } : undefined);
  return { drafts, counts };
}

class TapReader {
  readonly failed: Point[] = [];
  points = 0;
  /** The names of the open subtests, by level. */
  readonly #names: string[] = [];
  #open: Point | undefined;

  read(line: string, at: number): void {
    const subtest = SUBTEST.exec(line);
    const point = subtest === null ? POINT.exec(line) : null;
    if (subtest !== null) {
      this.#open = undefined;
      this.#names.splice(indentLevel(subtest[1]), this.#names.length, subtest[2] ?? "");
    } else if (point !== null) this.#readPoint(point, at);
    else if (line.trimStart() === "...") this.#open = undefined;
    else if (this.#open !== undefined && this.#open.diagnostics.length < MOST_DIAGNOSTICS) this.#open.diagnostics.push(line);
  }

  #readPoint(point: RegExpExecArray, at: number): void {
    this.points += 1;
    this.#open = failedPoint(point, this.#names, at);
    if (this.#open !== undefined && this.failed.length < MAX_BLOCKS) this.failed.push(this.#open);
  }
}

/** True if lines are TAP and not only begin with "ok". */
export function isTap(lines: readonly string[]): boolean {
  return lines.some((line) => /^(?:TAP version 1\d|1\.\.\d{1,9}(?: |$))/.test(line));
}

function indentLevel(indent = ""): number {
  return Math.floor(indent.length / 4);
}

/** A point that failed and is no TODO or SKIP. */
function failedPoint([, indent, not, rest = ""]: RegExpExecArray, names: readonly string[], at: number): Point | undefined {
  if (not === undefined || / # (?:TODO|SKIP)\b/i.test(` ${rest}`)) return undefined;
  const name = rest.replace(/ # time=\d.*/s, "").trim();
  return { path: [...names.slice(0, indentLevel(indent)), name].filter((each) => each !== ""), at, diagnostics: [] };
}

function pointDraft({ at, path, diagnostics }: Point, roots: readonly string[]): Draft | undefined {
  // Some writers indent the keys more than the line before them.
  const text = withoutIndent(diagnostics.filter((line) => line.trim() !== "---")).split("\n");
  if (text.some((line) => line.startsWith("failureType: 'subtestsFailed'"))) return undefined;
  const place = stackPlace(text);
  const ownFile = scalar(text, "location") ?? scalar(text, "file");
  const file = ownFile === undefined ? undefined : relativeFile(placeAtEnd(ownFile)?.file ?? ownFile, roots);
  const isNode = ownFile !== undefined && text.some((line) => line.startsWith("failureType: "));
  const reproduce = isNode ? runNodeTest(file, path.at(-1) ?? "") : undefined;
  const found = place ?? (file === undefined ? undefined : { file });
  return {
    tool: isNode ? "node --test" : "tap",
    severity: "high",
    category: "test",
    test: [...(file === undefined ? [] : [file]), ...path].join(" > "),
    ...found,
    at,
    message: tapMessage(text),
    ...(reproduce && { reproduce }),
  };
}

/** The value of a key of YAML that stands on its line, without its quotes. */
function scalar(lines: readonly string[], key: string): string | undefined {
  const line = lines
    .find((each) => each.startsWith(`${key}: `))
    ?.slice(key.length + 2)
    .trim();
  if (line === undefined || /^[|>]/.test(line)) return undefined;
  return line.replace(/^'(.*)'$|^"(.*)"$/, (_, single, double) => single ?? double);
}

/** The message: `error` or `message`, on its line or as a block; else comments below the point, as bats writes them. */
function tapMessage(lines: readonly string[]): string {
  const one = scalar(lines, "error") ?? scalar(lines, "message");
  const kind = scalar(lines, "name");
  if (one !== undefined) return kind?.endsWith("Error") === true && kind !== "AssertionError" ? `${kind}: ${one}` : one;
  const at = lines.findIndex((line) => /^(?:error|message): [|>]/.test(line));
  if (at >= 0) return block(lines, at);
  const values = ["expected", "actual"].flatMap((key) => comparedValue(lines, key));
  if (values.length > 0) return values.join("\n");
  return lines.flatMap((line) => /^# {1,4}(\S.*)$/.exec(line)?.[1] ?? []).join("\n");
}

/** A key with its value, as tape writes the sides of a comparison. */
function comparedValue(lines: readonly string[], key: string): readonly string[] {
  const at = lines.findIndex((line) => line.trimEnd().startsWith(`${key}:`) || line.startsWith(`${key} :`));
  if (at < 0) return [];
  const value = (lines[at] ?? "").slice((lines[at] ?? "").indexOf(":") + 1).trim();
  return [`${key}: ${/^[|>]/.test(value) ? block(lines, at) : value}`];
}

/** The lines below a key that are indented more than it. */
function block(lines: readonly string[], at: number): string {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith(" "));
  return withoutIndent(end < 0 ? rest : rest.slice(0, end));
}

/** The first place of the project in a stack, or the line that bats names. */
function stackPlace(lines: readonly string[]): SourcePlace | undefined {
  const at = lines.findIndex((line) => line.startsWith("stack: "));
  const stack = at < 0 ? [] : lines.slice(at + 1).map((line) => `at ${line.trim()}`);
  const [, file, number] = lines.flatMap(
    (line) => /^# \((?:in|from) .{0,80}file (\S{1,300}), line (\d{1,7})\)$/.exec(line) ?? [],
  );
  return placeInStack(stack) ?? (file === undefined ? undefined : { file, line: Number(number) });
}

/** The counts at the end of the output of Node's runner. */
export function countsOfNode(lines: readonly string[]): TestCounts | undefined {
  const number = (word: string) => {
    const line = lines.findLast((each) => each.startsWith(`# ${word} `) || each.startsWith(`ℹ ${word} `));
    const value = line?.slice(word.length + 3);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  };
  const [total, failed] = [number("tests"), number("fail")];
  return total === undefined || failed === undefined ? undefined : { failed, total };
}
