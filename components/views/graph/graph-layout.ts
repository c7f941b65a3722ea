import type { Plan } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { type GraphLayout, graphLayout } from "../../../src/store/views/graph-layout.ts";
import { type Cell, rowWindow, type ViewSize } from "../../kit/window.ts";
import { type GraphColumns, graphColumns, layerWindow } from "./graph-columns.ts";

/** From this many lines on, all tickets connected with the selected one have lines of their own. */
const ROOMY = 16;
/** Lines beside the rows: the layer titles, and the count of hidden tickets. */
const OTHER_LINES = 2;

/** The visible part of the graph, and its position. */
interface GraphPaneLayout {
  /** Lines about the selected ticket. */
  readonly detail: 2 | 4;
  /** Lines for rows. */
  readonly room: number;
  readonly layers: { readonly from: number; readonly to: number };
  readonly rows: { readonly from: number; readonly to: number };
}

/** Finds the page with the selected ticket (an index). */
export function graphPaneLayout(options: {
  readonly layout: GraphLayout;
  readonly columns: GraphColumns;
  readonly size: ViewSize;
  readonly selected: number | undefined;
}): GraphPaneLayout {
  const { layout, columns, size, selected } = options;
  const detail = size.height >= ROOMY ? 4 : 2;
  const room = Math.max(1, size.height - detail - OTHER_LINES);
  const layers = layerWindow(columns, size.columns - 1, selected === undefined ? 0 : (layout.layerOf[selected] ?? 0));
  const rows = rowWindow(layout.rows, room, selected === undefined ? 0 : (layout.rowOf[selected] ?? 0));
  return { detail, room, layers, rows };
}

/** The index of the selected ticket. */
export function selectedIndex({ run, ui }: Pick<DashboardState, "run" | "ui">): number | undefined {
  return ui.selected === undefined ? undefined : run?.plan.index[ui.selected];
}

/** The ticket in a cell of the graph, counted from its first line. */
export function graphTicketAt(state: DashboardState, size: ViewSize, cell: Cell): TicketId | undefined {
  const plan: Plan | undefined = state.run?.plan;
  if (plan === undefined) return undefined;
  const layout = graphLayout(plan);
  const columns = graphColumns(plan, layout, size.columns);
  const { layers, rows } = graphPaneLayout({ layout, columns, size, selected: selectedIndex(state) });
  // The first line names the layers.
  const row = rows.from + cell.row - 1;
  if (cell.row < 1 || row >= rows.to) return undefined;
  const x = cell.column + (columns.x[layers.from] ?? 0);
  const isAt = (_: unknown, layer: number): boolean => {
    const left = columns.x[layer] ?? 0;
    return layer >= layers.from && layer < layers.to && x >= left && x < left + (columns.width[layer] ?? 0);
  };
  const index = layout.cells[layout.layers.findIndex(isAt)]?.get(row);
  return index === undefined ? undefined : plan.tickets[index]?.id;
}
