import { collapseRepeats, plainLines, plainText } from "@loopdash/values";
import {
  type Finding,
  type FindingCategory,
  type FindingSeverity,
  MAX_HINT,
  MAX_HINTS,
  MAX_MESSAGE,
  MAX_NAME,
  MAX_PATH,
  MAX_TEST_ID,
} from "./finding.ts";
import { findingIdentity } from "./identity.ts";

/** A finding as a parser reads it: unbounded, with paths as the tool wrote them. */
export interface Draft {
  readonly tool: string;
  readonly severity: FindingSeverity;
  readonly category: FindingCategory;
  readonly file?: string;
  readonly line?: number;
  readonly test?: string;
  /** The line of the log that begins it, from 0. */
  readonly at?: number;
  /** Empty if it said nothing. */
  readonly message: string;
  readonly reproduce?: readonly string[];
  readonly hints?: readonly string[];
}

/** The number of tests that ran and of those that failed, as a tool counts them. */
export interface TestCounts {
  readonly failed: number;
  readonly total: number;
}

/** The result of a parser. */
export interface ParsedReport {
  readonly drafts: readonly Draft[];
  readonly counts?: TestCounts;
}

/** The message of a failure that said nothing of its own. */
export const UNTOLD = "it failed without a message";

export const NOTHING_PARSED: ParsedReport = { drafts: [] };

/** Lines of a message that are kept, and characters of one. */
const MESSAGE_LINES = 14;
const MESSAGE_LINE_CHARS = 300;
/** Lines and characters of a message that its identity is made of: far more than what is shown (S4.37). */
const IDENTITY_LINES = 60;
const IDENTITY_LINE_CHARS = 2_000;
/** Characters of a name that are looked at: many findings may share one that is as long as the whole text. */
export const RAW_CHARS = 4_000;

/** The finding of a draft: plain, bounded, with its identity. */
export function toFinding(draft: Draft, { job, roots }: { readonly job: string; readonly roots: readonly string[] }): Finding {
  const file = draft.file === undefined ? "" : plainText(relativeFile(draft.file.slice(0, RAW_CHARS), roots), MAX_PATH);
  const test = plainText(withoutRoots((draft.test ?? "").slice(0, RAW_CHARS), roots), MAX_TEST_ID).trim();
  const whole = withoutRoots((draft.message.trim() || UNTOLD).slice(0, IDENTITY_LINES * IDENTITY_LINE_CHARS), roots);
  const lines = messageLines(whole, { maxLines: MESSAGE_LINES, maxLength: MESSAGE_LINE_CHARS });
  const message = cut(lines.join("\n"), MAX_MESSAGE) || UNTOLD;
  const full = messageLines(whole, { maxLines: IDENTITY_LINES, maxLength: IDENTITY_LINE_CHARS }).join("\n");
  const hints = (draft.hints ?? [])
    .map((hint) => plainText(hint.slice(0, RAW_CHARS), MAX_HINT).trim())
    .filter((hint) => hint !== "");
  const place = { ...(file !== "" && { file }), ...(test !== "" && { test }) };
  return {
    tool: plainText(draft.tool.slice(0, RAW_CHARS), MAX_NAME).trim() || "tool",
    severity: draft.severity,
    category: draft.category,
    job: plainText(job.slice(0, RAW_CHARS), MAX_NAME).trim() || "check",
    ...place,
    line: isLine(draft.line) ? draft.line : undefined,
    at: draft.at,
    message,
    reproduce: draft.reproduce,
    hints: hints.slice(0, MAX_HINTS),
    identity: findingIdentity({ ...place, tool: draft.tool, message: full }),
  };
}

function isLine(line: number | undefined): line is number {
  return line !== undefined && Number.isSafeInteger(line) && line > 0;
}

/** Lines that are not blank, without their common indentation's excess: at most four blanks stay at the start. */
function messageLines(text: string, bounds: { readonly maxLines: number; readonly maxLength: number }): readonly string[] {
  const lines = collapseRepeats(text.split("\n").filter((line) => line.trim() !== ""));
  return plainLines(lines.join("\n"), bounds).map((line) => line.trimEnd());
}

