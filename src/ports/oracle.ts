import type { Judgement } from "../domain/run/event.ts";
import type { TicketEvidence } from "../domain/run/oracle-evidence.ts";
import type { TicketId } from "../domain/values/ids.ts";

/** The place that the oracle reads. Paths are absolute. */
export type TrackerPlace =
  | { readonly kind: "embedded"; readonly file: string }
  | { readonly kind: "folder"; readonly folder: string }
  /** `program` is the frozen command that prints all tickets; it runs in `folder`. */
  | { readonly kind: "command"; readonly program: string; readonly folder: string }
  | ServicePlace;

/** A service that keeps the tickets. */
export interface ServicePlace {
  readonly kind: "linear" | "github";
  /** What a ticket is that was canceled, or closed as a duplicate or not planned. */
  readonly canceled: "open" | "settled";
  /** The service's own key of each ticket, by its id. */
  readonly keys: Readonly<Record<string, string>>;
  /** GitHub's repositories by the names that begin tickets' ids, as owner/name. */
  readonly repos: Readonly<Record<string, string>>;
  /** GitHub's own ids of them, which stay if one is renamed or gets another owner; absent for Linear. */
  readonly repoIds?: Readonly<Record<string, string>>;
  /** The file of tickets in place of the service, for a canary. */
  readonly file?: string;
}

/** A place that is asked and not read from a disk. */
export type AskedPlace = Extract<TrackerPlace, { kind: "command" }> | ServicePlace;

/**
 * Gives what the frozen program of a tracker prints now, or what a service answers, as text. Throws if it is not whole. `tickets`
 * are those that a service is asked for.
 */
export type ReadListing = (tracker: AskedPlace, tickets: readonly TicketId[], signal?: AbortSignal) => Promise<string>;

/** The oracle's input. */
export interface OracleBatch {
  readonly version: 1;
  readonly tracker: TrackerPlace;
  readonly tickets: readonly TicketId[];
}

/** The exit authority, run as its own process from frozen bytes. */
export interface Oracle {
  /** sha256 of the bytes that every judgement runs. */
  readonly sha: string;
  /**
   * Runs the oracle once. Never throws: every failure is an `unjudged` judgement with its problem. A judgement in the
   * `background` gives way to other work.
   */
  judge(signal?: AbortSignal, how?: "background"): Promise<Judgement & Pick<Judging, "evidence">>;
}

/** A judgement, and the exit code of its process; undefined if the process was killed. */
export interface Judging {
  readonly judgement: Judgement;
  readonly exitCode: number | undefined;
  /** The oracle's evidence on each ticket, if it gave any. It is only shown; nothing is decided by it. */
  readonly evidence?: readonly TicketEvidence[];
}

/** A judgement with its evidence. */
export function withEvidence({ judgement, evidence }: Omit<Judging, "exitCode">): Judgement & Pick<Judging, "evidence"> {
  return evidence === undefined ? judgement : { ...judgement, evidence };
}

/** The frozen bytes, for any batch. They always run in the same way. */
export interface FrozenProgram {
  readonly sha: string;
  /** Never throws, like `Oracle.judge`. */
  judge(batch: OracleBatch, signal?: AbortSignal, how?: "background"): Promise<Judging>;
}
