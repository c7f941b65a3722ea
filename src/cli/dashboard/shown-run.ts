import type { Command } from "../../domain/run/command.ts";
import type { RunState } from "../../domain/run/state.ts";
import type { RunId } from "../../domain/values/ids.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";
import { createFeed } from "../../store/feed.ts";
import { showFromDisk } from "./disk-run.ts";
import { keepConnected } from "./keep-connected.ts";

/** A run to show. `live`: an engine is at work on it. */
export interface RunToShow {
  readonly run: RunId;
  readonly folder: string;
  readonly live: boolean;
}

/** The run on the screen. */
export interface ShownRun extends RunToShow {
  readonly send: (command: Command) => void;
  /**
   * The last that is known of it: by its engine where one has told of it, else by its journal, read to its end. Nothing of it
   * reaches the screen any more. Rejects with a UserError (exit 3) where the journal is broken.
   */
  readonly last: () => Promise<RunState | undefined>;
  /** Nothing of it reaches the screen any more. The run itself is not touched. */
  readonly close: () => void;
}

/** Puts a run on the screen: by its engine where one is at work, now or later, else from its records. */
export function showRun(runToShow: RunToShow, store: DashboardStore): ShownRun {
  const feed = createFeed(store, { now: Date.now });
  const byEngine = new AbortController();
  let isRead = false;
  let read: ReturnType<typeof showFromDisk> | undefined;
  const readRecords = (): void => {
    if (read !== undefined || byEngine.signal.aborted) return;
    isRead = true;
    read = showFromDisk({ run: runToShow.run, store, feed, signal: byEngine.signal });
    // A failure is met by whoever asks for the last of it.
    read
      .catch(() => undefined)
      .finally(() => {
        isRead = store.getState().run === undefined;
      });
  };
  if (!runToShow.live) readRecords();
  const onEngine = (): void => byEngine.abort();
  // An engine that was at work may be gone by now.
  const line = keepConnected({ folder: runToShow.folder, store, feed, onEngine, onNobody: readRecords, isRead: () => isRead });
  const close = (): void => {
    byEngine.abort();
    line.close();
    feed.flush();
    feed.close();
  };
  return {
    ...runToShow,
    send: line.send,
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
