import type { RepoId, TicketId } from "../domain/values/ids.ts";

/** What a tracker can say of a ticket, in loopdash's words. Anything a tracker cannot map is an error, not "open". */
export type TrackerState =
  | { readonly as: "open" }
  | { readonly as: "done" }
  | { readonly as: "human-gated"; readonly step: string };

export interface TrackerTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly state: TrackerState;
}

/** A discovered ticket, as the tracker is to hold it. */
export interface FiledTicket {
  readonly id: TicketId;
  readonly title: string;
  readonly body: string;
  /** The batch's name of the repository that it changes. */
  readonly repo: RepoId;
  /** One line for the tracker's readers: who found it. */
  readonly note: string;
}

/** Where tickets truly live. Only the engine writes to it, and every write is read back. */
export interface Tracker {
  /** All tickets of the batch in one coherent read, those that were filed last. Throws where any cannot be read. */
  snapshot(): Promise<readonly TrackerTicket[]>;
  /** Names that no new ticket may have, whatever their case: the ids of all tickets that the tracker holds, of the batch or not. */
  taken(): Promise<readonly string[]>;
  /**
   * Sets a ticket's state and reads it back. Setting what is already so changes nothing.
   * `note` is one line for the tracker's readers (the merged commit, say). Throws where the read-back differs.
   */
  set(id: TicketId, state: TrackerState, note: string): Promise<void>;
  /**
   * Files a ticket that a worker found, open, and reads it back; from then on it is in every snapshot. Filing what is there
   * already with the same title changes nothing, whatever its state. Throws where the read-back differs, or the id is another
   * ticket's; that one is left as it is.
   */
  file(ticket: FiledTicket): Promise<void>;
}
