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
