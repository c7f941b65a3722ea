import { type FolderTicket, trackerStanding } from "../../../domain/batch/merge-folder.ts";
import { TicketSpec } from "../../../domain/batch/schema.ts";
import { isSameState, type TrackerState } from "../../../domain/run/drift-fact.ts";
import type { TicketId } from "../../../domain/values/ids.ts";
import { serialQueue } from "../../../domain/values/serial-queue.ts";
import { plainText } from "../../../domain/values/text.ts";
import {
  type FiledTicket,
  TicketConflict,
  TicketIdTaken,
  type Tracker,
  TrackerBusy,
  type TrackerWrite,
} from "../../../ports/tracker.ts";
import { noteLine, stateRecord } from "../state-record.ts";
import type { ServiceTicket, StateWrite, TicketService } from "./ticket-service.ts";

/**
 * After so long, a reading shows a write, whether its answer came or not: services answer readings from copies that lag behind.
 * Milliseconds. Nobody promises a bound; the lags that people tell of are seconds.
 */
const SETTLED_MS = 10_000;

/** When a reading is repeated that lagged behind. Milliseconds. */
const READ_AGAIN_MS = 2_000;

/**
 * The tracker of a service. `ids` are the batch's tickets, in order; filed tickets come after them. It sends one request at a time.
 * `read` are all tickets as the service has read them already: they are the first snapshot, for which nothing is asked.
 * `watch` begins to listen for changes, and returns what ends it: a webhook, for example. Without it, nothing tells of changes.
 */
export function createServiceTracker(options: {
  readonly service: TicketService;
  readonly ids: readonly TicketId[];
  readonly watch?: Tracker["watch"];
  readonly read?: ReadonlyMap<TicketId, ServiceTicket> | undefined;
  /** Milliseconds since the epoch; default: the clock of the system. */
  readonly now?: () => number;
}): Tracker {
  const ids = [...options.ids];
  const { service } = options;
  const requests = new Requests(service, options.now, options.read);
  let first = options.read;
  const found = (tickets: ReadonlyMap<TicketId, ServiceTicket>, id: TicketId): ServiceTicket => {
    const ticket = tickets.get(id);
    if (ticket === undefined) throw requests.problem(`there is no ticket ${id}`);
    return ticket;
  };
  return {
    async snapshot() {
      const tickets = first ?? (await requests.read("whole"));
      first = undefined;
      return ids.map((id) => found(tickets, id));
    },
    read: async (how = "changes") => ({ tickets: await requests.read(how), unreadable: new Map() }),
    body: async (id) => (requests.known(id) ?? found(await requests.read("whole"), id)).body,
    watch: (changed) => {
      const end = options.watch?.(changed);
      return () => {
        end?.();
        requests.forget();
      };
    },
    taken: () => requests.taken(),
    async set(id, state, note, from) {
      if (!ids.includes(id)) throw requests.problem(`ticket ${id} is not one of the batch's`);
      return await requests.set({ id, state, note, from });
    },
    async file(ticket) {
      await requests.file(ticket);
      if (!ids.includes(ticket.id)) ids.push(ticket.id);
    },
    markStarted: service.markStarted && ((id: TicketId) => requests.markStarted(id)),
    notes: service.notes,
    pauseMs: service.pauseMs,
  };
}

/**
 * All tickets of a service, for reading a batch. Throws an Error that names the first ticket that no batch may have; its message is
 * safe for a terminal.
 */
export async function readServiceTickets(service: TicketService): Promise<readonly FolderTicket[]> {
  const requests = new Requests(service);
  return [...(await requests.read("whole")).values()].map((ticket) => {
    const { id, title, body, repo, dependsOn = [], exclusive = [], writer = "unknown" } = ticket;
    const standing = trackerStanding(ticket);
    if (!TicketSpec.shape.title.safeParse(title).success)
      throw requests.problem(`the title of ticket ${id} is longer than 200 characters`);
    if (!TicketSpec.shape.body.safeParse(body).success)
      throw requests.problem(`the text of ticket ${id} is longer than 64,000 characters`);
    return { id, title: title.trim(), body, repo, dependsOn, exclusive, writer, standing, file: `ticket ${id} in the tracker` };
  });
}

/** A write whose answer was lost: a reading may not show it yet. */
interface UnconfirmedWrite {
  /** From then on, a reading that does not show it tells that it did not happen. Milliseconds since the epoch. */
  readonly until: number;
  readonly isShownBy: (ticket: ServiceTicket | undefined) => boolean;
}

const isFound = (ticket: ServiceTicket | undefined): boolean => ticket !== undefined;
const isIn =
  (state: TrackerState) =>
  (ticket: ServiceTicket | undefined): boolean =>
    ticket !== undefined && isSameState(ticket.state, state);

/** Requests to one service, one at a time, each with its answer checked; and what it answered last. */
class Requests {
  readonly #service: TicketService;
  readonly #now: () => number;
  /** Writes whose answer was lost, by ticket. */
  readonly #unconfirmed = new Map<TicketId, UnconfirmedWrite>();
  readonly #inTurn = serialQueue();
  #last: ReadonlyMap<TicketId, ServiceTicket>;
  /** Tickets that were written since the last snapshot, as they read back. */
  readonly #written = new Map<TicketId, ServiceTicket>();

  constructor(service: TicketService, now: () => number = Date.now, read: ReadonlyMap<TicketId, ServiceTicket> = new Map()) {
    this.#service = service;
    this.#now = now;
    this.#last = read;
  }

  /** Every ticket of the service's query, at one instant. */
  read(how: "whole" | "changes"): Promise<ReadonlyMap<TicketId, ServiceTicket>> {
    return this.#inTurn(() => this.#snapshot(how));
  }

