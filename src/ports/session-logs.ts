import type { BilledTokens } from "@loopdash/model-gateway";

/** The cost of sessions in dollars, or the reason why it is unknown: one line, safe for a terminal. Unknown is not nothing. */
export type SessionSpend = { readonly ok: true; readonly usd: number } | { readonly ok: false; readonly why: string };

/** The logs of a vendor's program on this machine about people's sessions with it. */
export interface SessionLogs {
  /** The cost of all sessions since `since` (milliseconds since the epoch). */
  spentSince(since: number): Promise<SessionSpend>;
}

/** One answer of a model, as a log has it. */
export interface LoggedUse {
  /** Entries that occur twice have the same key, in any log; absent if no entry occurs twice. */
  readonly key?: string;
  readonly model: string;
  readonly tokens: BilledTokens;
  /** Dollars beside the tokens. */
  readonly alsoUsd: number;
}

/** Reads the lines of one log, in order. Gives what it tells of since that moment; throws NotUnderstood. */
export type LogReader = (since: number) => (object: Readonly<Record<string, unknown>>) => LoggedUse | undefined;

/** The place of a program's logs, and their reader. */
export interface SessionLogFormat {
  /** Folders; those that are not there hold nothing. */
  readonly roots: readonly string[];
  readonly isLog: (name: string) => boolean;
  readonly reader: LogReader;
}

/** The problem with a line that cannot be read; it is reported with the log's name and the line number. */
export class NotUnderstood extends Error {
  override readonly name = "NotUnderstood";
}
