import type { RepoId, TicketId } from "../domain/values/ids.ts";

/** The state of a ticket, in loopdash's words. If a tracker cannot map its state, that is an error, not "open". */
export type TrackerState =
  | { readonly as: "open" }
  | { readonly as: "done" }
  | { readonly as: "human-gated"; readonly step: string };

export interface TrackerTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly state: TrackerState;
}

/** A discovered ticket, as filed in the tracker. */
export interface FiledTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  /** The batch's name of the repository that it changes. */
  readonly repo: RepoId;
  /** One line for the tracker's readers: who found it. */
  readonly note: string;
}

/** A ticket cannot be filed, because its id is another ticket's. The tracker would answer the same again. */
export class TicketIdTaken extends Error {
  override readonly name = "TicketIdTaken";
}

/** The home of the tickets. Only the engine writes to it, and every write is read back. */
export interface Tracker {
  /** All tickets of the batch in one coherent read, filed ones last. Throws if any cannot be read. */
  snapshot(): Promise<readonly TrackerTicket[]>;
  /** Names that no new ticket may have, in any case: the ids of all tickets in the tracker, of the batch or not. */
  taken(): Promise<readonly string[]>;
  /**
   * Sets a ticket's state and reads it back. Setting the present state changes nothing. `note` is one line for the tracker's
   * readers (the merged commit, for example). Throws if the read-back differs.
   */
  set(id: TicketId, state: TrackerState, note: string): Promise<void>;
  /**
   * Files a ticket that a worker found as open, and reads it back. It is in every later snapshot. Filing an existing ticket with
   * the same title changes nothing, whatever its state. Throws if the read-back differs, and TicketIdTaken if the id is another
   * ticket's, which is left as it is.
   */
  file(ticket: FiledTicket): Promise<void>;
}
