/** Views and dialogs that are lines to scroll through. */
export type PaneName = "summary" | "help" | "ledger" | "oracle";

/** Where such a pane stands: its first line that is shown, and how far it can go, which whoever draws it tells. */
export interface Pane {
  readonly scroll: number;
  readonly max: number;
}

export type PaneAction =
  | { readonly type: "by"; readonly lines: number }
  | { readonly type: "to"; readonly place: "top" | "end" }
  | { readonly type: "max"; readonly max: number };

export const AT_TOP: Pane = { scroll: 0, max: 0 };

/** Scrolls within bounds. Pure; returns the same object where nothing changes. */
export function reducePane(pane: Pane, action: PaneAction): Pane {
  switch (action.type) {
    case "by":
      return at(pane, pane.scroll + action.lines, pane.max);
    case "to":
      return at(pane, action.place === "top" ? 0 : pane.max, pane.max);
    case "max":
      return at(pane, pane.scroll, Math.max(0, action.max));
  }
}

function at(pane: Pane, to: number, max: number): Pane {
  const scroll = Math.min(Math.max(0, to), max);
  return scroll === pane.scroll && max === pane.max ? pane : { scroll, max };
}
