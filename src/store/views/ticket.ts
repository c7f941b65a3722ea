import type { TicketId } from "../../domain/values/ids.ts";
import type { TextPosition } from "../ticket-log/rows.ts";

/** The tabs of the ticket view. */
export const TICKET_TABS = ["log", "diff", "prompt", "evidence", "cost", "checks"] as const;
export type TicketTab = (typeof TICKET_TABS)[number];

/** A step of an attempt: its agent, or a step of the finish line by index. */
export type LifeStep = "agent" | number;

/** A person's choice in a ticket; it does not apply to another ticket. Without `step`: the most informative one. */
export interface Pick {
  readonly ticket: TicketId;
  /** The attempt; without one, the newest. */
  readonly n?: number;
  readonly step?: LifeStep;
}

/** The scroll position of a text. `textKey` identifies the text: any other starts at its tab's default position. */
export interface Scrolled {
  readonly textKey: string;
  /** `end`: new lines are followed. */
  readonly at: TextPosition | "end";
}

/** The state of the ticket view. */
export interface TicketUi {
  readonly tab: TicketTab;
  readonly pick?: Pick;
  readonly scrolled?: Scrolled;
  /** Tabs whose long lines are wrapped; other tabs cut them. */
  readonly wrapped: readonly TicketTab[];
  /** True if an agent's log is shown raw. */
  readonly raw: boolean;
  /** The search text; empty: none. */
  readonly search: string;
  /** The last match: its line number, and its text. */
  readonly match?: { readonly textKey: string; readonly line: number };
  /** The room for the text, as the component that draws it reports. */
  readonly room: { readonly columns: number; readonly rows: number };
}

export type TicketViewAction =
  | { readonly type: "tab"; readonly tab: TicketTab }
  | { readonly type: "pick"; readonly pick: Pick }
  | { readonly type: "scroll"; readonly to: Scrolled }
  | { readonly type: "wrap" | "raw" }
  | { readonly type: "search"; readonly text: string }
  | { readonly type: "match"; readonly match: { readonly textKey: string; readonly line: number } }
  | { readonly type: "room"; readonly columns: number; readonly rows: number };

export const INITIAL_TICKET: TicketUi = {
  tab: "log",
  wrapped: ["log", "prompt", "evidence", "cost", "checks"],
  raw: false,
  search: "",
  room: { columns: 60, rows: 10 },
};

/** Folds an action of the ticket view. Pure; returns the same object if nothing changes. */
export function reduceTicketView(ui: TicketUi, action: TicketViewAction): TicketUi {
  switch (action.type) {
    case "tab":
      return ui.tab === action.tab ? ui : { ...ui, tab: action.tab };
    case "pick":
      return { ...ui, pick: action.pick };
    case "scroll":
      return { ...ui, scrolled: action.to };
    case "wrap":
      return {
        ...ui,
        wrapped: ui.wrapped.includes(ui.tab) ? ui.wrapped.filter((tab) => tab !== ui.tab) : [...ui.wrapped, ui.tab],
      };
    case "raw":
      return { ...ui, raw: !ui.raw };
    case "search":
      return searched(ui, action.text);
    case "match":
      return { ...ui, match: action.match };
    case "room": {
      const { columns, rows } = action;
      return ui.room.columns === columns && ui.room.rows === rows ? ui : { ...ui, room: { columns, rows } };
    }
  }
}

function searched({ match: _, ...ui }: TicketUi, search: string): TicketUi {
  return { ...ui, search };
}
