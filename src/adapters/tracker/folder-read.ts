import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { delays } from "../../domain/values/delays.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFew, hasErrorCode } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { FrontMatterProblem } from "./front-matter.ts";
import { shownFileName, tame } from "./message-text.ts";
import { isTicketName, parseTicketFile, type TicketContent } from "./ticket-file.ts";
import { readWholeFile, stampNow, type WholeFile } from "./whole-file.ts";

/** A ticket that a person wrote as a Markdown file. */
export interface TicketInFolder extends TicketContent {
  /** Absolute if the folder's path is. */
  readonly file: string;
}

/** The largest ticket file, the same as the oracle's bound. Bytes. */
export const MAX_TICKET_FILE = 1024 * 1024;

/** Time that a folder may keep changing while it is read. Milliseconds. */
const DEADLINE_MS = 5_000;
const AT_ONCE = 32;
const MAX_LISTED = 10;

/**
 * All tickets of a folder, in the order of their file names, as they were at one instant. `*.md` files are tickets. Hidden files,
 * README.md and sub-folders are not read, and a file without front matter is a ticket only if it has a `# heading`. All problems
 * come as one UserError (exit 2) that names file, line and remedy.
 */
export async function readTicketFolder(folder: string): Promise<readonly TicketInFolder[]> {
  const deadline = performance.now() + DEADLINE_MS;
  for (const waits = delays(20, 400); ; ) {
    const files = await readFiles(folder);
    if (files !== undefined) return readTickets(folder, files);
    const wait = waits.next().value;
    if (performance.now() + wait > deadline) throw unreadableFolder(folder, ["it kept changing while it was read"]);
    await pause(wait);
  }
}

/** The names of a folder that a new ticket may not have, also those of files that are no tickets. */
export async function takenNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).map((name) => name.replace(/\.md$/i, ""));
}

interface NamedFile {
  readonly name: string;
  readonly file: WholeFile | UserError;
}

/** Every ticket file with its text; undefined if something changed meanwhile. */
async function readFiles(folder: string): Promise<readonly NamedFile[] | undefined> {
  const names = await namesIn(folder);
  const read: (NamedFile | undefined)[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    read.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => readFile(folder, name)))));
  }
  for (const one of read) {
    if (one === undefined) return undefined;
    if (!(one.file instanceof UserError) && (await stampNow(join(folder, one.name))) !== one.file.stamp) return undefined;
  }
  if ((await namesIn(folder)).join("/") !== names.join("/")) return undefined;
  return read.filter((one) => one !== undefined);
}

/** The names of the files that can be tickets. Throws a UserError if there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    if (hasErrorCode(cause, "ENOENT", "ENOTDIR")) throw unreadableFolder(folder, ["there is no such folder"], cause);
    throw cause;
  });
  return entries.flatMap((e) => (isTicketName(e.name) && !e.isDirectory() ? [e.name] : [])).sort();
}

/** Undefined if the file is gone. A file that cannot be a ticket is given as its problem. */
async function readFile(folder: string, name: string): Promise<NamedFile | undefined> {
  try {
    return { name, file: await readWholeFile(join(folder, name), MAX_TICKET_FILE) };
  } catch (cause) {
    if (cause instanceof UserError) return { name, file: cause };
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  }
}

function readTickets(folder: string, files: readonly NamedFile[]): readonly TicketInFolder[] {
  const problems: string[] = [];
  const tickets = new Map<TicketId, TicketInFolder>();
  for (const { name, file } of files) {
    const reading = readOne(name, file);
    problems.push(...reading.problems.map((problem) => `${shownFileName(name)}${problem}`));
    if (reading.ticket === undefined) continue;
    const twin = tickets.get(reading.ticket.id);
    if (twin !== undefined)
      problems.push(`${shownFileName(name)}: it has the same id, ${twin.id}, as ${shownFileName(basename(twin.file))}`);
    tickets.set(reading.ticket.id, { ...reading.ticket, file: join(folder, name) });
  }
  if (problems.length > 0) throw unreadableFolder(folder, problems);
  return [...tickets.values()];
}

function readOne(
  name: string,
  file: WholeFile | UserError,
): { readonly ticket?: TicketContent; readonly problems: readonly string[] } {
  if (file instanceof UserError) return { problems: [`: ${file.why}`] };
  const { problems, ...reading } = parseTicketFile(name, file.text);
  return { ...reading, problems: problems.map((p) => `${p.line === undefined ? "" : `, line ${p.line}`}: ${tame(p.why)}`) };
}

/** The problems of one file as one line. */
export function shownProblem(name: string, problems: readonly FrontMatterProblem[]): string {
  const parts = problems.map(({ line, why }) => `${line === undefined ? "" : `line ${line}: `}${tame(why)}`);
  return `${shownFileName(name)}: ${parts.join("; ")}`.slice(0, 500);
}

/** One error for all problems of the folder. */
export function unreadableFolder(folder: string, problems: readonly string[], cause?: unknown): UserError {
  return new UserError({
    what: `The tickets in ${JSON.stringify(folder)} cannot be used`,
    why: firstFew(problems, MAX_LISTED).join("\n"),
    todo: "Fix the files that are named, then start again.",
    exitCode: EXIT.usage,
    cause,
  });
}
