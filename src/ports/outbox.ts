import type { BlockerClaim, Discovery, UsageLimit } from "../domain/outbox/schema.ts";

/** An invalid file. Both texts are safe for a terminal. */
export interface RefusedFile {
  readonly file: string;
  readonly why: string;
}

/** The contents of an agent's outbox. All of it is claims. */
export interface OutboxReading {
  readonly discoveries: readonly Discovery[];
  readonly blocker?: BlockerClaim;
  /** Bounded. */
  readonly notes?: string;
  /** The plan of an agent that was asked for one, as it is. */
  readonly plan?: string;
  readonly refused: readonly RefusedFile[];
}

/** What a `command` agent says of its run. All of it is claims. */
export interface RunClaims {
  /** Without a time if it cannot be read. */
  readonly limit?: UsageLimit;
  /** Dollars. */
  readonly usd?: number;
  readonly session?: string;
  readonly refused: readonly RefusedFile[];
}

/** Reads a folder that an agent could write. */
export interface Outbox {
  /** Follows no link, reads bounded files only, and never throws for their contents. */
  read(folder: string): Promise<OutboxReading>;
  /** The same for what a `command` agent says of its run, in whatever way it ended. */
  readRun(folder: string): Promise<RunClaims>;
}
