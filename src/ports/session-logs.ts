/** Tokens of one answer by billing class; none is counted twice. */
export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** The cost of sessions in dollars, or the reason why it is unknown: one line, safe for a terminal. Unknown is not nothing. */
export type SessionSpend = { readonly ok: true; readonly usd: number } | { readonly ok: false; readonly why: string };

/** The logs of a vendor's program on this machine about people's sessions with it. */
export interface SessionLogs {
  /** The cost of all sessions since `since` (milliseconds since the epoch). */
  spentSince(since: number): Promise<SessionSpend>;
}
