import type { TicketId } from "../values/ids.ts";

/**
 * A base on which a landed change is not live, or on which a check fails without any change. No other change lands on it until that
 * passes, unless the batch says otherwise.
 */
export interface BrokenBase {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly cause: "verify" | "check";
  /** The suspected commit, and its ticket; absent if the commit is nobody's of this run. */
  readonly sha: string;
  readonly ticket?: TicketId;
  /** The failed step, and its environment if it names one. */
  readonly step: string;
  readonly environment?: string;
  /** One line for people. */
  readonly summary: string;
}
