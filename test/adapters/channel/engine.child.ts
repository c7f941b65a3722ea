import { openChannel } from "../../../src/adapters/channel/socket-server.ts";
import type { RunState } from "../../../src/domain/run/state.ts";

/** Serves a snapshot at the socket given as its argument until it is killed; listens, then says so. */
const [, , socketPath = ""] = process.argv;
const state: RunState = JSON.parse('{"seq":0}');
await openChannel({
  socketPath,
  host: {
    snapshot: () => ({ kind: "snapshot", state, recent: [] }),
    command: () => undefined,
  },
});
process.stdout.write("listening\n");
