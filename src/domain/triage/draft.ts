import { plainLines, plainText } from "../values/text.ts";
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
import { identityOf } from "./identity.ts";
import { relativeFile } from "./reproduce.ts";

/** A finding as a parser reads it: unbounded, with paths as the tool wrote them. */
export interface Draft {
  readonly tool: string;
  readonly severity: FindingSeverity;
  readonly category: FindingCategory;
  readonly file?: string;
  readonly line?: number;
  readonly test?: string;
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
export interface Parsed {
  readonly drafts: readonly Draft[];
  readonly counts?: TestCounts;
}

export const NOTHING_PARSED: Parsed = { drafts: [] };

/** Lines of a message that are kept, and characters of one. */
const MESSAGE_LINES = 14;
const MESSAGE_LINE_CHARS = 300;
/** Lines and characters of a message that its identity is made of: far more than what is shown (S4.37). */
const IDENTITY_LINES = 60;
const IDENTITY_LINE_CHARS = 2_000;
/** Characters of a name that are looked at: many findings may share one that is as long as the whole text. */
export const RAW_CHARS = 4_000;

/** The finding of a draft: plain, bounded, with its identity. */
export function findingOf(draft: Draft, { job, roots }: { readonly job: string; readonly roots: readonly string[] }): Finding {
  const file = draft.file === undefined ? "" : plainText(relativeFile(draft.file.slice(0, RAW_CHARS), roots), MAX_PATH);
  const test = plainText(withoutRoots((draft.test ?? "").slice(0, RAW_CHARS), roots), MAX_TEST_ID).trim();
  const whole = withoutRoots(draft.message.slice(0, IDENTITY_LINES * IDENTITY_LINE_CHARS), roots);
  const lines = messageLines(whole, { maxLines: MESSAGE_LINES, maxLength: MESSAGE_LINE_CHARS });
  const message = cut(lines.join("\n"), MAX_MESSAGE) || "(no message)";
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
    ...(isLine(draft.line) && { line: draft.line }),
    message,
    ...(draft.reproduce !== undefined && { reproduce: draft.reproduce }),
    hints: hints.slice(0, MAX_HINTS),
    identity: identityOf({ ...place, tool: draft.tool, message: full }),
  };
}

function isLine(line: number | undefined): line is number {
  return line !== undefined && Number.isSafeInteger(line) && line > 0;
}

/** Lines that are not blank, without their common indentation's excess: at most four blanks stay at the start. */
function messageLines(text: string, bounds: { readonly maxLines: number; readonly maxLength: number }): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return plainLines(lines.join("\n"), bounds).map((line) => line.trimEnd());
}

function withoutRoots(text: string, roots: readonly string[]): string {
  return roots.reduce((rest, root) => (root.length > 1 ? rest.replaceAll(`${root.replace(/\/$/, "")}/`, "") : rest), text);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
