import type { Abilities } from "../../store/abilities.ts";
import { attentionOf, NOTHING_TOLD, noticeOf, type Progress } from "../../store/attention.ts";
import type { DashboardStore } from "../../store/dashboard-store.ts";
import { call, progressBar, windowTitle } from "./sequences.ts";

/** Some terminals take a progress bar away that is not drawn anew: Ghostty after 15 seconds. Milliseconds. */
const BAR_MS = 5_000;

/** What the terminal shows outside of its screen. */
export interface CallOut {
  /** Nothing is written while the terminal is another's; what it should show by then is written when it comes back. */
  readonly rest: () => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

/**
 * Keeps the terminal's title and its progress bar with the run, and calls a person once for each thing that needs one. All of it
 * is written between frames: it moves no cursor, and frames are written in one piece.
 */
export function callOut(
  store: DashboardStore,
  write: (text: string) => void,
  { title, progress, notice }: Pick<Abilities, "title" | "progress" | "notice">,
): CallOut {
  let told = NOTHING_TOLD;
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
    const news = noticeOf(told, state);
    told = news.told;
    let out = news.notice === undefined ? "" : call(notice, news.notice);
    if (!resting) {
      const wanted = attentionOf(state);
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