  /** Shows people that work has begun. */
  markStarted(id: TicketId): Promise<void> {
    return this.#inTurn(async () => this.#service.markStarted?.(id));
  }

  /** The ids that no new ticket may have. */
  taken(): Promise<readonly string[]> {
    return this.#inTurn(() => this.#service.taken());
  }

  /** Sets a state. Throws a TicketConflict if the present one is not among `from`. */
  async set({ note, ...write }: StateWrite): Promise<TrackerWrite> {
    const { id, state, from } = write;
    for (const each of [state, ...(from ?? [])]) stateRecord(each);
    return this.#inTurn(() => this.#keepIfUnconfirmed(id, isIn(state), () => this.#set({ ...write, note: noteLine(note) })));
  }

  async #set(write: StateWrite): Promise<TrackerWrite> {
    const { id, state } = write;
    const answer = await this.#service.set(write);
    if ("conflict" in answer) return this.#conflict(write, this.#same(id, answer.conflict));
    const [before, after] = [this.#same(id, answer.before), this.#same(id, answer.after)];
    if (!isSameState(after.state, state)) throw this.problem(`ticket ${id} was set to ${state.as} and did not read back so`);
    this.#written.set(id, after);
    // A service tells when an issue was closed. What else changed, a reading of the same second may lack.
    if (before.revision !== after.revision && state.as !== "done") this.#markUnconfirmed(id, isIn(state));
    return { before: before.revision, after: after.revision };
  }

  /** Files a ticket as open, or finds it. Throws a TicketIdTaken if the id is another ticket's. */
  file(ticket: FiledTicket): Promise<void> {
    const { id } = ticket;
    const [title, body] = [ticket.title.toWellFormed(), ticket.body.toWellFormed()];
    return this.#inTurn(async () => {
      // An existing ticket is answered as it is, whatever its state and text.
      const isThere = this.known(id) !== undefined || (await this.#snapshot("whole")).has(id);
      const file = () => this.#service.file({ ...ticket, title, body, note: noteLine(ticket.note) });
      const answer = await this.#keepIfUnconfirmed(id, isFound, file);
      if ("taken" in answer) throw new TicketIdTaken(this.problem(`${plainText(answer.taken, 100)} is another ticket`).message);
      const filed = this.#same(id, answer.filed);
      const isAsSent = filed.state.as === "open" && withoutEnd(filed.body) === withoutEnd(body);
      if (filed.title !== title || !(isThere || isAsSent)) throw this.problem(`ticket ${id} was filed and did not read back so`);
      this.#written.set(id, filed);
      if (!isThere) this.#markUnconfirmed(id, isFound);
    });
  }

  /** The ticket as it was last read or written here. */
  known(id: TicketId): ServiceTicket | undefined {
    return this.#written.get(id) ?? this.#last.get(id);
  }

  /** Frees what was read, once the request under way is over: a reading of changes is nothing without what it changes. */
  forget(): void {
    void this.#inTurn(async () => {
      this.#last = new Map();
      this.#written.clear();
      this.#service.forget();
    });
  }

  problem(text: string): Error {
    return new Error(`${this.#service.name}: ${text}`);
  }

  async #snapshot(how: "whole" | "changes"): Promise<ReadonlyMap<TicketId, ServiceTicket>> {
    const begun = this.#now();
    const tickets = await this.#service.snapshot(how);
    for (const [id, { until, isShownBy }] of this.#unconfirmed) {
      if (begun >= until || isShownBy(tickets.get(id))) this.#unconfirmed.delete(id);
      else throw this.#notYet(id, until);
    }
    this.#last = tickets;
    this.#written.clear();
    return this.#last;
  }

  /** A write that fails after something was sent may have been carried out all the same. */
  async #keepIfUnconfirmed<T>(id: TicketId, isShownBy: UnconfirmedWrite["isShownBy"], write: () => Promise<T>): Promise<T> {
    const sent = this.#service.writesSent?.();
    try {
      return await write();
    } catch (error) {
      const isRefused = error instanceof TicketConflict || error instanceof TicketIdTaken;
      if (sent !== this.#service.writesSent?.() && !isRefused) this.#markUnconfirmed(id, isShownBy);
      throw error;
    }
  }

  #markUnconfirmed(id: TicketId, isShownBy: UnconfirmedWrite["isShownBy"]): void {
    if (this.#service.writesSent !== undefined) this.#unconfirmed.set(id, { until: this.#now() + SETTLED_MS, isShownBy });
  }

  #notYet(id: TicketId, until: number): TrackerBusy {
    const { message } = this.problem(`${id} was written just now, and a reading does not show it; that may be too old to tell`);
    return new TrackerBusy(message, Math.min(until, this.#now() + READ_AGAIN_MS));
  }

  /** A conflict with the wanted state itself is none: it is set. A person's hold is one, although the state is what was expected. */
  #conflict({ id, state, from }: Omit<StateWrite, "note">, now: ServiceTicket): TrackerWrite {
    if (isSameState(now.state, state)) return { before: now.revision, after: now.revision };
    if (now.held !== undefined) throw new TicketConflict(`${id} is on hold: ${plainText(now.held, 300)}`);
    if (from?.some((known) => isSameState(known, now.state)) !== false)
      throw this.problem(`it calls the state ${now.state.as} of ${id} a conflict, although the request allows it`);
    throw new TicketConflict(`somebody set ${id} to ${now.state.as}`);
  }

  #same(id: TicketId, ticket: ServiceTicket): ServiceTicket {
    if (ticket.id === id) return ticket;
    throw this.problem(`it was asked about ticket ${id} and answered with ${ticket.id}`);
  }
}

/** A text as trackers keep it: other line ends, and blanks at its end, do not count. */
function withoutEnd(text: string): string {
  return text.replace(/\r\n?/g, "\n").trimEnd();
}
