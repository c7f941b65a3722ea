import type { Fence, TicketId } from "../values/ids.ts";

/** A connection that the sandbox's gateway did not make. All texts are one line each, and safe for a terminal. */
export interface BlockedConnection {
  readonly host: string;
  readonly port: number;
  /** The address that the name leads to, if that is the reason. */
  readonly address?: string;
  readonly reason: string;
  /** The line of a batch that would allow it; absent if none can. */
  readonly allow?: string;
}

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

/** One line for people: the connection, the reason, and the remedy. */
export function describeBlocked(blocked: BlockedConnection): string {
  const { host, port, reason } = blocked;
  const target = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return `the sandbox blocked ${target} (${reason}). ${blockedRemedy(blocked)}`;
}

/** The way to allow a blocked connection, as a sentence. */
export function blockedRemedy({ allow }: Pick<BlockedConnection, "allow">): string {
  return allow === undefined ? "An IPv6 address cannot be allowed: use a name" : `Allow it with ${allow}`;
}
