/** Tokens of one answer by how they are billed; none is counted twice. */
export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** What sessions have cost, in dollars, or why nobody can tell: one line, safe for a terminal. Unknown is not nothing. */
export type SessionSpend = { readonly ok: true; readonly usd: number } | { readonly ok: false; readonly why: string };

/** What a vendor's program logs on this machine of the sessions that people have with it. */
export interface SessionLogs {
  /** What all sessions have cost since `since` (milliseconds since the epoch). */
  spentSince(since: number): Promise<SessionSpend>;
}
