import type { DashboardStore } from "../../store/dashboard-store.ts";
import { NOTHING_NOTIFIED, nextNotification, type Progress, terminalStatus } from "../../store/notifications.ts";
import type { TerminalCapabilities } from "../../store/terminal-capabilities.ts";
import { call, progressBar, windowTitle } from "./sequences.ts";

/** Some terminals remove a progress bar that is not redrawn: Ghostty after 15 seconds. Milliseconds. */
const BAR_MS = 5_000;

/** The terminal's output outside its screen. */
export interface NotifyOptions {
  /** Pauses writing while another program uses the terminal; the current values are written when it returns. */
  readonly rest: () => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

/**
 * Updates the terminal's title and progress bar from the run, and notifies a person once of each thing that needs one. Everything
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
    // A bell and a notice also reach a person who is busy in the shell.
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
