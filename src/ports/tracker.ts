import type { TicketId } from "../domain/ids.ts";

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
  readonly dependsOn: readonly TicketId[];
  /** One line for the tracker's readers: who found it and why. */
  readonly note: string;
}

/** Where tickets truly live. Only the engine writes to it, and every write is read back. */
export interface Tracker {
  /** All tickets of the batch in one coherent read. Throws where any cannot be read. */
  snapshot(): Promise<readonly TrackerTicket[]>;
  /**
   * Sets a ticket's state and reads it back. Setting what is already so changes nothing.
   * `note` is one line for the tracker's readers (the merged commit, say). Throws where the read-back differs.
   */
  set(id: TicketId, state: TrackerState, note: string): Promise<void>;
  /**
   * Files a ticket that a worker found, open, and reads it back; from then on it is in every snapshot. Filing what is there
   * already with the same title changes nothing. Throws where the read-back differs, or the id is another ticket's.
   */
  file(ticket: FiledTicket): Promise<void>;
}
