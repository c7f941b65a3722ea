import { z } from "zod";
import { Command } from "./command.ts";
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

/** What a client says: wishes only. Checked on arrival; a bad line is answered by closing the connection. */
export const ClientMessage = z.strictObject({ kind: z.literal("command"), command: Command });
export type ClientMessage = z.infer<typeof ClientMessage>;
