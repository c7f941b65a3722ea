import type { BlockedConnection } from "@loopdash/model-gateway";
import type { Fence, TicketId } from "../values/ids.ts";

/** Reported once for each step, host and port of an attempt. */
export interface BlockedFact extends BlockedConnection {
  readonly type: "connection-blocked";
  readonly ticket: TicketId;
  readonly fence: Fence;
  /** The batch's name of the blocked program: a step's name, `prepare` or `agent`. */
  readonly step: string;
}

/** A blocked connection of an attempt, as the state keeps it. */
export type KnownBlocked = Pick<BlockedFact, "step" | "host" | "port">;

/** Facts that one attempt may report; a program can ask for any number of hosts. */
const MOST_BLOCKED = 40;

/** True for a connection that the attempt has not reported yet. */
export function isNewlyBlocked(known: readonly KnownBlocked[] = [], { step, host, port }: KnownBlocked): boolean {
  return known.length < MOST_BLOCKED && !known.some((each) => each.step === step && each.host === host && each.port === port);
}

export function withBlocked(known: readonly KnownBlocked[] = [], { step, host, port }: KnownBlocked): readonly KnownBlocked[] {
  return [...known, { step, host, port }];
}
