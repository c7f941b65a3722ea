import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Plan } from "../../../src/domain/run/state.ts";
import { plural } from "../../../src/domain/values/text.ts";
import { formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { queueLabel, titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { criticalPath, dependentsIn, type GraphLayout, graphLayout } from "../../../src/store/views/graph-layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth } from "../../kit/fit.ts";
import { cutSpans, fitLegend, Rule, type Span, type SpanLine, Spans, spansWidth } from "../../kit/spans.tsx";
import { rowNumbers, type ViewSize } from "../../kit/window.ts";
import { type GraphColumns, graphColumns } from "./graph-columns.ts";
import { graphPaneLayout, selectedIndex } from "./graph-layout.ts";
import { type GraphDrawing, GraphRow, parseStyles, type Relation, stylesKey } from "./graph-row.tsx";
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
    () => ({ ...layOutDrawing({ plan, layout, columns, selected, all: lines === "all" }), layers: { from, to }, critical }),
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
function layOutDrawing(options: {
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

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The title of each layer: its number, and its count of tickets. */
function layerTitles(layout: GraphLayout, columns: GraphColumns, { from, to }: Range): SpanLine {
  return layout.layers.slice(from, to).map((layer, i) => {
    const at = from + i;
    const width = columns.width[at] ?? 0;
    const title = `layer ${at + 1} of ${layout.layers.length} · ${layer.length}`;
    const short = width < title.length + 2 ? `${at + 1} · ${layer.length}` : title;
    const gap = at + 1 < to ? " ".repeat(columns.gap[at] ?? 0) : "";
    return { text: fitTo(` ${cut(short, width - 1)}`, width) + gap, tone: "waiting" as const };
  });
}

/** The count of hidden tickets, and the meanings of the signs, a piece each. */
function hiddenLine(options: {
  readonly layout: GraphLayout;
  readonly layers: Range;
  readonly rows: Range;
  readonly allLines: boolean;
}): readonly SpanLine[] {
  const { layout, layers, rows } = options;
  const words = hiddenLabels(layout, layers, rows);
  const hidden = words.length === 0 ? "" : `${words.join(" · ")}   `;
  const leftOut = layout.lines?.leftOut ?? 0;
  const more = [
    ...(layout.lines === undefined ? ["too many lines to draw"] : []),
    ...(options.allLines && leftOut > 0 ? [`${plural(leftOut, "line")} left out`] : []),
    "< needed by it",
    "> waits for it",
    "+ found by a worker",
  ];
  return [
    [{ text: hidden === "" ? " " : ` ${hidden}`, bold: true }],
    [
      { text: "★", tone: "oracle", bold: true },
      { text: " longest way ahead", tone: "waiting" },
    ],
    ...more.map((text): SpanLine => [{ text: ` · ${text}`, tone: "waiting" }]),
  ];
}

/** `34 in 2 layers before · +120 in 3 layers after · 12 above · +38 more below`; only parts that are not 0. */
function hiddenLabels(layout: GraphLayout, layers: Range, rows: Range): readonly string[] {
  const count = (part: readonly (readonly number[])[]): number => part.reduce((sum, layer) => sum + layer.length, 0);
  const before = layout.layers.slice(0, layers.from);
  const after = layout.layers.slice(layers.to);
  const shown = layout.layers.slice(layers.from, layers.to).flat();
  const above = shown.filter((i) => (layout.rowOf[i] ?? 0) < rows.from).length;
  const below = shown.filter((i) => (layout.rowOf[i] ?? 0) >= rows.to).length;
  return [
    ...(before.length === 0 ? [] : [`◂ ${count(before)} in ${plural(before.length, "layer")}`]),
    ...(after.length === 0 ? [] : [`▸ +${count(after)} in ${plural(after.length, "layer")}`]),
    ...(above === 0 ? [] : [`${above} above`]),
    ...(below === 0 ? [] : [`+${below} more below`]),
  ];
}

interface DetailProps {
  readonly plan: Plan;
  readonly width: number;
  readonly critical: ReadonlySet<number>;
  /** Tickets that are done or left to a person. */
  readonly over: ReadonlySet<number>;
}

/** The selected ticket in words: its state, its dependencies, its dependents. Exactly `lines` lines, 2 or 4. */
function GraphDetail(options: DetailProps & { readonly index: number | undefined; readonly lines: number }): ReactNode {
  const { index, lines, width } = options;
  if (index === undefined) return <Nothing lines={lines} width={width} />;
  return (
    <>
      {lines > 2 && <Rule title="SELECTED" count={describeWorkAhead(options, index)} width={width} />}
      <HowItStands {...options} index={index} />
      {lines > 2 ? (
        <>
          <Related name="waits for" {...options} indexes={graphLayout(options.plan).deps[index] ?? []} />
          <Related name="waiting for it" {...options} indexes={dependentsIn(options.plan, index)} />
        </>
      ) : (
        <Spans line={[{ text: cut(` ${bothWays(options.plan, index)}`, width), tone: "waiting" }]} />
      )}
    </>
  );
}

function Nothing({ lines, width }: { readonly lines: number; readonly width: number }): ReactNode {
  const within = useDashboard((s) => keyIn(s, "graph", "layer-down"));
  const across = useDashboard((s) => keyIn(s, "graph", "layer-left"));
  const words = [
    ...(within === "" ? [] : [`${within} select within a layer`]),
    ...(across === "" ? [] : [`${across} to another`]),
  ];
  return (
    <>
      {lines > 2 && <Rule title="SELECTED" count="none" width={width} />}
      <Spans line={[{ text: cut(` ${words.join(", ")}`, width), tone: "waiting" }]} />
      {Array.from({ length: lines > 2 ? 2 : 1 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={i} line={[{ text: " " }]} />
      ))}
    </>
  );
}

/** The known or assumed work on the path that begins with it; none for a ticket that is over. */
function describeWorkAhead({ plan, critical, over }: DetailProps, index: number): string | undefined {
  if (over.has(index)) return undefined;
  const work = `${formatElapsed(plan.rank[index] ?? 0)} of work from here on`;
  return critical.has(index) ? `on the longest way ahead · ${work}` : work;
}

function HowItStands({ plan, index, width }: DetailProps & { readonly index: number }): ReactNode {
  const id = plan.tickets[index]?.id;
  const { glyph, tone, text } = useDashboard(
    useShallow((s) => (id === undefined ? { glyph: " ", tone: "plain" as const, text: "" } : queueLabel(s, id))),
  );
  const title = useDashboard((s) => (id === undefined ? "" : titleLabel(s, id)));
  const word = cut(text, Math.max(16, width - 6 - (id?.length ?? 0) - Math.min(textWidth(title), 30)));
  const line: SpanLine = [
    { text: ` ${glyph} `, tone },
    { text: `${id ?? ""}  `, bold: true },
    { text: word, tone },
    { text: `  ${title}` },
  ];
  return <Spans line={cutSpans(line, width)} />;
}

/** `waits for  ✔ T-4  » T-6  +3 more`. */
function Related(options: DetailProps & { readonly name: string; readonly indexes: readonly number[] }): ReactNode {
  const styles = parseStyles(useDashboard((s) => stylesKey(s, options.indexes)));
  const head = { text: ` ${options.name.padEnd(NAME_WIDTH)} `, tone: "waiting" as const };
  if (options.indexes.length === 0) return <Spans line={[head, { text: "nobody", tone: "waiting" }]} />;
  const spans: Span[] = [head];
  let shown = 0;
  for (const index of options.indexes) {
    const { glyph = " ", tone = "plain" as const } = styles[shown] ?? {};
    const id = options.plan.tickets[index]?.id ?? "";
    const more = shown + 1 < options.indexes.length ? MORE_WIDTH : 0;
    if (spansWidth(spans) + 4 + id.length + more > options.width) break;
    spans.push({ text: ` ${glyph} `, tone }, { text: `${id} `, bold: options.critical.has(index) });
    shown += 1;
  }
  const hidden = options.indexes.length - shown;
  return <Spans line={hidden === 0 ? spans : [...spans, { text: ` +${hidden} more`, tone: "waiting" }]} />;
}

/** Ids that one line names on either side. */
const NAMED = 2;
const NAME_WIDTH = "waiting for it".length;
const MORE_WIDTH = " +999 more".length;

function bothWays(plan: Plan, index: number): string {
  const ids = (indexes: readonly number[]): string => {
    if (indexes.length === 0) return "nobody";
    const named = indexes.slice(0, NAMED).map((i) => plan.tickets[i]?.id ?? "");
    return `${named.join(" ")}${indexes.length > NAMED ? ` +${indexes.length - NAMED} more` : ""}`;
  };
  return `waits for ${ids(graphLayout(plan).deps[index] ?? [])} · waiting for it: ${ids(dependentsIn(plan, index))}`;
}
