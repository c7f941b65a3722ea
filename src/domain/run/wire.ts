import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";

/**
 * Messages of the engine on the run's socket, one JSON value per line: a snapshot first, then every later event. A later snapshot
 * replaces everything before it: the journal cannot be written (`outages.journal` of its state, which no event tells), or can
 * again.
 */
export type ServerMessage =
  | {
      readonly kind: "snapshot";
      readonly state: RunState;
      /** The last events before the snapshot, oldest first, as far as the list of events goes back. */
      readonly recent: readonly RunEvent[];
    }
  | { readonly kind: "event"; readonly event: RunEvent };
