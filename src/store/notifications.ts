import type { RunState } from "../domain/run/state.ts";
import { describeHalt } from "../domain/schedule/backoff.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { plainText, plural } from "../domain/values/text.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { displayText } from "./format.ts";
import { runLabel } from "./labels/run-label.ts";

/** A run's status that a terminal shows outside of its screen. */
export interface TerminalStatus {
  /** One line, bounded and safe to draw. */
  readonly title: string;
  readonly progress: Progress;
}

/** `percent` counts the tickets that need no more work. */
export type Progress = { readonly state: "none" } | { readonly state: "normal" | "error" | "paused"; readonly percent: number };

/** The state of a run that a person was notified of, or that the dashboard found when it connected. */
export interface Notified {
  readonly run?: string;
  readonly needing: ReadonlySet<TicketId>;
  readonly tripped: boolean;
  readonly lost: boolean;
  readonly ended: boolean;
}

/** The value before the dashboard has connected to any run. */
export const NOTHING_NOTIFIED: Notified = { needing: new Set(), tripped: false, lost: false, ended: false };

/** The part of the dashboard's state that notifications depend on. */
export type NotificationState = Pick<DashboardState, "run" | "lists" | "ui" | "now" | "playback">;

/** Characters of a batch's name in a title or a notice. */
const NAME = 40;
/** Characters of a notice. */
const NOTICE = 160;

/** The title and the progress bar for the current screen. */
export function terminalStatus({ run, ui, now, playback }: NotificationState): TerminalStatus {
  const { glyph, word } = runLabel(run, ui.connection, now);
  if (run === undefined) return { title: `${glyph} loopdash`, progress: { state: "none" } };
  if (playback !== undefined) return { title: `replay of ${batchTitle(run)}`, progress: { state: "none" } };
  const all = run.plan.tickets.length;
  const settled = run.counts.done + run.counts["human-gated"];
  const percent = all === 0 ? 0 : Math.floor((100 * settled) / all);
  const said = word === "RUNNING" ? "" : ` ${word.toLowerCase()}`;
  return {
    title: `${glyph}${said} ${settled}/${all} ${batchTitle(run)}`,
    progress: terminalProgress(run, ui.connection.state, percent),
  };
}

function terminalProgress(run: RunState, connection: DashboardState["ui"]["connection"]["state"], percent: number): Progress {
  if (run.end !== undefined) return run.end.verdict === "done" ? { state: "none" } : { state: "error", percent };
  if (connection === "lost" || run.halted !== undefined) return { state: "error", percent };
  return { state: run.paused ? "paused" : "normal", percent };
}

/**
 * The next notification, if any, and the new state of what was notified. Each thing is notified once. States from before the
 * dashboard connected, and replays, never are.
 */
export function nextNotification(told: Notified, seen: NotificationState): { readonly told: Notified; readonly notice?: string } {
  const { run, ui } = seen;
  if (run === undefined) return { told };
  const now: Notified = {
    run: run.run,
    needing: new Set(seen.lists.needsYou),
    tripped: run.halted !== undefined,
    lost: ui.connection.state === "lost" && run.end === undefined,
    ended: run.end !== undefined,
  };
  if (told.run !== run.run || seen.playback !== undefined) return { told: now };
  const text = noticeText(told, now, seen, run);
  return text === undefined ? { told: now } : { told: now, notice: plainText(`loopdash: ${batchTitle(run)}: ${text}`, NOTICE) };
}

/** The most important new thing. */
function noticeText(told: Notified, now: Notified, { ui }: NotificationState, run: RunState): string | undefined {
  if (now.ended) return told.ended ? undefined : `${runLabel(run, ui.connection).word.toLowerCase()}. ${counted(run)}`;
  if (now.tripped && !told.tripped) return `needs you: ${run.halted === undefined ? "" : displayText(describeHalt(run.halted))}`;
  if (now.lost && !told.lost) return "its engine is gone; the run stands still";
  const [first, ...more] = [...now.needing].filter((id) => !told.needing.has(id));
  if (first === undefined) return undefined;
  return more.length === 0 ? `${first} needs you` : `${first} and ${plural(more.length, "other")} need you`;
}

function counted({ plan, counts }: RunState): string {
  return `${counts.done} of ${plural(plan.tickets.length, "ticket")} done, ${counts["human-gated"]} left to you`;
}

function batchTitle({ batch }: RunState): string {
  return plainText(displayText(batch.name), NAME);
}
