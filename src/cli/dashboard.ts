import { renderDashboard } from "../../components/render-dashboard.tsx";
import { type ChannelClient, connectChannel } from "../adapters/channel/socket-client.ts";
import type { Command } from "../domain/command.ts";
import type { RunState } from "../domain/state.ts";
import { renderSummaryText } from "../domain/summary.ts";
import { EXIT } from "../domain/user-error.ts";
import { createDashboardStore, type DashboardStore } from "../store/dashboard-store.ts";
import { createFeed, type Feed } from "../store/feed.ts";
import { exitCodeOf } from "./exit-code.ts";
import { writeAll } from "./print.ts";

/** How soon a lost engine is looked for again. Milliseconds. */
const RECONNECT_MS = 1_000;

/** The dashboard of a run whose engine works in another process. Gives the run's exit code, or 130 where it was left working. */
export async function watch(of: { run: string; socketPath: string }): Promise<number> {
  const store = createDashboardStore({ now: Date.now() });
  const feed = createFeed(store, { now: Date.now });
  const line = keepConnected(of.socketPath, store, feed);
  await draw(store, line.send);
  line.close();
  feed.flush();
  return farewell(of.run, store.getState().run);
}

/** The dashboard of a run that has ended: its summary screen. */
export async function watchEnded(state: RunState): Promise<number> {
  const store = createDashboardStore({ now: Date.now() });
  const feed = createFeed(store, { now: Date.now });
  feed.take({ kind: "snapshot", state, recent: [] });
  feed.flush();
  await draw(store, () => undefined);
  return farewell(state.run, state);
}

async function draw(store: DashboardStore, send: (command: Command) => void): Promise<void> {
  const { stdin, stdout } = process;
  await renderDashboard({ store, send, stdin, stdout });
  stdin.unref();
}

/** What stays on the terminal once the screen is gone. */
function farewell(run: string, state: RunState | undefined): number {
  if (state?.end !== undefined) {
    writeAll(1, renderSummaryText(state, process.stdout.columns ?? 120));
    return exitCodeOf(state);
  }
  writeAll(1, `The run goes on without this dashboard. Watch it with: loopdash attach ${run}\n`);
  return EXIT.interrupted;
}

/** A connection that comes back: an engine may be started again under a dashboard that stays up. */
function keepConnected(socketPath: string, store: DashboardStore, feed: Feed): { send: (command: Command) => void; close: () => void } {
  let client: ChannelClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const lost = (reason: string): void => {
    client = undefined;
    if (closed) return;
    feed.flush();
    if (store.getState().run?.end === undefined) store.dispatch({ type: "connection", connection: { state: "lost", reason } });
    timer = setTimeout(connect, RECONNECT_MS);
  };
  const connect = (): void => {
    connectChannel({
      socketPath,
      onMessage: (message) => {
        if (message.kind === "snapshot") store.dispatch({ type: "connection", connection: { state: "live" } });
        if (feed.take(message) !== "out-of-step") return;
        client?.close();
        lost("an event was missed");
      },
      onClose: lost,
    }).then(
      (connected) => {
        client = connected;
        if (closed) connected.close();
      },
      (error: unknown) => lost(error instanceof Error ? error.message : String(error)),
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
