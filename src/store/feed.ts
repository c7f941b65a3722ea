import { isAboutForgeRequest } from "../domain/forge/forge-request.ts";
import { isActivity, type RunEvent } from "../domain/run/event.ts";
import { reduce } from "../domain/run/reduce.ts";
import type { RunState } from "../domain/run/state.ts";
import type { ServerMessage } from "../domain/run/wire.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { type DashboardStore, toSecond } from "./dashboard-store.ts";
import { describeEvents, type FeedLine } from "./describe-event.ts";
import { displayText } from "./format.ts";
import { forgeRefusal } from "./labels/pull-request-label.ts";
import { sortTickets } from "./lists.ts";
import { withShownSelection } from "./shown-selection.ts";
import type { Toast } from "./ui.ts";

/** Shortest time between two updates of the store: 20 a second. */
export const FLUSH_MS = 50;
/** Agent output is read, not acted on: two updates a second are enough if nothing else happens. */
export const ACTIVITY_FLUSH_MS = 500;
const TOAST_MS = 8_000;
/** Lines that the list of events keeps. */
export const FEED_LIMIT = 500;

/** Runs `task` once after `ms`; returns a function that cancels it. */
export type Schedule = (task: () => void, ms: number) => () => void;

export interface Feed {
  /**
   * Takes one message of the engine. Skips events that the mirror already has. `out-of-step`: an event is missing before this
   * one, so the mirror is no longer valid; reconnect for a new snapshot.
   */
  take(message: ServerMessage): "taken" | "passed-over" | "out-of-step";
  /** Writes pending changes to the store at once. */
  flush(): void;
  /** Stops all updates of the store. */
  close(): void;
}

interface Pending {
  run?: RunState;
  lines: FeedLine[];
  toast?: Toast;
  /** Set by a snapshot: the feed starts again. */
  fresh: boolean;
  /** Set by everything but activity: the lists may have changed. */
  moved: boolean;
}

const timeout: Schedule = (task, ms) => {
  const timer = setTimeout(task, ms);
  return () => clearTimeout(timer);
};

/** Mirrors the engine's run into the store: reduces at once, updates the store at most every FLUSH_MS. */
export function createFeed(store: DashboardStore, options: { readonly now: () => number; readonly schedule?: Schedule }): Feed {
  const schedule = options.schedule ?? timeout;
  let pending: Pending = { lines: [], fresh: false, moved: false };
  let mirror: RunState | undefined;
  let due: { readonly at: number; readonly cancel: () => void } | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    due?.cancel();
    due = undefined;
    if (pending.run === undefined) return;
    const taken = pending;
    pending = { lines: [], fresh: false, moved: false };
    flushedAt = options.now();
    store.setState((state) => merge(state, taken, flushedAt));
  };
  const flushBy = (wait: number): void => {
    const now = options.now();
    const at = Math.max(now, flushedAt + wait);
    if (due !== undefined && due.at <= at) return;
    due?.cancel();
    due = { at, cancel: schedule(flush, at - now) };
  };
  const takeEvent = (event: RunEvent): "taken" | "passed-over" | "out-of-step" => {
    const seq = mirror?.seq ?? 0;
    if (event.seq <= seq) return "passed-over";
    if (event.seq !== seq + 1) return "out-of-step";
    mirror = reduce(mirror, event);
    pending.run = mirror;
    if (isActivity(event)) {
      flushBy(ACTIVITY_FLUSH_MS);
      return "taken";
    }
    note(pending, event, mirror, options.now());
    flushBy(FLUSH_MS);
    return "taken";
  };

  return {
    take(message) {
      if (message.kind === "event") return takeEvent(message.event);
      mirror = message.state;
      pending = { run: mirror, lines: [], fresh: true, moved: true };
      for (const event of message.recent) note(pending, event, mirror, undefined);
      flush();
      return "taken";
    },
    flush,
    close() {
      due?.cancel();
      due = undefined;
      pending = { lines: [], fresh: false, moved: false };
    },
  };
}

/** Records an event for the next flush; `now` is given for live events, which may raise a toast. */
function note(pending: Pending, event: RunEvent, run: RunState, now: number | undefined): void {
  pending.moved = true;
  pending.lines.push(...describeEvents(event, run));
  if (pending.lines.length > 2 * FEED_LIMIT) pending.lines = pending.lines.slice(-FEED_LIMIT);
  const refusal = refusalIn(event);
  if (now === undefined || refusal === undefined) return;
  // A forge that is away has refused nothing.
  const what = isAboutForgeRequest(event) ? "not done" : "refused";
  pending.toast = { text: `${what}: ${displayText(refusal)}`, tone: "bad", until: now + TOAST_MS };
}

/** Why a person's command came to nothing: by the engine's words, or the forge's. */
function refusalIn(event: RunEvent): string | undefined {
  if (isAboutForgeRequest(event)) return forgeRefusal(event);
  return event.type === "command-refused" ? event.reason : undefined;
}

function merge(state: DashboardState, taken: Pending, now: number): Partial<DashboardState> {
  const run = taken.run;
  if (run === undefined) return {};
  const isSame = taken.lines.length === 0 && !taken.fresh;
  const feed = isSame ? state.feed : [...(taken.fresh ? [] : state.feed), ...taken.lines].slice(-FEED_LIMIT);
  const told = taken.toast === undefined ? state.ui : { ...state.ui, toast: taken.toast };
  const lists = taken.moved ? sortTickets(run, state.lists) : state.lists;
  const ui = taken.moved ? withShownSelection({ run, lists }, told, "none") : told;
  // Once the run has ended, the question how to leave it is closed.
  const { modal, ...open } = ui;
  const asked = modal?.kind === "leave" && run.end !== undefined && state.run?.end === undefined ? open : ui;
  const live = taken.fresh ? { ...asked, connection: { state: "live" as const } } : asked;
  // Includes the time, so that this second's tick has nothing left to draw.
  return { run, feed, lists, ui: live, now: toSecond(now) };
}
