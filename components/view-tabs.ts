import { VIEWS, type ViewName } from "../src/store/views/view-name.ts";
import { fitParts, widthOf } from "./fit.ts";

/** The line that says which view one looks at: the others before and after it, where the line is long enough for them. */
export interface ViewTabs {
  readonly left: string;
  readonly own: string;
  readonly right: string;
  /** Columns behind all of it. */
  readonly rest: number;
}

/** The key of a view, as it comes. In a replay the digits have another meaning, and no view has one. */
const keyOf = (view: ViewName, keys: boolean): string => (keys ? `${VIEWS.indexOf(view) + 1}` : "");
const tabWord = (view: ViewName, keys: boolean): string => [keyOf(view, keys), view].filter(Boolean).join(" ");
const BETWEEN = " · ";

/** The names of some views, then their keys alone, or a mark where they have none. */
function tabWords(views: readonly ViewName[], keys: boolean): readonly string[] {
  if (views.length === 0) return [""];
  const few = keys ? views.map((view) => keyOf(view, keys)).join(BETWEEN) : "…";
  return [` ${views.map((view) => tabWord(view, keys)).join(BETWEEN)} `, ` ${few} `];
}

/** Lays the line out. It begins with one column of its own. `keys`: whether the digits lead to the views. */
export function viewTabs(view: ViewName, width: number, keys: boolean): ViewTabs {
  const place = VIEWS.indexOf(view);
  const own = ` ${[keyOf(view, keys), view.toUpperCase()].filter(Boolean).join(" ")} `;
  const { left, right } = fitParts(
    { left: tabWords(VIEWS.slice(0, place), keys), right: tabWords(VIEWS.slice(place + 1), keys) },
    ["left", "right"],
    width - widthOf(own) - 4,
  );
  return { left, own, right, rest: Math.max(0, width - widthOf(own) - widthOf(left) - widthOf(right) - 1) };
}

/** The view whose name or key stands in a column of the line. */
export function tabAt(view: ViewName, width: number, keys: boolean, column: number): ViewName | undefined {
  const { left, own, right } = viewTabs(view, width, keys);
  const line = `─${left}${own}${right}`;
  return VIEWS.find((name) => {
    const words = name === view ? [own] : [tabWord(name, keys), keyOf(name, keys)];
    const word = words.find((one) => one !== "" && line.includes(one));
    const start = word === undefined ? -1 : line.indexOf(word);
    return word !== undefined && column >= start && column < start + widthOf(word);
  });
}
