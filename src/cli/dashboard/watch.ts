import { setTimeout as wait } from "node:timers/promises";
import { type ChannelClient, type ConnectOptions, connectChannel, runSocketPath } from "../../adapters/channel/socket-client.ts";
import { createLocks } from "../../adapters/locks/sqlite-locks.ts";
import { type Command, type RefusalReason, runActions } from "../../domain/run/command.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { createDashboardStore, type DashboardStore, resetDashboard } from "../../store/dashboard-store.ts";
import { createFeed, type Feed } from "../../store/feed.ts";
import type { Actions } from "../../store/keymap/binding.ts";
import { KEYMAP } from "../../store/keymap/keymap.ts";
import { NOT_CONNECTED } from "../../store/keymap/live.ts";
import { revertsByNewRun } from "../../store/keymap/revert-keys.ts";
import { batchLock } from "../engine/engine-locks.ts";
import { exitCodeOf } from "../exit-code.ts";
import { findRun, lookUpRun } from "../find-run.ts";
import { printUserError, writeAll } from "../print.ts";
import { printedSummary } from "../printed-summary.ts";
import type { ScreenFiles } from "../screen-files.ts";
import { stateHome } from "../state-home.ts";
import { showDashboard } from "../terminal/show-dashboard.ts";
import { GONE, showFromDisk } from "./disk-run.ts";
import { noteLook, showWhileAway } from "./last-look.ts";
import { startReaders } from "./readers.ts";

/** Display time of an error message. Milliseconds. */
const TOAST_MS = 6_000;
/** Least time between two attempts to connect to an engine. Milliseconds. */
const RECONNECT_MS = 1_000;

/** A run to show. `live`: an engine is working on it. */
export interface RunToShow {
  readonly run: RunId;
  readonly folder: string;
  readonly live: boolean;
}

/**
 * Shows the dashboard of a run, and of any other that the user switches to. Returns the exit code of the run that it was opened
 * for: 130 if that continues, 1 if its engine is gone. Throws a UserError (exit 3) if its journal is broken.
 */
export async function watch(own: RunToShow, { keymap = KEYMAP, colours }: ScreenFiles = {}): Promise<number> {
  const actions: Actions = {
    ...runActions((command) => shown.send(command)),
    switchRun: (run) => void switchRun(run),
    play: () => "only a replay can be played",
    revert: (ticket) => {
      if (!revertsByNewRun(store.getState())) return shown.send({ type: "revert", ticket });
      toRevert = ticket;
      return undefined;
    },
  };
  let toRevert: TicketId | undefined;
  const store = createDashboardStore({ now: Date.now(), keymap, actions });
  showWhileAway(store, own.folder);
  let shown = showRun(own, store);
  const endReaders = startReaders({ store, folder: () => shown.folder });
  const switchRun = (run: RunId): void => {
    if (run === shown.run) return store.dispatch({ type: "view", view: "overview" });
    try {
      const { folder, live } = lookUpRun(run);
      shown.close();
      noteLook(shown.folder);
      resetDashboard(store);
      showWhileAway(store, folder);
      shown = showRun({ run, folder, live }, store);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const until = store.getState().now + TOAST_MS;
      store.dispatch({ type: "toast", toast: { text: `${error.what}: ${error.why}`, tone: "bad", until } });
    }
  };
  await showDashboard(store, colours);
  noteLook(shown.folder);
  endReaders();
  const leave = async () => exitMessage(shown.run, await shown.last(), store.getState().ui.connection.state === "lost");
  if (toRevert !== undefined) {
    await leave();
    return (await import("../verbs/revert.ts")).revert(shown.run, toRevert);
  }
  if (shown.run === own.run) return leave();
  await leave().catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    printUserError(error);
  });
  return ownExitCode(own.run);
}

/** The run on the screen. */
interface ShownRun extends RunToShow {
  /** Sends a command to the engine, or returns the reason why it cannot. */
  readonly send: (command: Command) => RefusalReason;
  /**
   * Returns the last known state: the engine's if it has reported one, else the journal's, read to its end. The run is not shown
   * any more. Rejects with a UserError (exit 3) if the journal is broken.
   */
  readonly last: () => Promise<RunState | undefined>;
  /** Stops showing the run. The run itself is not touched. */
  readonly close: () => void;
}

