import { type ChannelClient, connectChannel } from "../../adapters/channel/socket-client.ts";
import { socketPathOf } from "../../adapters/channel/socket-path.ts";
import type { Command } from "../../domain/run/command.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";
import type { Feed } from "../../store/feed.ts";
import { selectable } from "../../store/lists.ts";
import { GONE } from "./disk-run.ts";

/** Least time between two attempts to reach an engine. Milliseconds. */
const RECONNECT_MS = 1_000;

/** A connection to a run's engine, for as long as the run is shown. */
export interface Line {
  readonly send: (command: Command) => void;
  readonly close: () => void;
}

/**
 * A connection that comes back: an engine may be started again under a dashboard that stays up. Each listens somewhere else, which
 * is told in the run's folder. `onEngine`: an engine tells of the run. `onNobody`: none listens. `isRead`: somebody else shows the run until one does.
 */
export function keepConnected(options: {
  readonly folder: string;
  readonly store: DashboardStore;
  readonly feed: Feed;
  readonly onEngine: () => void;
  readonly onNobody: () => void;
  readonly isRead: () => boolean;
}): Line {
  const { folder, store, feed } = options;
  let client: ChannelClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  const lost = (reason: string): void => {
    client = undefined;
    if (closed) return;
    feed.flush();
    if (store.getState().run?.end === undefined && !options.isRead())
      store.dispatch({ type: "connection", connection: { state: "lost", reason } });
    timer = setTimeout(connect, Math.max(0, triedAt + RECONNECT_MS - performance.now()));
  };
  const take = (message: Parameters<Feed["take"]>[0]): void => {
    if (closed) return;
    if (message.kind === "snapshot") {
      options.onEngine();
      store.dispatch({ type: "connection", connection: { state: "live" } });
    }
    const taken = feed.take(message);
    if (message.kind === "snapshot") selectFirst(store);
    if (taken !== "out-of-step") return;
    client?.close();
    lost("an event was missed");
  };
  const connect = (): void => {
    triedAt = performance.now();
    connectTo(folder, { onMessage: take, onClose: lost }).then(
      (connected) => {
        client = connected;
        if (closed) connected.close();
      },
      () => {
        options.onNobody();
        lost(GONE);
      },
    );
  };
  connect();
  return {
    send: (command) => client?.send(command),
    close: () => {
      closed = true;
      clearTimeout(timer);
      client?.close();
    },
  };
}

/** Selects the first ticket of a run that goes on, where none is: keys that act on a ticket have one from the start. */
function selectFirst(store: DashboardStore): void {
  const { run, lists, ui } = store.getState();
  const [ticket] = selectable(lists);
  if (ui.selected === undefined && ticket !== undefined && run?.end === undefined) store.dispatch({ type: "select", ticket });
}

/** Rejects where nobody listens, or ever did. */
async function connectTo(
  folder: string,
  options: Omit<Parameters<typeof connectChannel>[0], "socketPath">,
): Promise<ChannelClient> {
  return connectChannel({ socketPath: socketPathOf(folder), ...options });
}
