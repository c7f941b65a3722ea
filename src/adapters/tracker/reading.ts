import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { textSha } from "../../domain/run/drift-fact.ts";
import { nthDelay } from "../../domain/values/delays.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorCode, hasErrorCode } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { TrackerTicket } from "../../ports/tracker.ts";
import { type EmbeddedTicket, readEmbedded } from "./embedded-file.ts";
import { MAX_TICKET_FILE, namesIn, shownProblem, unreadableFolder } from "./folder-read.ts";
import { parseRecord } from "./state-record.ts";
import { parseTicketFile, type TicketContent } from "./ticket-file.ts";
import { readWholeFile, type Stamp, stampNow } from "./whole-file.ts";

/** The place of a local tracker. */
export type LocalTracker =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "embedded"; readonly file: string };

/** A ticket, and the name of its file if each has one of its own. */
export interface FoundTicket extends TrackerTicket {
  readonly file?: string;
}

/** The difference between a reading and the one before it, in a form that threads can exchange. */
export interface ReadingDelta {
  readonly changed: readonly FoundTicket[];
  readonly removed: readonly TicketId[];
  /** All present problems: id, or file name without `.md`, and the reason. */
  readonly unreadable: readonly (readonly [string, string])[];
}

/** Reads a tracker again and again, each time only what has changed since. */
export interface DeltaReader {
  /** Undefined if nothing has changed. Throws if the tracker as a whole cannot be read. */
  read(): Promise<ReadingDelta | undefined>;
}

/** A reader of a local tracker, which has read nothing yet. */
export function deltaReader(place: LocalTracker): DeltaReader {
  return place.kind === "folder" ? new FolderReader(place.folder) : new EmbeddedReader(place.file);
}

/** A file that was written this recently may be written again without a new stamp: file times are coarse. Milliseconds. */
const RACY_MS = 100;

/** Files that are looked at together. */
const AT_ONCE = 32;
/** How often a folder that keeps changing is read again at once; then the waits grow, until the deadline. Milliseconds. */
const ROUNDS = 4;
const FIRST_WAIT_MS = 20;
const DEADLINE_MS = 5_000;

interface Known {
  readonly stamp: string;
  /** The stamp may stay the same if the file is written again. */
  readonly racy: boolean;
  readonly ticket?: FoundTicket;
  readonly problem?: string;
  /** The last id that was read from this file. */
  readonly id?: TicketId;
}

