import type { TicketId } from "../values/ids.ts";

/** A base on which a landed change is not live. No other change lands on it until that passes, unless the batch says otherwise. */
export interface BrokenBase {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The suspected commit, and its ticket. */
  readonly sha: string;
  readonly ticket: TicketId;
  /** The failed step, and its environment if it names one. */
  readonly step: string;
  readonly environment?: string;
  /** One line for people. */
  readonly summary: string;
}