/** Shows a run: from its engine if one is working, now or later, else from its records. */
export function showRun(runToShow: RunToShow, store: DashboardStore): ShownRun {
  const feed = createFeed(store, { now: Date.now });
  const byEngine = new AbortController();
  let isRead = false;
  let read: ReturnType<typeof showFromDisk> | undefined;
  const readRecords = (): void => {
    if (read !== undefined || byEngine.signal.aborted) return;
    isRead = true;
    read = showFromDisk({ run: runToShow.run, store, feed, signal: byEngine.signal });
    // The caller of `last` handles a failure.
    read
      .catch(() => undefined)
      .finally(() => {
        isRead = store.getState().run === undefined;
      });
  };
  if (!runToShow.live) readRecords();
  const onEngine = (): void => byEngine.abort();
  // An engine that was working may be gone by now.
  const connection = keepConnected({
    folder: runToShow.folder,
    store,
    feed,
    onEngine,
    onNobody: readRecords,
    isRead: () => isRead,
  });
  const close = (): void => {
    byEngine.abort();
    connection.close();
    feed.flush();
    feed.close();
  };
  return {
    ...runToShow,
    send: connection.send,
    async last() {
      try {
        const recorded = await read;
        if (recorded !== undefined && !byEngine.signal.aborted) return recorded;
      } finally {
        close();
      }
      return store.getState().run;
    },
    close,
  };
}

/**
 * A connection that reconnects: an engine may be restarted under an open dashboard. Each engine listens at a new address, which
 * it writes into the run's folder. `onEngine`: an engine reports the run. `onNobody`: none listens. `isRead`: the run is shown
 * from its records until an engine reports it.
 */
function keepConnected(options: {
  readonly folder: string;
  readonly store: DashboardStore;
  readonly feed: Feed;
  readonly onEngine: () => void;
  readonly onNobody: () => void;
  readonly isRead: () => boolean;
}): Pick<ShownRun, "send" | "close"> {
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
    send: (command) => {
      client?.send(command);
      return client === undefined ? NOT_CONNECTED : undefined;
    },
    close: () => {
      closed = true;
      clearTimeout(timer);
      client?.close();
    },
  };
}

/** Rejects if no engine listens or ever did. */
async function connectTo(folder: string, told: Omit<ConnectOptions, "socketPath">): Promise<ChannelClient> {
  return connectChannel({ socketPath: runSocketPath(folder), ...told });
}

/** Longest wait for a run's engine to clean up after the end, and how often that is checked. Milliseconds. */
const PUT_AWAY_MS = 5_000;
const LOOK_MS = 20;

/** Prints the summary of the run that was shown last. Returns its exit code. */
export async function exitMessage(run: string, state: RunState | undefined, lost: boolean): Promise<number> {
  if (state?.end !== undefined) {
    await putAway(state.batchPath, state.end.at + PUT_AWAY_MS - Date.now());
    writeAll(1, printedSummary(state));
    return exitCodeOf(state);
  }
  if (lost) {
    const command = state === undefined ? "the same command" : `loopdash ${plainText(state.batchPath)}`;
    writeAll(1, `The engine of run ${run} is gone; nothing was judged. To continue it: ${command}\n`);
    return EXIT.notDone;
  }
  writeAll(1, `The run continues without this dashboard. Watch it with: loopdash attach ${run}\n`);
  return EXIT.interrupted;
}

/**
 * The exit code is always that of the run that the command named, even if another was shown last: a script knows no other. The
 * code comes from that run's journal, and a line says so.
 */
function ownExitCode(run: string): number {
  const { live, state } = findRun(run);
  const code = live ? EXIT.interrupted : exitCodeOf(state);
  const ended = state.end === undefined ? "its engine is gone" : "it has ended";
  const how = live ? `it continues: loopdash attach ${run}` : ended;
  writeAll(1, `The exit code, ${code}, is that of run ${run}, which this command was for; ${how}\n`);
  return code;
}

/**
 * Waits until the engine of a run that has just ended releases its batch, because the same command may follow at once. A later
 * holder is another run's engine. Waits at most `ms`, and never longer than PUT_AWAY_MS, because clocks may be set back.
 */
async function putAway(batchPath: string, ms: number): Promise<void> {
  const locks = createLocks(stateHome(process.env, process.cwd()).locks);
  const latest = performance.now() + Math.min(ms, PUT_AWAY_MS);
  while (performance.now() < latest && locks.isHeld(batchLock(batchPath))) await wait(LOOK_MS);
}
