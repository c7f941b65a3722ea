import { createHash } from "node:crypto";
import { z } from "zod";
import type { TicketId } from "../values/ids.ts";

/** Characters of a command or a path in the log; longer ones are cut, end with CUT, and `chars` says how long a command was. */
const MOST_CHARS = 4_000;
/** Bytes of such a text in the file: a character that is no plain ASCII takes six. */
const MOST_TEXT_BYTES = 8_000;
const CUT = "…";
/** Bytes of a row beside its texts, about: names, numbers and the hash. */
const FRAME_BYTES = 250;
/** Bytes of a segment. */
export const SEGMENT_BYTES = 1024 * 1024;

/**
 * `run`: a command of a shell. `edit`: a file that a tool changed; `command` is its path. `tool`: a tool that loopdash does not know, and
 * that may change something. `left-out`: so many (`rows`) could not be kept.
 */
const Kind = z.enum(["run", "edit", "tool", "left-out"]);
/** The exit code, `failed` if the program tells a failure without one, and `unknown` if it tells nothing. An edit that was made has 0. */
const Exit = z.union([z.number().int(), z.enum(["failed", "unknown"])]);
export type AuditExit = z.infer<typeof Exit>;

/** What an attempt's program did: a claim of that program. The texts are raw. */
export interface AuditEntry {
  readonly ticket: TicketId;
  readonly attempt: number;
  /** The kind of the agent in the batch. */
  readonly vendor: string;
  readonly kind: z.infer<typeof Kind>;
  readonly exit: AuditExit;
  readonly command: string;
  /** The folder, if the program tells it. */
  readonly cwd?: string;
  /** True if loopdash did not parse the command: it was too long, or the attempt had printed too much. It may only read. */
  readonly unread?: true;
  /** How many were left out. */
  readonly rows?: number;
}

/** The end of the log: its last row, and the segment that holds it. */
export interface AuditHead {
  readonly segment: number;
  readonly n: number;
  readonly hash: string;
}

/** The place behind which the next row belongs. */
export type AuditTip = Pick<AuditHead, "n" | "hash">;

/** The tip of an empty log. */
export function auditOrigin(run: string): AuditTip {
  return { n: 0, hash: sha256(`audit of ${run}`) };
}

const Of = { n: z.number().int().positive(), at: z.number(), prev: z.string() };
const Row = z.union([
  z.object({
    ...Of,
    kind: Kind,
    ticket: z.string(),
    attempt: z.number().int(),
    vendor: z.string(),
    exit: Exit,
    command: z.string(),
    cwd: z.string().optional(),
    chars: z.number().optional(),
    unread: z.literal(true).optional(),
    rows: z.number().optional(),
  }),
  // What follows the last whole row of the segment before: an engine was lost while it wrote.
  z.object({ ...Of, kind: z.literal("torn"), chars: z.number(), sha256: z.string() }),
]);
export type AuditRow = z.infer<typeof Row>;

/** A row as it is written, with its end of line, and the tip after it. `prev` is the sha256 of the line before, without its end. */
export function auditLine(tip: AuditTip, at: number, entry: AuditEntry): { readonly line: string; readonly tip: AuditTip } {
  const { command, cwd, ...rest } = entry;
  const shown = cut(command);
  const chars = shown === command ? {} : { chars: command.length };
  const folder = cwd === undefined ? {} : { cwd: cut(cwd) };
  return linked(tip, { at, ...rest, command: shown, ...chars, ...folder });
}

/** The row that accounts for what a lost engine left behind the last whole row. */
export function tornLine(tip: AuditTip, at: number, rest: string): { readonly line: string; readonly tip: AuditTip } {
  return linked(tip, { at, kind: "torn", chars: rest.length, sha256: sha256(rest) });
}

function linked(tip: AuditTip, fields: object): { readonly line: string; readonly tip: AuditTip } {
  const n = tip.n + 1;
  const text = ascii(JSON.stringify({ n, ...fields, prev: tip.hash }));
  return { line: `${text}\n`, tip: { n, hash: sha256(text) } };
}

/** A row, or undefined if the line holds none. */
export function readAuditRow(line: string): AuditRow | undefined {
  try {
    const row = Row.safeParse(JSON.parse(line));
    return row.success ? row.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The name of a segment's file. */
export function segmentName(segment: number): string {
  return `${String(segment).padStart(6, "0")}.jsonl`;
}

/** The path of a segment below the run's folder. */
export function segmentPath(segment: number): string {
  return `audit/${segmentName(segment)}`;
}

/** About how many bytes the row of a command takes in the file. */
export function rowBytes({ command, cwd = "" }: Pick<AuditEntry, "command" | "cwd">): number {
  return FRAME_BYTES + fitting(command).bytes + fitting(cwd).bytes;
}

function cut(text: string): string {
  const { end } = fitting(text);
  return end < text.length ? `${text.slice(0, end)}${CUT}` : text;
}

/** How many characters of a text fit, and the bytes that they take in the file. */
function fitting(text: string): { readonly end: number; readonly bytes: number } {
  let [bytes, end] = [0, 0];
  for (const char of text.slice(0, MOST_CHARS)) {
    const more = escapedBytes(char);
    if (bytes + more > MOST_TEXT_BYTES) break;
    bytes += more;
    end += char.length;
  }
  return { end, bytes };
}

/** The bytes of a character between the quotes of a string of JSON in ASCII (RFC 8259, section 7). */
function escapedBytes(char: string): number {
  if (char.length > 1) return 12;
  if (char >= "\u007f") return 6;
  if (char < " ") return "\b\t\n\f\r".includes(char) ? 2 : 6;
  return char === '"' || char === "\\" ? 2 : 1;
}

/** JSON with escapes for all but ASCII: any terminal may show it, and it can be cut between any two bytes. */
function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