function withoutRoots(text: string, roots: readonly string[]): string {
  return roots.reduce((rest, root) => (root.length > 1 ? rest.replaceAll(`${root.replace(/\/$/, "")}/`, "") : rest), text);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Names of tests that a command may hold: printable, of one line, and no option. */
function isSafeName(name: string): boolean {
  return name.length > 0 && name.length <= 200 && !name.startsWith("-") && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(name);
}

/** A name as a pattern that matches it alone. */
function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function ifFile(file: string | undefined, argv: (file: string) => readonly string[]): readonly string[] | undefined {
  return file !== undefined && isSafeFile(file) ? argv(file) : undefined;
}

/** The command that runs a test of vitest or jest; the whole file if its name cannot stand in a command. Titles are joined by blanks. */
export function runJsTest(
  runner: "vitest" | "jest",
  file: string | undefined,
  titles: readonly string[],
): readonly string[] | undefined {
  const name = titles.join(" ");
  const start = runner === "vitest" ? ["npx", "--no", "vitest", "run"] : ["npx", "--no", "jest"];
  return ifFile(file, (safe) => [...start, safe, ...(isSafeName(name) ? ["-t", asPattern(name)] : [])]);
}

/** The command that runs a test of Node's runner. */
export function runNodeTest(file: string | undefined, name: string): readonly string[] | undefined {
  const pattern = isSafeName(name) ? [`--test-name-pattern=^${asPattern(name)}$`] : [];
  return ifFile(file, (safe) => ["node", "--test", ...pattern, safe]);
}

/** The command that runs a test of pytest by its node id; the whole file if the id cannot stand in a command. */
export function runPytest(nodeId: string): readonly string[] | undefined {
  const at = nodeId.indexOf("::");
  const file = at < 0 ? nodeId : nodeId.slice(0, at);
  const rest = at < 0 ? "" : nodeId.slice(at);
  return ifFile(file, (safe) => ["python", "-m", "pytest", isSafeName(rest) ? `${safe}${rest}` : safe]);
}

/** The command that runs a test of Go. `goPackage` is its import path. */
export function runGoTest(goPackage: string | undefined, test: string): readonly string[] | undefined {
  if (goPackage === undefined || !/^[\w.][\w./~-]{0,200}$/.test(goPackage) || !isSafeName(test)) return undefined;
  const pattern = test.split("/").map((name) => `^${asPattern(name)}$`);
  return ["go", "test", goPackage, "-run", pattern.join("/")];
}

/** The command that runs a test of cargo; undefined for an example in the documentation. */
export function runCargoTest(test: string): readonly string[] | undefined {
  return /^[\w:]{1,200}$/.test(test) ? ["cargo", "test", test, "--", "--exact"] : undefined;
}

/** The command that runs a linter on one file. */
export function runOnFile(argv: readonly string[], file: string | undefined): readonly string[] | undefined {
  return ifFile(file, (safe) => [...argv, safe]);
}

/** A command as a person can paste it: each word that a shell could read otherwise stands in single quotes. */
export function shellWords(argv: readonly string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** A place in a file. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
}

/** The line and the column at the end of a text, perhaps in brackets. Its repeats are bounded, so a search is linear. */
const AT_END = /:(\d{1,7})(?::(\d{1,7}))?\)?$/;

/** The place at the end of a line of a stack: `at f (src/a.ts:3:5)`, ` ❯ src/a.ts:3:5`, `at file:///src/a.mjs:3:5`. */
export function placeAtEnd(text: string): SourcePlace | undefined {
  const found = AT_END.exec(text.trimEnd());
  if (found === null) return undefined;
  const before = text.slice(0, found.index);
  const bracket = before.lastIndexOf("(");
  const file = (bracket >= 0 ? before.slice(bracket + 1) : before.slice(before.lastIndexOf(" ") + 1)).trim();
  const line = Number(found[1]);
  return file === "" || line < 1 ? undefined : { file, line };
}

/** Frames of the runner, the language and installed packages: no place of the failure. */
const FOREIGN = ["node_modules/", "node:", "<anonymous>", "site-packages/", "/rustc/", "/lib/python", "<frozen"];

/** True if a frame of a stack lies outside the project. */
export function isForeign(file: string): boolean {
  return FOREIGN.some((part) => file.includes(part)) || !file.includes(".");
}

/** The first place in a stack that belongs to the project. */
export function placeInStack(lines: readonly string[]): SourcePlace | undefined {
  for (const line of lines) {
    if (!isFrame(line)) continue;
    const place = placeAtEnd(line);
    if (place !== undefined && !isForeign(place.file)) return place;
  }
  return undefined;
}

/** True for a line of a stack of V8, Java, vitest or ava. */
export function isFrame(line: string): boolean {
  const text = line.trimStart();
  return /^(?:at|[❯›]) /.test(text);
}

/** Folders into which CI services check a repository out. */
const CHECKOUTS = [
  /^\/home\/runner\/work\/[^/]{1,200}\/[^/]{1,200}\//,
  /^\/Users\/runner\/work\/[^/]{1,200}\/[^/]{1,200}\//,
  /^[A-Za-z]:\/a\/[^/]{1,200}\/[^/]{1,200}\//,
  /^\/__w\/[^/]{1,200}\/[^/]{1,200}\//,
  /^\/builds\/[^/]{1,200}\/[^/]{1,200}\//,
  /^\/github\/workspace\//,
];

/** A path as the tool wrote it, relative to the repository if it lies below one of the roots or in a known checkout. */
export function relativeFile(path: string, roots: readonly string[]): string {
  const plain = unescaped(path.trim()).replaceAll("\\", "/");
  const root = roots.find((each) => each.length > 1 && plain.startsWith(`${each.replace(/\/$/, "")}/`));
  if (root !== undefined) return withoutDots(plain.slice(root.replace(/\/$/, "").length + 1));
  const checkout = CHECKOUTS.map((pattern) => pattern.exec(plain)?.[0]).find((found) => found !== undefined);
  return withoutDots(checkout === undefined ? plain : plain.slice(checkout.length));
}

function withoutDots(path: string): string {
  let at = 0;
  while (path.startsWith("./", at)) at += 2;
  return path.slice(at);
}

function unescaped(path: string): string {
  return path.startsWith("file:///") ? path.slice("file://".length) : path;
}

/** True for a path that a command may name: relative, within the repository, of plain characters, and no option. */
function isSafeFile(file: string): boolean {
  if (file.length > 300 || !/^[\w@.+][\w@.+,=~()[\] /-]*$/.test(file)) return false;
  return !file.split("/").some((name) => name === "" || name === "..");
}
