import type { Writer } from "../../../domain/batch/schema.ts";
import type { TrackerState } from "../../../domain/run/drift-fact.ts";
import type { RepoId, TicketId } from "../../../domain/values/ids.ts";
import type { FiledTicket, TrackerTicket } from "../../../ports/tracker.ts";

/** A ticket of a service, with its text. */
export interface ServiceTicket extends TrackerTicket {
  readonly body: string;
  /** The batch's name of the repository. */
  readonly repo?: RepoId;
  readonly exclusive?: readonly string[];
  /** The writer, if the service tells. */
  readonly writer?: Writer;
}

/** A state to be written. `note` is one line for the tracker's readers. */
export interface StateWrite {
  readonly id: TicketId;
  readonly state: TrackerState;
  readonly note: string;
  /** If it is given, nothing is written if the present state is none of these, or if a person has canceled the ticket. */
  readonly from: readonly TrackerState[] | undefined;
}

/** The answer to a write: the ticket before and after it, or as it is if nothing was written. */
export type StateAnswer =
  | { readonly conflict: ServiceTicket }
  | { readonly before: ServiceTicket; readonly after: ServiceTicket };

/** The answer to filing: the ticket as it reads back, or the id of the other ticket that has this one. */
export type FileAnswer = { readonly filed: ServiceTicket } | { readonly taken: string };

/** A service, and its tickets as they were last read. */
export interface HandedOver {
  readonly service: TicketService;
  readonly tickets: ReadonlyMap<TicketId, ServiceTicket>;
}

/**
 * A tracker that answers requests: Linear, GitHub, a program of the user. Requests come one at a time. A request that comes twice has
 * the effect of one. An error's message is one line, safe for a terminal, and has no secret in it.
 */
export interface TicketService {
  /** The service as messages name it: `Linear`, `GitHub`, `the tracker program "jira.mjs"`. */
  readonly name: string;
  /**
   * Every ticket of the batch's query, and those that loopdash filed, as they were at one instant. With `changes`, the service may
   * ask only for what changed since the last call; a ticket that is gone may be noticed later then.
   */
  snapshot(how: "whole" | "changes"): Promise<ReadonlyMap<TicketId, ServiceTicket>>;
  /** Ids that no new ticket may have. */
  taken(): Promise<readonly string[]>;
  /** Looks at the ticket, and sets its state if it is another one and `from` allows it. Throws if there is no such ticket. */
  set(write: StateWrite): Promise<StateAnswer>;
  /** Files an open ticket. If one of this id and title is there, changes nothing and gives it, whatever its state. */
  file(ticket: FiledTicket): Promise<FileAnswer>;
  /** Frees what it keeps of earlier answers. */
  forget(): void;
  /** Moves an issue on which nobody works to a state of work in progress; changes no TrackerState. */
  readonly markStarted?: (id: TicketId) => Promise<void>;
  /**
   * How many writes were sent so far, carried out or not; absent if a reading shows each write at once. Soon after a write, whether
   * its answer came or not, a reading that does not show it may come from a copy that lags behind, and does not count.
   */
  readonly writesSent?: () => number;
  /**
   * The same service for these tickets alone, which goes on from what was read so far; undefined if not all of them were read. What
   * has changed since is in its next reading of changes. This service is asked for nothing more then.
   */
  readonly handOver?: (tickets: readonly TicketId[]) => HandedOver | undefined;
  /** Remarks for people on how it is read. */
  readonly notes?: () => readonly string[];
  /** Milliseconds until the next reading that its budget of requests allows; absent if it has none. */
  readonly pauseMs?: () => number;
  /** The service's own keys of the tickets it has told of, by which the oracle asks for them; absent if it has none. */
  readonly keys?: () => ReadonlyMap<TicketId, string>;
  /** The service's own ids of the repositories that it has read, by the names that begin tickets' ids; absent if it has none. */
  readonly repoIds?: () => ReadonlyMap<string, string>;
}
