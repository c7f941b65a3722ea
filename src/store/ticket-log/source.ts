import type { DashboardState } from "../dashboard-state.ts";
import { Finder } from "./find.ts";
import { tabHeadLines } from "./head.ts";
import type { TextSource } from "./log-text.ts";
import { lastPosition, type PaneSize, positionWithin, type TextPosition } from "./rows.ts";
import { currentTarget, openFileAt, type Target } from "./target.ts";

type State = Pick<DashboardState, "run" | "ui" | "now" | "viewed">;

const NONE: TextSource = { key: "", first: 0, count: 0, line: () => ({ text: "", tone: "plain" }) };

/** The whole text of the ticket view's text pane, including the lines above and below the visible ones. */
export interface ShownText {
  readonly target: Target;
  readonly source: TextSource;
  readonly room: PaneSize;
  /** The position at the top. */
  readonly place: TextPosition;
  /** True if new lines are followed. */
  readonly follows: boolean;
}

/** The text that the ticket view shows now; undefined if there is nothing to show. */
export function shownText(state: State, target = currentTarget(state), size = state.ui.ticket.room): ShownText | undefined {
  if (target === undefined) return undefined;
  const { ticket: ui } = state.ui;
  const source = ticketTextSource(state, target);
  const room = { ...size, wrap: target.change?.waits === true || ui.wrapped.includes(ui.tab) };
  const scrolled = ui.scrolled?.textKey === target.key ? ui.scrolled.at : ui.tab === "log" ? "end" : undefined;
  if (scrolled === "end") return { target, source, room, place: lastPosition(source, room), follows: true };
  return {
    target,
    source,
    room,
    place: positionWithin(source, scrolled ?? { line: source.first, row: 0 }, room),
    follows: false,
  };
}

function ticketTextSource(state: State, target: Target): TextSource {
  const head = tabHeadLines(state, target);
  const text = target.tab === "cost" ? undefined : openFileAt(state, target)?.text;
  const lines = text?.lines(state.ui.ticket.raw) ?? NONE;
  if (head.length === 0) return { ...lines, key: `${target.key} ${lines.key}` };
  return {
    key: `${target.key} ${lines.key} ${head.map((line) => line.text).join("\n")}`,
    first: lines.first,
    count: head.length + lines.count,
    line: (i) => head[i] ?? lines.line(i - head.length),
  };
}

let last: Finder | undefined;

/** The lines that match the search, by number, in order. */
export function foundIn(source: TextSource, needle: string): readonly number[] {
  if (needle === "") return [];
  if (last === undefined || !last.isFor(needle, source)) last = new Finder(needle, source.key);
  return last.lines(source);
}
