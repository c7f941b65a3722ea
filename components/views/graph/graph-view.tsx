import { memo, type ReactNode, useMemo } from "react";
import type { Plan } from "../../../src/domain/run/state.ts";
import { criticalPath, dependentsIn, type GraphLayout, graphLayout } from "../../../src/store/views/graph-layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { cutSpans, fitLegend, Spans } from "../../kit/spans.tsx";
import { rowNumbers } from "../../kit/window.ts";
import { graphColumns } from "./graph-columns.ts";
import { GraphDetail } from "./graph-detail.tsx";
import { graphPaneLayout, selectedIndex } from "./graph-layout.ts";
import { hiddenLine, layerTitles } from "./graph-lines-of-text.ts";
import { type GraphDrawing, GraphRow, type Relation } from "./graph-row.tsx";
import { lineGrid } from "./line-grid.ts";

/** The graph view: the dependencies of tickets, in layers from left to right. */
export function GraphView({ columns, height }: ViewSize): ReactNode {
  useDrawn("graph");
  const plan = useDashboard((s) => s.run?.plan);
  return (
    <ViewFrame columns={columns} height={height}>
      {plan === undefined ? <NoRun /> : <Graph plan={plan} columns={columns} height={height - FRAME_LINES} />}
    </ViewFrame>
  );
}

const Graph = memo(function Graph(options: { readonly plan: Plan } & ViewSize): ReactNode {
  const { plan, columns: width, height } = options;
  const layout = graphLayout(plan);
  const selected = useDashboard(selectedIndex);
  const lines = useDashboard((s) => s.ui.graph.lines);
  const over = useOver(plan);
  const critical = useMemo(() => new Set(criticalPath(plan, (index) => over.has(index))), [plan, over]);
  const columns = useMemo(() => graphColumns(plan, layout, width), [plan, layout, width]);
  const { detail, room, layers, rows } = graphPaneLayout({ layout, columns, size: { columns: width, height }, selected });
  const { from, to } = layers;
  const drawing = useMemo(
    () => ({ ...drawingOf({ plan, layout, columns, selected, all: lines === "all" }), layers: { from, to }, critical }),
    [plan, layout, columns, selected, lines, from, to, critical],
  );
  const blank = Math.max(0, room - (rows.to - rows.from));
  return (
    <>
      <Spans line={cutSpans(layerTitles(layout, columns, layers), width)} />
      {rowNumbers(rows).map((row) => (
        <GraphRow key={row} row={row} drawing={drawing} />
      ))}
      {Array.from({ length: blank }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={EMPTY} />
      ))}
      <Spans line={fitLegend(hiddenLine({ layout, layers, rows, allLines: lines === "all" }), width)} />
      <GraphDetail plan={plan} index={selected} width={width} lines={detail} critical={critical} over={over} />
    </>
  );
});

const EMPTY = [{ text: " " }];

/** The tickets that are done or left to a person; the same set until another one is over. */
function useOver(plan: Plan): ReadonlySet<number> {
  const done = useDashboard((s) => s.lists.done);
  const gated = useDashboard((s) => s.lists.needsYou);
  return useMemo(() => new Set([...done, ...gated].flatMap((id) => plan.index[id] ?? [])), [plan, done, gated]);
}

/** The part of the drawing that follows from the plan and the selection. */
function drawingOf(options: {
  readonly plan: Plan;
  readonly layout: GraphLayout;
  readonly columns: GraphDrawing["columns"];
  readonly selected: number | undefined;
  readonly all: boolean;
}): Omit<GraphDrawing, "layers" | "critical"> {
  const { plan, layout, columns, selected } = options;
  const drawn = layout.lines?.lines ?? [];
  const chosen = drawn.filter(({ from, to }) => from === selected || to === selected);
  const shown = options.all ? drawn : chosen;
  const grid = (lines: typeof drawn) => lineGrid(lines, { columns, layerOf: layout.layerOf, rows: layout.rows });
  const relation = new Map<number, Relation>();
  if (selected !== undefined) {
    for (const dep of layout.deps[selected] ?? []) relation.set(dep, "needed");
    for (const dependent of dependentsIn(plan, selected)) relation.set(dependent, "waiting");
    relation.set(selected, "selected");
  }
  return {
    plan,
    layout,
    columns,
    lines: options.all && layout.lines !== undefined ? grid(drawn) : undefined,
    chosen: chosen.length === 0 ? undefined : grid(chosen),
    leaving: new Set(shown.map(({ from }) => from)),
    leavingChosen: new Set(chosen.map(({ from }) => from)),
    relation,
  };
}
