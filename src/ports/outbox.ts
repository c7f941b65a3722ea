import type { BlockerClaim, Discovery } from "../domain/outbox/schema.ts";

/** A file that is not what it is to be. Both safe for a terminal. */
export interface RefusedFile {
  readonly file: string;
  readonly why: string;
}

/** What an agent left in its outbox: claims, all of it. */
export interface OutboxReading {
  readonly discoveries: readonly Discovery[];
  readonly blocker?: BlockerClaim;
  /** Bounded. */
  readonly notes?: string;
  readonly refused: readonly RefusedFile[];
}

/** Reads the folder that an agent could write. */
export interface Outbox {
  /** Follows no link, reads bounded files only, and never throws for what an agent has written. */
  read(folder: string): Promise<OutboxReading>;
}
