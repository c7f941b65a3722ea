/**
 * The state of the timeline. `zoom` counts the steps by which it shows less than the whole run. `end` is the right end of the
 * shown time, in milliseconds since the epoch; without it that is now. `span` is its length, as drawn.
 */
export interface TimelineUi {
  readonly zoom: number;
  readonly end?: number;
  readonly span: number;
}

export type TimelineAction =
  | { readonly type: "zoom"; readonly by: number }
  /** Moves by a share of the shown time, between the first and the last time there is. */
  | { readonly type: "pan"; readonly share: number; readonly first: number; readonly last: number }
  | { readonly type: "to"; readonly place: "start" | "now" | "whole"; readonly first: number }
  | { readonly type: "span"; readonly ms: number };

export const INITIAL_TIMELINE: TimelineUi = { zoom: 0, span: 0 };

/** Maximum of zoom steps. */
const MOST_ZOOM = 12;

/** Folds an action of the timeline view. Pure; returns the same object if nothing changes. */
export function reduceTimeline(ui: TimelineUi, action: TimelineAction): TimelineUi {
  switch (action.type) {
    case "zoom": {
      const zoom = Math.min(Math.max(0, ui.zoom + action.by), MOST_ZOOM);
      return zoom === ui.zoom ? ui : zoom === 0 ? following(ui, 0) : { ...ui, zoom };
    }
    case "pan":
      return panned(ui, action);
    case "to":
      if (action.place === "start") return ui.zoom === 0 ? ui : { ...ui, end: action.first + ui.span };
      return following(ui, action.place === "whole" ? 0 : ui.zoom);
    case "span":
      return ui.span === action.ms ? ui : { ...ui, span: action.ms };
  }
}

/** Without zoom the whole run is visible, so there is nowhere to go. */
function panned(ui: TimelineUi, { share, first, last }: Extract<TimelineAction, { type: "pan" }>): TimelineUi {
  if (ui.zoom === 0) return ui;
  const end = Math.max((ui.end ?? last) + share * ui.span, Math.min(last, first + ui.span));
  return end >= last ? following(ui, ui.zoom) : { ...ui, end };
}

function following({ end: _, ...ui }: TimelineUi, zoom: number): TimelineUi {
  return { ...ui, zoom };
}
