/** Views and dialogs that are scrollable lines. */
export type PaneName = "summary" | "help" | "ledger" | "oracle" | "feed";

/** The scroll position of such a pane: its first visible line, and the last possible one, as drawn. */
export interface Pane {
  readonly scroll: number;
  readonly max: number;
  /** It stays at its end, and counts the lines after the last visible one. Scrolled back, it shows the same lines as more come. */
  readonly isFromEnd?: true;
}

export type PaneAction =
  | { readonly type: "by"; readonly lines: number }
  | { readonly type: "to"; readonly place: "top" | "end" }
  | { readonly type: "max"; readonly max: number };

export const AT_TOP: Pane = { scroll: 0, max: 0 };
export const AT_END: Pane = { ...AT_TOP, isFromEnd: true };

/** Scrolls within bounds. Pure; returns the same object if nothing changes. */
export function reducePane(pane: Pane, action: PaneAction): Pane {
  switch (action.type) {
    case "by":
      return at(pane, pane.scroll + action.lines, pane.max);
    case "to":
      return at(pane, action.place === "top" ? 0 : pane.max, pane.max);
    case "max":
      return at(pane, pane.scroll + (pane.isFromEnd && pane.scroll > 0 ? action.max - pane.max : 0), Math.max(0, action.max));
  }
}

function at(pane: Pane, to: number, max: number): Pane {
  const scroll = Math.min(Math.max(0, to), max);
  return scroll === pane.scroll && max === pane.max ? pane : { ...pane, scroll, max };
}
