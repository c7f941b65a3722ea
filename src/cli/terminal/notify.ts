import type { DashboardStore } from "../../store/dashboard-store.ts";
import { NOTHING_NOTIFIED, nextNotification, type Progress, terminalStatus } from "../../store/notifications.ts";
import type { TerminalCapabilities } from "../../store/terminal-capabilities.ts";
import { call, progressBar, windowTitle } from "./sequences.ts";

/** Some terminals take a progress bar away that is not drawn anew: Ghostty after 15 seconds. Milliseconds. */
const BAR_MS = 5_000;

/** What the terminal shows outside of its screen. */
export interface NotifyOptions {
  /** Nothing is written while the terminal is another's; what it should show by then is written when it comes back. */
  readonly rest: () => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

/**
 * Keeps the terminal's title and its progress bar with the run, and calls a person once for each thing that needs one. All of it
 * is written between frames: it moves no cursor, and frames are written in one piece.
 */
export function notify(
  store: DashboardStore,
  write: (text: string) => void,
  { title, progress, notice }: Pick<TerminalCapabilities, "title" | "progress" | "notice">,
): NotifyOptions {
  let told = NOTHING_NOTIFIED;
  let resting = false;
  let shownTitle = "";
  let shownBar = "";
  let barAt = Number.NEGATIVE_INFINITY;
  const bar = (wanted: Progress, now: number): string => {
    const drawn = progressBar(wanted);
    const stale = wanted.state !== "none" && now - barAt >= BAR_MS;
    if (drawn === shownBar && !stale) return "";
    shownBar = drawn;
    barAt = now;
    return drawn;
  };
  const look = (): void => {
    const state = store.getState();
    const news = nextNotification(told, state);
    told = news.told;
    let out = news.notice === undefined ? "" : call(notice, news.notice);
    if (!resting) {
      const wanted = terminalStatus(state);
      if (title && wanted.title !== shownTitle) {
        shownTitle = wanted.title;
        out += windowTitle(wanted.title);
      }
      if (progress) out += bar(wanted.progress, state.now);
    }
    // A bell and a notice reach a person who is busy in the shell as well.
    if (out !== "") write(out);
  };
  const unsubscribe = store.subscribe(look);
  look();
  return {
    rest: () => {
      resting = true;
    },
    goOn: () => {
      resting = false;
      shownTitle = "";
      shownBar = "";
      look();
    },
    end: unsubscribe,
  };
}
