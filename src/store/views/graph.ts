/** What the graph view remembers: whose lines it draws. */
export interface GraphUi {
  readonly lines: "all" | "selected";
}

export type GraphAction = { readonly type: "toggle-lines" };

export const INITIAL_GRAPH: GraphUi = { lines: "all" };

/** Folds what is done in the graph view. Pure. */
export function reduceGraph(ui: GraphUi, action: GraphAction): GraphUi {
  switch (action.type) {
    case "toggle-lines":
      return { ...ui, lines: ui.lines === "all" ? "selected" : "all" };
  }
}
