import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import type { MouseTarget } from "../../../src/store/keymap/mouse.ts";
import type { AttemptHistory } from "../../../src/store/ticket-log/attempts.ts";
import { currentTarget, type Target } from "../../../src/store/ticket-log/target.ts";
import type { TicketTab } from "../../../src/store/views/ticket.ts";
import { WIDE_COLUMNS } from "../../frame/layout.ts";
import { textWidth } from "../../kit/fit.ts";
import { type Cell, type ViewSize, visibleWindow, type Window } from "../../kit/window.ts";
import { type AttemptLine, attemptLines } from "./attempt-lines.ts";
import { headHeight } from "./head-lines.ts";

/** Minimum and maximum columns of the attempt history beside the text. */
const [LEAST_LIST, MOST_LIST] = [38, 56];
/** Its share of the width between them. */
const LIST_SHARE = 0.3;
/** Lines above the attempt history beside the text. */
const LIST_TITLE = 1;

/** The positions of the attempt history and the text, under the head. */
interface TicketLayout {
  readonly wide: boolean;
  readonly list: ViewSize;
  readonly text: ViewSize;
}

/** Side by side if there is room, else the text under a line for each attempt. */
export function ticketLayout({ columns, height }: ViewSize, attempts: number): TicketLayout {
  if (columns >= WIDE_COLUMNS) {
    const list = Math.min(MOST_LIST, Math.max(LEAST_LIST, Math.floor(columns * LIST_SHARE)));
    return { wide: true, list: { columns: list, height }, text: { columns: columns - list, height } };
  }
  const lines = Math.min(attempts, Math.max(1, Math.floor(height / 5)));
  return { wide: false, list: { columns, height: lines }, text: { columns, height: height - lines } };
}

/** The attempt history beside the text, under its title: its lines, and the visible ones. */
export function shownAttempt(
  { attempts, attempt, entry }: Pick<Target, "attempts" | "attempt" | "entry">,
  { columns, height }: ViewSize,
) {
  const { lines, at } = attemptLines(attempts, { attempt, entry }, columns - 1);
  return { lines, window: visibleWindow(lines.length, height - LIST_TITLE, at) };
}

/** The visible attempts above the text; if there is one line for all, the chosen one. */
export function shownAttempts(attempts: readonly AttemptHistory[], attempt: AttemptHistory | undefined, height: number): Window {
  const at = attempt === undefined ? 0 : attempts.indexOf(attempt);
  if (height === 1) return { start: at, end: Math.min(at + 1, attempts.length), above: 0, below: 0 };
  return visibleWindow(attempts.length, height, at);
}

/** A tab's name, with a space on either side. */
export function tabName(tab: TicketTab, chosen: TicketTab): string {
  return ` ${tab === chosen ? tab.toUpperCase() : tab} `;
}

/** The part of the ticket view in a cell, counted from its first line: a tab, or a step or an attempt. */
export function ticketPartAt(state: DashboardState, { columns, height }: ViewSize, cell: Cell): MouseTarget | undefined {
  const target = currentTarget(state);
  if (target === undefined) return undefined;
  const head = headHeight(state, { columns, height });
  const { wide, list, text } = ticketLayout({ columns, height: height - head }, target.attempts.length);
  const row = cell.row - head;
  const isInList = wide ? cell.column < list.columns : row < list.height;
  if (row < 0 || row >= height - head) return undefined;
  if (isInList) return wide ? stepAt(target, list, row - LIST_TITLE) : attemptAt(target, list, row);
  const [left, top] = wide ? [columns - text.columns + 1, 0] : [0, list.height];
  // The line of the tabs begins with a dash.
  return row === top ? tabAt(target, cell.column - left - 1) : undefined;
}

function stepAt(target: Target, size: ViewSize, row: number): MouseTarget | undefined {
  const { lines, window } = shownAttempt(target, size);
  const at = window.start + row;
  const of = row < 0 || at >= window.end ? undefined : lines[at]?.of;
  return of === undefined ? undefined : pick(target, of);
}

function attemptAt(target: Target, { height }: ViewSize, row: number): MouseTarget | undefined {
  const { start, end } = shownAttempts(target.attempts, target.attempt, height);
  const attempt = start + row >= end ? undefined : target.attempts[start + row];
  return attempt === undefined ? undefined : pick(target, { n: attempt.n });
}

/** The newest attempt is not pinned: the next one is shown once it begins. */
function pick({ ticket, attempts }: Target, { n, step }: NonNullable<AttemptLine["of"]>): MouseTarget {
  const held = n === attempts.at(-1)?.n ? {} : { n };
  return { on: "step", pick: { ticket: ticket.id, ...held, step } };
}

function tabAt({ tab: chosen, tabs }: Target, column: number): MouseTarget | undefined {
  let start = 0;
  for (const tab of tabs) {
    const end = start + textWidth(tabName(tab, chosen));
    if (column >= start && column < end) return { on: "tab", tab };
    start = end;
  }
  return undefined;
}
