import type { RunState } from "../domain/run/state.ts";
import { describeHalt } from "../domain/schedule/backoff.ts";
import type { TicketId } from "../domain/values/ids.ts";
import { plural } from "../domain/values/plural.ts";
import { plainText } from "../domain/values/text.ts";
import type { DashboardState } from "./dashboard-state.ts";
import { displayText } from "./display-text.ts";
import { runLabel } from "./labels/run-label.ts";

/** What a terminal shows of a run outside of its screen. */
export interface TerminalStatus {
  /** One line, bounded and safe to draw. */
  readonly title: string;
  readonly progress: Progress;
}

/** `percent` is of the tickets that need no more work. */
export type Progress = { readonly state: "none" } | { readonly state: "normal" | "error" | "paused"; readonly percent: number };

/** What a person has been told of a run, or found when the dashboard came to it. */
export interface Notified {
  readonly run?: string;
  readonly needing: ReadonlySet<TicketId>;
  readonly tripped: boolean;
  readonly lost: boolean;
  readonly ended: boolean;
}

/** Before the dashboard has come to any run. */
export const NOTHING_NOTIFIED: Notified = { needing: new Set(), tripped: false, lost: false, ended: false };

/** The part of the dashboard that calls for a person. */
export type NotificationState = Pick<DashboardState, "run" | "lists" | "ui" | "now" | "playback">;

/** Characters of a batch's name in a title or a notice. */
const NAME = 40;
/** Characters of a notice. */
const NOTICE = 160;

/** The title and the progress bar of what stands on the screen. */
export function terminalStatus({ run, ui, now, playback }: NotificationState): TerminalStatus {
  const { glyph, word } = runLabel(run, ui.connection, now);
  if (run === undefined) return { title: `${glyph} loopdash`, progress: { state: "none" } };
  if (playback !== undefined) return { title: `replay of ${nameOf(run)}`, progress: { state: "none" } };
  const all = run.plan.tickets.length;
  const settled = run.counts.done + run.counts["human-gated"];
  const percent = all === 0 ? 0 : Math.floor((100 * settled) / all);
  const said = word === "RUNNING" ? "" : ` ${word.toLowerCase()}`;
  return { title: `${glyph}${said} ${settled}/${all} ${nameOf(run)}`, progress: progressOf(run, ui.connection.state, percent) };
}

function progressOf(run: RunState, connection: DashboardState["ui"]["connection"]["state"], percent: number): Progress {
  if (run.end !== undefined) return run.end.verdict === "done" ? { state: "none" } : { state: "error", percent };
  if (connection === "lost" || run.halted !== undefined) return { state: "error", percent };
  return { state: run.paused ? "paused" : "normal", percent };
}

/**
 * What is to be called out to a person who looks elsewhere, if anything, and what is told from then on. Each thing is called out
 * once; what was there already when the dashboard came to the run, and what a replay plays, never.
 */
export function nextNotification(told: Notified, seen: NotificationState): { readonly told: Notified; readonly notice?: string } {
  const { run, ui } = seen;
  if (run === undefined) return { told };
  const needing = [...seen.lists.needsYou, ...seen.lists.stalled];
  const now: Notified = {
    run: run.run,
    needing: new Set(needing),
    tripped: run.halted !== undefined,
    lost: ui.connection.state === "lost" && run.end === undefined,
    ended: run.end !== undefined,
  };
  if (told.run !== run.run || seen.playback !== undefined) return { told: now };
  const text = noticeText(told, now, seen, run);
  return text === undefined ? { told: now } : { told: now, notice: plainText(`loopdash: ${nameOf(run)}: ${text}`, NOTICE) };
}

/** The one thing that matters most of what is new. */
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

function nameOf({ batch }: RunState): string {
  return plainText(displayText(batch.name), NAME);
}
