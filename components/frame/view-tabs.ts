import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { keyLabel } from "../../src/store/keymap/key-labels.ts";
import { VIEWS, type ViewName } from "../../src/store/views/view-name.ts";
import { fitParts, textWidth } from "../kit/fit.ts";

/** The line with the name of the current view, and the others before and after it if the line is long enough. */
export interface ViewTabs {
  readonly left: string;
  readonly own: string;
  readonly right: string;
  /** Columns after all of it. */
  readonly rest: number;
}

/** The first key of each view in words, in the order of VIEWS; empty if it has none, as the digits in a replay. */
export function viewKeys({ keymap, ui: { view } }: Pick<DashboardState, "keymap" | "ui">): readonly string[] {
  return VIEWS.map((name) => keyLabel(keymap[view].find((b) => b.name === `view-${name}`)?.keys[0] ?? ""));
}

const LINE = "─";
const BETWEEN = " · ";
const MARK = "…";

/** A word of the line, and the view that it leads to. */
interface Tab {
  readonly view: ViewName;
  readonly word: string;
}

/** The views on one side, in so many words. */
interface Side {
  readonly text: string;
  readonly tabs: readonly Tab[];
}

/** The views of one side by name, by their keys alone, and as a mark. */
function tabSides(views: readonly ViewName[], keys: readonly string[]): readonly Side[] {
  if (views.length === 0) return [{ text: "", tabs: [] }];
  const viewKey = (view: ViewName): string => keys[VIEWS.indexOf(view)] ?? "";
  const side = (wordOf: (view: ViewName) => string): Side => {
    const tabs = views.map((view) => ({ view, word: wordOf(view) }));
    return { text: ` ${tabs.map(({ word }) => word).join(BETWEEN)} `, tabs };
  };
  const named = side((view) => [viewKey(view), view].filter(Boolean).join(" "));
  const byKey = views.some((view) => viewKey(view) !== "") ? [side((view) => viewKey(view) || MARK)] : [];
  return [named, ...byKey, { text: ` ${MARK} `, tabs: [] }];
}

/** The text on either side of the view's own name. */
function laidOut(view: ViewName, width: number, keys: readonly string[]) {
  const place = VIEWS.indexOf(view);
  const own = ` ${[keys[place] ?? "", view.toUpperCase()].filter(Boolean).join(" ")} `;
  const [before, after] = [tabSides(VIEWS.slice(0, place), keys), tabSides(VIEWS.slice(place + 1), keys)];
  const { left, right } = fitParts(
    { left: before.map(({ text }) => text), right: after.map(({ text }) => text) },
    ["left", "right", "left", "right"],
    width - textWidth(own) - 4,
  );
  const sideTabs = (sides: readonly Side[], shown: string) => sides.find(({ text }) => text === shown)?.tabs ?? [];
  return { own, left, right, before: sideTabs(before, left), after: sideTabs(after, right) };
}

/** Lays the line out. It begins with one column of its own. `keys`: those of all views, in words (see `viewKeys`). */
export function viewTabs(view: ViewName, width: number, keys: readonly string[]): ViewTabs {
  const { left, own, right } = laidOut(view, width, keys);
  return { left, own, right, rest: Math.max(0, width - textWidth(own) - textWidth(left) - textWidth(right) - textWidth(LINE)) };
}

/** The view whose name or key lies in a column of the line. */
export function tabAt(view: ViewName, width: number, keys: readonly string[], column: number): ViewName | undefined {
  const { left, own, before, after } = laidOut(view, width, keys);
  const ownAt = textWidth(LINE) + textWidth(left);
  if (column >= ownAt && column < ownAt + textWidth(own)) return view;
  return tabIn(before, column - textWidth(LINE) - 1) ?? tabIn(after, column - ownAt - textWidth(own) - 1);
}

function tabIn(tabs: readonly Tab[], column: number): ViewName | undefined {
  let start = 0;
  for (const { view, word } of tabs) {
    if (column >= start && column < start + textWidth(word)) return view;
    start += textWidth(word) + textWidth(BETWEEN);
  }
  return undefined;
}