class FolderReader implements DeltaReader {
  readonly #folder: string;
  #files = new Map<string, Known>();
  #last: ReadonlyMap<TicketId, FoundTicket> | undefined;
  #problems = "";

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(): Promise<ReadingDelta | undefined> {
    const deadline = performance.now() + DEADLINE_MS;
    for (let round = 0; performance.now() < deadline; round += 1) {
      // A round that finds every file as the last round left it has seen the folder at one instant.
      if (!(await this.#scan()) && (round > 0 || this.#last !== undefined)) return this.#delta();
      if (round >= ROUNDS) await pause(nthDelay(round - ROUNDS + 1, FIRST_WAIT_MS, 16 * FIRST_WAIT_MS));
    }
    throw unreadableFolder(this.#folder, ["it kept changing while it was read"]);
  }

  /** Reads what has changed. True if anything has. */
  async #scan(): Promise<boolean> {
    const names = await namesIn(this.#folder);
    const next = new Map<string, Known>();
    let changed = names.length !== this.#files.size;
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const batch = names.slice(at, at + AT_ONCE);
      const found = await Promise.all(batch.map((name) => this.#file(name)));
      found.forEach((known, i) => {
        const name = batch[i] as string;
        const before = this.#files.get(name);
        if (known !== undefined) next.set(name, known);
        changed ||= known?.stamp !== before?.stamp || known?.ticket?.revision !== before?.ticket?.revision;
      });
    }
    this.#files = next;
    return changed;
  }

  async #file(name: string): Promise<Known | undefined> {
    const path = join(this.#folder, name);
    const known = this.#files.get(name);
    const now = await stampNow(path);
    if (now === undefined) return undefined;
    if (known !== undefined && !known.racy && known.stamp === now) return known;
    const id = known?.id === undefined ? {} : { id: known.id };
    try {
      const file = await readWholeFile(path, MAX_TICKET_FILE);
      const racy = isRacy(file);
      const { ticket, problems } = parseTicketFile(name, file.text);
      const grave = problems.filter((problem) => problem.grave);
      if (ticket !== undefined)
        return { stamp: file.stamp, racy, id: ticket.id, ticket: { ...contentTicket(ticket, file.text), file: name } };
      return { stamp: file.stamp, racy, ...id, problem: grave.length > 0 ? shownProblem(name, grave) : undefined };
    } catch (cause) {
      if (cause instanceof UserError) return { stamp: now, racy: true, ...id, problem: `${name}: ${cause.why}` };
      if (hasErrorCode(cause, "ENOENT")) return undefined;
      // One file that may not be read is that ticket's problem, not the tracker's.
      if (hasErrorCode(cause, "EACCES", "EPERM", "EISDIR"))
        return { stamp: now, racy: true, ...id, problem: `${name}: it cannot be read (${errorCode(cause)})` };
      throw cause;
    }
  }

  #delta(): ReadingDelta | undefined {
    const tickets = new Map<TicketId, FoundTicket>();
    const unreadable = new Map<string, string>();
    for (const [name, { ticket, problem, id }] of this.#files) {
      const key = id ?? name.slice(0, -".md".length);
      if (problem !== undefined) unreadable.set(key, problem);
      if (ticket === undefined) continue;
      if (tickets.has(ticket.id)) unreadable.set(ticket.id, "two files have this id");
      tickets.set(ticket.id, ticket);
    }
    for (const id of unreadable.keys()) tickets.delete(id as TicketId);
    return this.#since(tickets, [...unreadable]);
  }

  #since(tickets: ReadonlyMap<TicketId, FoundTicket>, unreadable: readonly (readonly [string, string])[]) {
    const delta = readingDelta(this.#last, tickets, unreadable);
    const problems = JSON.stringify(unreadable);
    const isSame = this.#last !== undefined && delta.changed.length + delta.removed.length === 0 && problems === this.#problems;
    this.#last = tickets;
    this.#problems = problems;
    return isSame ? undefined : delta;
  }
}

class EmbeddedReader implements DeltaReader {
  readonly #file: string;
  #stamp: string | undefined;
  #last: ReadonlyMap<TicketId, TrackerTicket> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<ReadingDelta | undefined> {
    if (this.#stamp !== undefined && (await stampNow(this.#file)) === this.#stamp) return undefined;
    const read = await readEmbedded(this.#file);
    if (read === undefined) throw new Error(`the tracker file ${JSON.stringify(this.#file)} is not there`);
    const unreadable: [string, string][] = [];
    const tickets = new Map<TicketId, TrackerTicket>();
    for (const each of read.tickets) {
      const ticket = embeddedTicket(each);
      if ("problem" in ticket) unreadable.push([each.id, ticket.problem]);
      else tickets.set(each.id, ticket);
    }
    const delta = readingDelta(this.#last, tickets, unreadable);
    this.#last = tickets;
    this.#stamp = isRacy(read.file) ? undefined : read.file.stamp;
    return delta;
  }
}

function isRacy({ changedMs }: Stamp): boolean {
  return Math.abs(Date.now() - changedMs) < RACY_MS;
}

function readingDelta(
  last: ReadonlyMap<TicketId, FoundTicket> | undefined,
  tickets: ReadonlyMap<TicketId, FoundTicket>,
  unreadable: ReadingDelta["unreadable"],
): ReadingDelta {
  const changed = [...tickets.values()].filter(({ id, revision, file }) => {
    const before = last?.get(id);
    return before?.revision !== revision || before.file !== file;
  });
  const removed = [...(last?.keys() ?? [])].filter((id) => !tickets.has(id));
  return { changed, removed, unreadable };
}

/** A ticket of a folder for readers; `text` is its whole file. */
export function contentTicket({ id, title, body, state, dependsOn }: TicketContent, text: string): TrackerTicket {
  return { id, title, state, revision: textSha(text), titleSha: textSha(title), bodySha: textSha(body), dependsOn };
}

/** A ticket of an embedded tracker for readers, or the reason that its state is none. */
export function embeddedTicket(ticket: EmbeddedTicket): TrackerTicket | { readonly problem: string } {
  const { id, title, body } = ticket;
  const state = parseRecord(ticket);
  if ("problem" in state) return state;
  return { id, title, state, revision: textSha(JSON.stringify(ticket)), titleSha: textSha(title), bodySha: textSha(body) };
}
