import { join, resolve } from "node:path";
import { isSameState, type TrackerState, textSha } from "../../domain/run/drift-fact.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { KeyedQueue } from "../../domain/values/serial-queue.ts";
import { hasErrorCode } from "../../domain/values/text.ts";
import type { UserError } from "../../domain/values/user-error.ts";
import {
  type FiledTicket,
  TicketConflict,
  TicketIdTaken,
  type Tracker,
  type TrackerTicket,
  type TrackerWrite,
} from "../../ports/tracker.ts";
import { MAX_TICKET_FILE, takenNames, unreadableFolder } from "./folder-read.ts";
import { shownFileName, tame } from "./message-text.ts";
import type { FoundTicket } from "./reading.ts";
import { CurrentReading, type FoundReading, type ThreadProgram } from "./reading-thread.ts";
import { newTicketText, withState } from "./ticket-edit.ts";
import { isTicketName, parseTicketFile } from "./ticket-file.ts";
import { watchFiles } from "./watch-files.ts";
import { makeWholeFile, readWholeFile, replaceWholeFile, type WholeFile } from "./whole-file.ts";

/** Writes of this process to each path; across processes the run's lock ensures that there is one writer. */
const writes = new KeyedQueue();

/** Attempts of a write that starts over because another process wrote the file meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * A folder of Markdown tickets that people write by hand (see readTicketFolder). All of its files are read by the thread; only the
 * file of a ticket that is written is read here. `ids` are the batch's tickets, in order; filed
 * tickets come after them, each in a new file.
 */
export function createFolderTracker(options: {
  readonly folder: string;
  readonly ids: readonly TicketId[];
  /** The thread that reads the folder; default: this one. */
  readonly thread?: ThreadProgram | undefined;
}): Tracker {
  const folder = options.folder;
  const ids = [...options.ids];
  const reading = new CurrentReading({ kind: "folder", folder }, options.thread);
  /** File name by id, from the last complete reading: saves reading every file for one write. Never trusted unchecked. */
  const names = new Map<TicketId, string>();

  /** Reads the folder, and keeps the names of the files that can be read. */
  async function readNames(): Promise<FoundReading> {
    const found = await reading.read();
    for (const [id, { file }] of found.tickets) if (file !== undefined) names.set(id, file);
    return found;
  }

  /** Every ticket of the folder. Throws if one cannot be read. */
  async function all(): Promise<ReadonlyMap<TicketId, FoundTicket>> {
    const { tickets, unreadable } = await readNames();
    if (unreadable.size > 0) throw unreadableFolder(folder, [...unreadable.values()]);
    return tickets;
  }

  async function snapshot(): Promise<readonly TrackerTicket[]> {
    const tickets = await all();
    return ids.map((id) => {
      const ticket = tickets.get(id);
      if (ticket === undefined) throw missing(folder, id);
      return ticket;
    });
  }

  async function find(id: TicketId): Promise<Found> {
    const found = await look(folder, names.get(id), id);
    if (found !== undefined) return found;
    const { unreadable } = await readNames();
    const again = await look(folder, names.get(id), id);
    if (again !== undefined) return again;
    throw unreadable.size > 0 ? unreadableFolder(folder, [...unreadable.values()]) : missing(folder, id);
  }

  return {
    snapshot,
    read: () => reading.read(),
    body: async (id) => (await find(id)).body,
    watch(changed) {
      const unwatch = watchFiles(folder, isTicketName, changed);
      return () => {
        unwatch();
        reading.close();
      };
    },
    set(id, state, note, from) {
      if (!ids.includes(id)) return Promise.reject(unreadableFolder(folder, [`ticket ${id} is not one of the batch's`]));
      return writes.run(resolve(folder), () => set(folder, () => find(id), { state, note, from }));
    },
    taken: async () => [...(await all()).keys(), ...(await takenNames(folder))],
    async file(ticket) {
      const name = await writes.run(resolve(folder), async () => add(folder, ticket, [...(await all()).values()]));
      names.set(ticket.id, name);
      if (!ids.includes(ticket.id)) ids.push(ticket.id);
    },
  };
}

interface Found {
  readonly id: TicketId;
  readonly name: string;
  readonly file: WholeFile;
  readonly state: TrackerState;
  readonly body: string;
}

async function set(
  folder: string,
  find: () => Promise<Found>,
  {
    state,
    note,
    from,
  }: { readonly state: TrackerState; readonly note: string; readonly from: readonly TrackerState[] | undefined },
): Promise<TrackerWrite> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { id, name, file, state: now } = await find();
    const before = textSha(file.text);
    if (isSameState(now, state)) return { before, after: before };
    if (from?.some((known) => isSameState(known, now)) === false) throw new TicketConflict(`somebody set ${id} to ${now.as}`);
    const text = withState(file.text, state, note);
    mustRead(folder, name, id, text, state);
    if (await replaceWholeFile(join(folder, name), text, file)) {
      const after = await look(folder, name, id);
      // Where neither text is found, a person has written the ticket since. The next reading finds that, as their act.
      if (after !== undefined && after.file.text !== file.text) return { before, after: textSha(text) };
      throw unreadableFolder(folder, [`ticket ${id} was set to ${state.as} and did not read back so`]);
    }
  }
  throw unreadableFolder(folder, ["somebody else keeps writing the ticket"]);
}

/** Makes a file for an open ticket, or finds the one that was made before; gives its name. Never writes an existing file. */
async function add(folder: string, ticket: FiledTicket, known: readonly FoundTicket[]): Promise<string> {
  const { id, title } = ticket;
  const there = known.find((t) => t.id.toLowerCase() === id.toLowerCase());
  if (there !== undefined && (there.id !== id || there.title !== title))
    throw new TicketIdTaken(unreadableFolder(folder, [`${there.id} is another ticket`]).message);
  const name = there?.file ?? `${id}.md`;
  if (there !== undefined) return name;
  const text = newTicketText(ticket);
  mustRead(folder, name, id, text, { as: "open" });
  if (!(await makeWholeFile(join(folder, name), text)))
    throw new TicketIdTaken(unreadableFolder(folder, [`${shownFileName(name)} is there already, and is not ${id}`]).message);
  const after = await look(folder, name, id);
  if (after === undefined || after.file.text !== text)
    throw unreadableFolder(folder, [`ticket ${id} was filed and did not read back so`]);
  return name;
}

/** A new text must mean what it should, before it replaces a person's text. */
function mustRead(folder: string, name: string, id: TicketId, text: string, state: TrackerState): void {
  const { ticket, problems } = parseTicketFile(name, text);
  if (ticket !== undefined && ticket.id === id && isSameState(ticket.state, state)) return;
  throw unreadableFolder(folder, [
    `${shownFileName(name)}: its state cannot be set: ${tame(problems.map((p) => p.why).join("; ")) || "it would not read back"}`,
  ]);
}

/** The ticket in the file of that name; undefined if the file is gone or has another ticket. */
async function look(folder: string, name: string | undefined, id: TicketId): Promise<Found | undefined> {
  if (name === undefined) return undefined;
  const file = await readWholeFile(join(folder, name), MAX_TICKET_FILE).catch((cause: unknown) => {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw cause;
  });
  if (file === undefined) return undefined;
  const { ticket } = parseTicketFile(name, file.text);
  return ticket === undefined || ticket.id !== id ? undefined : { id, name, file, state: ticket.state, body: ticket.body };
}

function missing(folder: string, id: TicketId): UserError {
  return unreadableFolder(folder, [`there is no ticket ${id}`]);
}
