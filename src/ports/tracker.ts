import type { TrackedWords, TrackerState } from "../domain/run/drift-fact.ts";
import type { RepoId, TicketId } from "../domain/values/ids.ts";

/** A ticket as the tracker holds it. Its body is given by `body` alone, because few readers need it. */
export interface TrackerTicket extends TrackedWords {
  readonly id: TicketId;
  readonly title: string;
  readonly state: TrackerState;
  /** Hash of everything that the tracker keeps of the ticket, notes included. Equal revisions mean that nobody touched it. */
  readonly revision: string;
  /** Where people find it in a browser; absent if nowhere. */
  readonly url?: string;
  /** What people call it there, if that is not its id: `ENG-31`, `#31`. */
  readonly serviceId?: string;
  /**
   * The reason why nobody may work on it now, although it is open: it is canceled, or waits for a ticket that is not in the batch.
   * Safe for a terminal.
   */
  readonly held?: string;
  /** The commit in answer to which an integration, and no person, set the present state. */
  readonly setByCommit?: string;
}

/** One coherent reading of a tracker. */
export interface TrackerReading {
  /** Tickets that can be read, whether the batch names them or not. */
  readonly tickets: ReadonlyMap<TicketId, TrackerTicket>;
  /** The reasons why tickets cannot be read, as far as their ids are known. Safe for a terminal. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** A write: the revision that it replaced, and the one that it made. They are equal if nothing had to be written. */
export interface TrackerWrite {
  readonly before: string;
  readonly after: string;
}

/** The tracker answers no requests for now. The call may be repeated from `retryAt` on, milliseconds since the epoch. */
export class TrackerBusy extends Error {
  override readonly name = "TrackerBusy";
  readonly retryAt: number;

  constructor(message: string, retryAt: number) {
    super(message);
    this.retryAt = retryAt;
  }
}

/** A write was refused, because somebody else changed the ticket's state. */
export class TicketConflict extends Error {
  override readonly name = "TicketConflict";
}

/** A discovered ticket, as filed in the tracker. */
export interface FiledTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  /** The batch's name of the repository that it changes. */
  readonly repo: RepoId;
  /** Tickets that must be done first. */
  readonly dependsOn?: readonly TicketId[];
  /** Names that no other ticket may use meanwhile. */
  readonly exclusive?: readonly string[];
  /** One line for the tracker's readers: who found it. */
  readonly note: string;
}

/** A ticket cannot be filed, because its id is another ticket's. The tracker would answer the same again. */
export class TicketIdTaken extends Error {
  override readonly name = "TicketIdTaken";
}

/** The home of the tickets. People may write it at any time; every write of the engine is read back. */
export interface Tracker {
  /** All tickets of the batch in one coherent read, filed ones last. Throws if any cannot be read. */
  snapshot(): Promise<readonly TrackerTicket[]>;
  /**
   * One coherent reading of all that can be read, for noticing people's acts. It costs the event loop little, however
   * many tickets there are. With `changes`, the default, a tracker of a service may ask only for what changed since the last reading.
   * Throws if the tracker as a whole cannot be read.
   */
  read(how?: "whole" | "changes"): Promise<TrackerReading>;
  /** A ticket's text. Throws if it cannot be read. */
  body(id: TicketId): Promise<string>;
  /**
   * Calls `changed` soon after something may have changed. Best effort: it may miss changes. The returned function ends it, and
   * frees what `read` keeps.
   */
  watch(changed: () => void): () => void;
  /** Names that no new ticket may have, in any case: the ids of all tickets in the tracker, of the batch or not. */
  taken(): Promise<readonly string[]>;
  /**
   * Sets a ticket's state and reads it back. Setting the present state changes nothing. `note` is one line for the tracker's
   * readers (the merged commit, for example). If `from` is given and the present state is none of them, nothing is written and a
   * TicketConflict is thrown. Throws if it reads back as before. What a person wrote in the meantime stays, and is theirs.
   */
  set(id: TicketId, state: TrackerState, note: string, from?: readonly TrackerState[]): Promise<TrackerWrite>;
  /**
   * Files a ticket that a worker found as open, and reads it back. It is in every later snapshot. Filing an existing ticket with
   * the same title changes nothing, whatever its state. Throws if the read-back differs, and TicketIdTaken if the id is another
   * ticket's, which is left as it is.
   */
  file(ticket: FiledTicket): Promise<void>;
  /** Shows people that work on a ticket has begun; changes no state of loopdash's. Absent if the tracker has no such state. */
  readonly markStarted?: (id: TicketId) => Promise<void>;
  /** Remarks for people on how it is read; absent or empty if there are none. */
  readonly notes?: () => readonly string[];
  /** Milliseconds until the next reading that the tracker's budget of requests allows; absent if it has none. */
  readonly pauseMs?: () => number;
}
