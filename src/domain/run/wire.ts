import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";

/** What the engine says on the run's socket, one JSON value per line: a snapshot first, then every event after it. */
export type ServerMessage =
  | {
      readonly kind: "snapshot";
      readonly state: RunState;
      /** The last events before it, oldest first, at most 200. */
      readonly recent: readonly RunEvent[];
    }
  | { readonly kind: "event"; readonly event: RunEvent };
