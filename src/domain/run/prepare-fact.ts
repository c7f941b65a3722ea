import type { Fence, TicketId } from "../values/ids.ts";

/** A prepare command begins in an attempt's worktree. `command` is one line, safe for a terminal. */
export interface PrepareFact {
  readonly type: "prepare-started";
  readonly ticket: TicketId;
  readonly fence: Fence;
  readonly command: string;
}
