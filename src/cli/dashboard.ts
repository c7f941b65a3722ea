import { setTimeout as wait } from "node:timers/promises";
import { renderDashboard } from "../../components/render-dashboard.tsx";
import { type ChannelClient, connectChannel } from "../adapters/channel/socket-client.ts";
import { socketPathOf } from "../adapters/channel/socket-path.ts";
import { createLocks } from "../adapters/locks/sqlite-locks.ts";
import type { Command } from "../domain/command.ts";
import type { RunState } from "../domain/state.ts";
import { renderSummaryText } from "../domain/summary.ts";
import { plainText } from "../domain/text.ts";
import { EXIT } from "../domain/user-error.ts";
import { createDashboardStore, type DashboardStore } from "../store/dashboard-store.ts";
import { createFeed, type Feed } from "../store/feed.ts";
import { batchLock } from "./engine/engine-locks.ts";
import { exitCodeOf } from "./exit-code.ts";
import { writeAll } from "./print.ts";
import { askedToLeave } from "./signals.ts";
import { stateHome } from "./state-home.ts";

/** Least time between two attempts to reach an engine. Milliseconds. */
const RECONNECT_MS = 1_000;
/** How long the engine of a run that has ended may take to put everything away, and how often that is looked for. Milliseconds. */
const PUT_AWAY_MS = 5_000;
const LOOK_MS = 20;
/** What to say of an engine that cannot be reached, in as few words as the last line of a narrow terminal takes. */
const GONE = "the engine is gone; run the same command to go on";

/**
 * The dashboard of a run whose engine works in another process. Gives the run's exit code; 130 where it was left working, 1 where
 * its engine is gone.
 */
export async function watch(of: { run: string; folder: string }): Promise<number> {
  const store = createDashboardStore({ now: Date.now() });
  const feed = createFeed(store, { now: Date.now });
  const line = keepConnected(of.folder, store, feed);
  await draw(store, line.send);
  line.close();
  feed.flush();
  feed.close();
  const { run, ui } = store.getState();
  if (run?.end !== undefined) await putAway(run.batchPath);
  return farewell(of.run, run, ui.connection.state === "lost");
}

/** The dashboard of a run that has ended: its summary screen. */
export async function watchEnded(state: RunState): Promise<number> {
  const store = createDashboardStore({ now: Date.now() });
  const feed = createFeed(store, { now: Date.now });
  feed.take({ kind: "snapshot", state, recent: [] });
  feed.flush();
  await draw(store, () => undefined);
  return farewell(state.run, state, false);
}

async function draw(store: DashboardStore, send: (command: Command) => void): Promise<void> {
  const { stdin, stdout } = process;
  const leaving = askedToLeave();
  // To the dashboard the end of its input is a terminal that has gone, which is a detach: the same is wanted here.
  const detach = (): void => void stdin.emit("end");
  leaving.addEventListener("abort", detach);
  if (!leaving.aborted) await renderDashboard({ store, send, stdin, stdout });
  leaving.removeEventListener("abort", detach);
  stdin.unref();
}

/** What stays on the terminal once the screen is gone. */
function farewell(run: string, state: RunState | undefined, lost: boolean): number {
  if (state?.end !== undefined) {
    writeAll(1, renderSummaryText(state));
    return exitCodeOf(state);
  }
  if (lost) {
    const command = state === undefined ? "the same command" : `loopdash ${plainText(state.batchPath)}`;
    writeAll(1, `The engine of run ${run} is gone; nothing was judged. To go on with it: ${command}\n`);
    return EXIT.notDone;
  }
  writeAll(1, `The run goes on without this dashboard. Watch it with: loopdash attach ${run}\n`);
  return EXIT.interrupted;
}

/** Waits until the engine of a run that has ended holds its batch no more: the same command may follow at once. */
async function putAway(batchPath: string): Promise<void> {
  const locks = createLocks(stateHome(process.env, process.cwd()).locks);
  const latest = performance.now() + PUT_AWAY_MS;
  while (locks.isHeld(batchLock(batchPath)) && performance.now() < latest) await wait(LOOK_MS);
}

interface Line {
  readonly send: (command: Command) => void;
  readonly close: () => void;
}

/** Rejects where nobody listens, or ever did. */
async function connectTo(folder: string, of: Omit<Parameters<typeof connectChannel>[0], "socketPath">): Promise<ChannelClient> {
  return connectChannel({ socketPath: socketPathOf(folder), ...of });
}

/**
 * A connection that comes back: an engine may be started again under a dashboard that stays up. Each listens somewhere else, which
 * is told in the run's folder.
 */
function keepConnected(folder: string, store: DashboardStore, feed: Feed): Line {
  let client: ChannelClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  const lost = (reason: string): void => {
    client = undefined;
    if (closed) return;
    feed.flush();
    if (store.getState().run?.end === undefined) store.dispatch({ type: "connection", connection: { state: "lost", reason } });
    timer = setTimeout(connect, Math.max(0, triedAt + RECONNECT_MS - performance.now()));
  };
  const connect = (): void => {
    triedAt = performance.now();
    connectTo(folder, {
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
      () => lost(GONE),
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
