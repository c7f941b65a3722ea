import type { Ticket } from "../../../src/domain/batch/schema.ts";
import { isSameState, type TrackerState, textSha } from "../../../src/domain/run/drift-fact.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { TicketConflict, type Tracker, type TrackerTicket } from "../../../src/ports/tracker.ts";

/** A ticket as people and the engine see it in the tracker. */
export interface FakeTicket {
  readonly title: string;
  readonly body: string;
  readonly dependsOn: readonly TicketId[];
  readonly state: TrackerState;
  /** The reason why nobody may work on it. */
  readonly held?: string;
  /** The engine's notes. */
  readonly notes: readonly string[];
}

/** A tracker in memory. `isAway`: every call fails. */
export class FakeTracker {
  readonly tickets = new Map<TicketId, FakeTicket>();
  isAway = false;
  readonly #ids: readonly TicketId[];
  #changed: () => void = () => undefined;

  constructor(tickets: readonly Ticket[]) {
    this.#ids = tickets.map(({ id }) => id);
    for (const { id, title, body, dependsOn } of tickets)
      this.tickets.set(id, { title, body, dependsOn, state: { as: "open" }, notes: [] });
  }

  /** A person's act. Undefined: the ticket is gone. */
  write(id: TicketId, ticket: FakeTicket | undefined): void {
    if (ticket === undefined) this.tickets.delete(id);
    else this.tickets.set(id, ticket);
    this.#changed();
  }

  /** The tracker goes away, or is back. */
  setAway(isAway: boolean): void {
    this.isAway = isAway;
    this.#changed();
  }

  #read(id: TicketId): TrackerTicket | undefined {
    const ticket = this.tickets.get(id);
    if (ticket === undefined) return undefined;
    const { title, body, dependsOn, state, held } = ticket;
    return {
      id,
      title,
      state,
      ...(held !== undefined && { held }),
      titleSha: textSha(title),
      bodySha: textSha(body),
      dependsOn,
      revision: textSha(JSON.stringify(ticket)),
    };
  }

  #must(id: TicketId): TrackerTicket {
    const ticket = this.#read(id);
    if (ticket === undefined) throw new Error(`there is no ticket ${id}`);
    return ticket;
  }

  #call<T>(work: () => T): Promise<T> {
    return Promise.resolve().then(() => {
      if (this.isAway) throw new Error("the tracker is away");
      return work();
    });
  }

  /** The engine's port to it. */
  port(): Tracker {
    return {
      snapshot: () => this.#call(() => this.#ids.map((id) => this.#must(id))),
      read: () =>
        this.#call(() => ({
          tickets: new Map([...this.tickets.keys()].map((id) => [id, this.#must(id)])),
          unreadable: new Map(),
        })),
      body: (id) => this.#call(() => (this.#must(id), this.tickets.get(id)?.body ?? "")),
      watch: (changed) => {
        this.#changed = changed;
        return () => {
          this.#changed = () => undefined;
        };
      },
      taken: () => this.#call(() => [...this.tickets.keys()]),
      set: (id, state, note, from) =>
        this.#call(() => {
          const { state: now, revision: before } = this.#must(id);
          if (isSameState(now, state)) return { before, after: before };
          if (from?.some((known) => isSameState(known, now)) === false)
            throw new TicketConflict(`somebody set ${id} to ${now.as}`);
          const ticket = this.tickets.get(id) as FakeTicket;
          this.tickets.set(id, { ...ticket, state, notes: [...ticket.notes, note] });
          return { before, after: this.#must(id).revision };
        }),
      file: () => Promise.reject(new Error("nobody files a ticket here")),
    };
  }
}
