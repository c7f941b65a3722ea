import type { DashboardState } from "../dashboard-state.ts";
import { Finder } from "./viewed-find.ts";
import { headOf } from "./viewed-head.ts";
import { endOf, type Place, type Room, within } from "./viewed-rows.ts";
import { type Target, targetOf, viewedOf } from "./viewed-target.ts";
import type { Source } from "./viewed-text.ts";

type State = Pick<DashboardState, "run" | "ui" | "viewed">;

const NONE: Source = { of: "", first: 0, count: 0, line: () => ({ text: "", tone: "plain" }) };

/** Everything that the text pane of the ticket view shows, above and below what is seen of it. */
export interface Shown {
  readonly target: Target;
  readonly source: Source;
  readonly room: Room;
  /** The place at the top. */
  readonly place: Place;
  /** Whether what comes is followed. */
  readonly follows: boolean;
}

/** What the ticket view shows now; undefined where there is nothing to look at. */
export function shownOf(state: State, target = targetOf(state), size = state.ui.ticket.room): Shown | undefined {
  if (target === undefined) return undefined;
  const { ticket: ui } = state.ui;
  const source = sourceOf(state, target);
  const room = { ...size, wrap: ui.wrapped.includes(ui.tab) };
  const scrolled = ui.scrolled?.of === target.key ? ui.scrolled.at : ui.tab === "log" ? "end" : undefined;
  if (scrolled === "end") return { target, source, room, place: endOf(source, room), follows: true };
  return { target, source, room, place: within(source, scrolled ?? { line: source.first, row: 0 }, room), follows: false };
}

function sourceOf(state: State, target: Target): Source {
  const head = headOf(state, target);
  const text = target.tab === "cost" ? undefined : viewedOf(state, target)?.text;
  const lines = text?.lines(state.ui.ticket.raw) ?? NONE;
  if (head.length === 0) return { ...lines, of: `${target.key} ${lines.of}` };
  return {
    of: `${target.key} ${lines.of} ${head.map((line) => line.text).join("\n")}`,
    first: lines.first,
    count: head.length + lines.count,
    line: (i) => head[i] ?? lines.line(i - head.length),
  };
}

let last: Finder | undefined;

/** The lines that have what is looked for, by number, in order. */
export function foundIn(source: Source, needle: string): readonly number[] {
  if (needle === "") return [];
  if (last === undefined || !last.isFor(needle, source)) last = new Finder(needle, source.of);
  return last.lines(source);
}
