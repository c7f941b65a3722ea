import type { TicketId } from "../../domain/values/ids.ts";
import type { TextPosition } from "../ticket-log/rows.ts";

/** What the ticket view shows of the selected ticket. */
export const TICKET_TABS = ["log", "diff", "prompt", "evidence", "cost"] as const;
export type TicketTab = (typeof TICKET_TABS)[number];

/** A place in the life of a try: its agent, or a step of the finish line by index. */
export type LifeStep = "agent" | number;

/** What a person has chosen in a ticket; of another ticket it is nothing. Without `step`: the one that tells most. */
export interface Pick {
  readonly ticket: TicketId;
  /** The try; without one, the newest. */
  readonly n?: number;
  readonly step?: LifeStep;
}

/** Where a text is scrolled to. `textKey` says which text it was: any other begins where its tab begins. */
export interface Scrolled {
  readonly textKey: string;
  /** `end`: what comes is followed. */
  readonly at: TextPosition | "end";
}

/** What the ticket view remembers. */
export interface TicketUi {
  readonly tab: TicketTab;
  readonly pick?: Pick;
  readonly scrolled?: Scrolled;
  /** Tabs whose long lines are wrapped; those of the others are cut. */
  readonly wrapped: readonly TicketTab[];
  /** Whether an agent's log is shown as it stands there, and not as people read it. */
  readonly raw: boolean;
  /** What is looked for; empty: nothing. */
  readonly search: string;
  /** The line that was found last, by number, and in which text. */
  readonly match?: { readonly textKey: string; readonly line: number };
  /** What whoever draws the text has for it. */
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
  wrapped: ["log", "prompt", "evidence", "cost"],
  raw: false,
  search: "",
  room: { columns: 60, rows: 10 },
};

/** Folds what is done in the ticket view. Pure; returns the same object where nothing changes. */
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
