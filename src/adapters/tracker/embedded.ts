import { basename, dirname, resolve } from "node:path";
import { isSameState, type TrackerState } from "../../domain/run/drift-fact.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { KeyedQueue } from "../../domain/values/serial-queue.ts";
import {
  type FiledTicket,
  TicketConflict,
  TicketIdTaken,
  type Tracker,
  type TrackerTicket,
  type TrackerWrite,
} from "../../ports/tracker.ts";
import { brokenTracker, type EmbeddedRead, type EmbeddedTicket, embeddedText, readEmbedded } from "./embedded-file.ts";
import { embeddedTicket } from "./reading.ts";
import { CurrentReading, type ThreadProgram } from "./reading-thread.ts";
import { noteLine, stateRecord } from "./state-record.ts";
import { watchFiles } from "./watch-files.ts";
import { replaceWholeFile } from "./whole-file.ts";

/** Attempts of a write that starts over because another process wrote the file meanwhile. */
const MAX_ATTEMPTS = 5;

/** Writes of this process to each path; across processes the run's lock ensures that there is one writer. */
const writes = new KeyedQueue();

/**
 * The tracker of a batch with inline tickets: one JSON file in the run's folder. `ids` are the batch's tickets, in order; filed
 * tickets come after them.
 */
export function createEmbeddedTracker(options: {
  readonly file: string;
  readonly ids: readonly TicketId[];
  /** The thread in which `read` reads; default: this one. */
  readonly thread?: ThreadProgram | undefined;
}): Tracker {
  const { file } = options;
  const ids = [...options.ids];
  const reading = new CurrentReading({ kind: "embedded", file }, options.thread);
  return {
    async snapshot() {
      const { tickets } = await existing(file);
      const byId = new Map(tickets.map((t) => [t.id, t]));
      return ids.map((id) => trackerTicket(file, id, byId.get(id)));
    },
    read: () => reading.read(),
    async body(id) {
      const ticket = (await existing(file)).tickets.find((t) => t.id === id);
      if (ticket === undefined) throw brokenTracker(file, `ticket ${id} is not in it`);
      return ticket.body;
    },
    watch(changed) {
      const unwatch = watchFiles(dirname(file), (name) => name === basename(file), changed);
      return () => {
        unwatch();
        reading.close();
      };
    },
    set(id, state, note, from) {
      if (!ids.includes(id)) return Promise.reject(brokenTracker(file, `ticket ${id} is not one of the batch's`));
      return writes.run(resolve(file), () => set(file, id, { state, note, from }));
    },
    async taken() {
      return (await existing(file)).tickets.map((ticket) => ticket.id);
    },
    async file(ticket) {
      await writes.run(resolve(file), () => add(file, ticket));
      if (!ids.includes(ticket.id)) ids.push(ticket.id);
    },
  };
}

/**
 * Makes the tracker file, or adds the tickets that it does not have yet. Existing tickets keep their state and take over title
 * and body; none is ever removed. Safe to repeat.
 */
export function seedEmbeddedTracker(
  file: string,
  tickets: readonly { readonly id: TicketId; readonly title: string; readonly body: string }[],
): Promise<void> {
  return writes.run(resolve(file), async () => {
    const before = await readEmbedded(file);
    const merged = new Map<TicketId, EmbeddedTicket>((before?.tickets ?? []).map((t) => [t.id, t]));
    for (const { id, title, body } of tickets) {
      const { state = "open" as const, ...kept } = merged.get(id) ?? {};
      merged.set(id, { ...kept, id, title, body, state });
    }
    const text = embeddedText([...merged.values()]);
    if (before?.file.text === text) return;
    if (!(await replaceWholeFile(file, text, before?.file))) throw brokenTracker(file, "somebody else is writing it");
    if ((await readEmbedded(file))?.file.text !== text) throw brokenTracker(file, "it does not hold what was just written to it");
  });
}

async function set(
  file: string,
  id: TicketId,
  {
    state,
    note,
    from,
  }: { readonly state: TrackerState; readonly note: string; readonly from: readonly TrackerState[] | undefined },
): Promise<TrackerWrite> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = await existing(file);
    const now = trackerTicket(
      file,
      id,
      before.tickets.find((t) => t.id === id),
    );
    if (isSameState(now.state, state)) return { before: now.revision, after: now.revision };
    if (from?.some((known) => isSameState(known, now.state)) === false)
      throw new TicketConflict(`somebody set ${id} to ${now.state.as}`);
    const next = before.tickets.map((t) => (t.id === id ? withState(t, state, note) : t));
    if (await replaceWholeFile(file, embeddedText(next), before.file)) {
      const after = trackerTicket(
        file,
        id,
        (await existing(file)).tickets.find((t) => t.id === id),
      );
      if (isSameState(after.state, state)) return { before: now.revision, after: after.revision };
      throw brokenTracker(file, `ticket ${id} was set to ${state.as} and did not read back so`);
    }
  }
  throw brokenTracker(file, "somebody else keeps writing it");
}

/** Adds an open ticket at the end, or finds it if it was added before. */
async function add(file: string, { id, title, body, note }: FiledTicket): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = await existing(file);
    const known = before.tickets.find((t) => t.id.toLowerCase() === id.toLowerCase());
    if (known !== undefined && (known.id !== id || known.title !== title))
      throw new TicketIdTaken(brokenTracker(file, `${known.id} is another ticket`).message);
    if (known !== undefined) return;
    const added: EmbeddedTicket = { id, title, body, state: "open", note: noteLine(note) };
    if (await replaceWholeFile(file, embeddedText([...before.tickets, added]), before.file)) {
      const after = (await existing(file)).tickets.find((t) => t.id === id);
      if (after !== undefined && after.title === title && after.body === body && after.state === "open") return;
      throw brokenTracker(file, `ticket ${id} was filed and did not read back so`);
    }
  }
  throw brokenTracker(file, "somebody else keeps writing it");
}

function withState(ticket: EmbeddedTicket, state: TrackerState, note: string): EmbeddedTicket {
  const { id, title, body } = ticket;
  const { humanStep } = stateRecord(state);
  const line = noteLine(note);
  return { id, title, body, state: state.as, humanStep, note: line || undefined };
}

async function existing(file: string): Promise<EmbeddedRead> {
  const read = await readEmbedded(file);
  if (read === undefined) throw brokenTracker(file, "it is not there");
  return read;
}

function trackerTicket(file: string, id: TicketId, ticket: EmbeddedTicket | undefined): TrackerTicket {
  if (ticket === undefined) throw brokenTracker(file, `ticket ${id} is not in it`);
  const read = embeddedTicket(ticket);
  if ("problem" in read) throw brokenTracker(file, `ticket ${id}: ${read.problem}`);
  return read;
}
