import { memo, type ReactNode } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Plan } from "../../../src/domain/run/state.ts";
import { vecAt } from "../../../src/domain/values/vec.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/format.ts";
import { ticketStyle } from "../../../src/store/labels/ticket-label.ts";
import type { Style, Tone } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import type { GraphLayout } from "../../../src/store/views/graph-layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth } from "../../kit/fit.ts";
import { joinSpans, linkSpans, type Span, Spans, toLink } from "../../kit/spans.tsx";
import { type GraphColumns, headWidth } from "./graph-columns.ts";
import { type LineGrid, lineSpans } from "./line-grid.ts";

/** The data that all rows of a graph share. */
export interface GraphDrawing {
  readonly plan: Plan;
  readonly layout: GraphLayout;
  readonly columns: GraphColumns;
  /** The visible layers, the second not included. */
  readonly layers: { readonly from: number; readonly to: number };
  /** All lines, if they are wanted and can be told apart. */
  readonly lines: LineGrid | undefined;
  /** Those of the selected ticket. */
  readonly chosen: LineGrid | undefined;
  /** Tickets with a line that leaves them, and those whose line is a chosen one. */
  readonly leaving: ReadonlySet<number>;
  readonly leavingChosen: ReadonlySet<number>;
  readonly critical: ReadonlySet<number>;
  readonly relation: ReadonlyMap<number, Relation>;
}

/** A ticket's relation to the selected one: itself, a dependency, or a dependent. */
export type Relation = "selected" | "needed" | "waiting";

const MARKS: Readonly<Record<Relation, string>> = { selected: "▌", needed: "<", waiting: ">" };

/** One row of the graph, over all visible layers. Redrawn only if the style of a ticket in it changes. */
export const GraphRow = memo(function GraphRow({
  row,
  drawing,
}: {
  readonly row: number;
  readonly drawing: GraphDrawing;
}): ReactNode {
  useDrawn(`graph row ${row}`);
  const { layout, layers } = drawing;
  const shown = layout.cells.slice(layers.from, layers.to).flatMap((cells) => cells.get(row) ?? []);
  const styles = parseStyles(useDashboard((s) => stylesKey(s, shown)));
  const style = new Map(shown.map((index, i) => [index, styles[i] ?? { glyph: " ", tone: "plain" as const }]));
  const urls = useDashboard(useShallow((s) => shown.map((index) => ticketUrlAt(s, index))));
  const url = new Map(shown.map((index, i) => [index, urls[i]]));
  const spans: Span[] = [];
  for (let layer = layers.from; layer < layers.to; layer++) {
    const index = layout.cells[layer]?.get(row);
    if (index === undefined) spans.push(...passing(drawing, layer, row));
    else {
      const page = toLink(drawing.plan.tickets[index]?.id ?? "", drawing.columns.id, url.get(index));
      spans.push(...linkSpans(ticketSpans(drawing, index, style.get(index), layer), [page]));
    }
    if (layer + 1 < layers.to) spans.push(...gapSpans(drawing, layer, row));
  }
  return <Spans line={spans.length === 0 ? EMPTY : joinSpans(spans)} />;
});

function ticketUrlAt({ run }: Pick<DashboardState, "run">, index: number): string | undefined {
  return run === undefined ? undefined : ticketUrl(vecAt(run.tickets, index));
}

/** An empty row keeps its line. */
const EMPTY = [{ text: " " }];

function passing({ columns, lines, chosen }: GraphDrawing, layer: number, row: number): readonly Span[] {
  const x = columns.x[layer] ?? 0;
  return lineSpans(row, [x, x + (columns.width[layer] ?? 0)], { all: lines, chosen });
}

function gapSpans({ columns, lines, chosen }: GraphDrawing, layer: number, row: number): readonly Span[] {
  const from = (columns.x[layer] ?? 0) + (columns.width[layer] ?? 0);
  return lineSpans(row, [from, columns.x[layer + 1] ?? from], { all: lines, chosen });
}

function ticketSpans(graphDrawing: GraphDrawing, index: number, style: Style | undefined, layer: number): readonly Span[] {
  const { plan, columns, relation } = graphDrawing;
  const ticket = plan.tickets[index];
  const related = relation.get(index);
  const critical = graphDrawing.critical.has(index);
  const selected = related === "selected";
  const room = (columns.width[layer] ?? 0) - headWidth(columns.id);
  const title = cut(displayText(ticket?.title ?? ""), graphDrawing.leaving.has(index) ? room - 1 : room);
  const left = room - textWidth(title);
  const sign = critical ? "★" : ticket?.foundBy === undefined ? " " : "+";
  return [
    { text: related === undefined ? " " : MARKS[related], tone: "running", bold: true },
    { text: `${style?.glyph ?? " "} `, tone: style?.tone ?? "plain" },
    { text: fitTo(ticket?.id ?? "", columns.id), bold: critical || related !== undefined, inverse: selected },
    { text: `${sign} `, tone: critical ? "oracle" : "running", bold: true },
    { text: title, tone: style?.tone === "good" && related === undefined ? "waiting" : "plain", bold: selected },
    ...leader(graphDrawing, index, left),
  ];
}

/** The stretch from a ticket's title to the lines that leave it. */
function leader({ leaving, leavingChosen }: GraphDrawing, index: number, width: number): readonly Span[] {
  if (width <= 0) return [];
  if (!leaving.has(index)) return [{ text: " ".repeat(width) }];
  const text = ` ${"─".repeat(width - 1)}`;
  return [leavingChosen.has(index) ? { text, tone: "running", bold: true } : { text, tone: "waiting" }];
}

/** The styles of several tickets as one text, which changes only with them. */
export function stylesKey(state: Pick<DashboardState, "run">, indexes: readonly number[]): string {
  return indexes
    .map((index) => {
      const { glyph, tone } = ticketStyle(state, index);
      return `${glyph} ${tone}`;
    })
    .join("\n");
}

/** Parses such a text. */
export function parseStyles(key: string): readonly Style[] {
  if (key === "") return [];
  return key.split("\n").map((style) => {
    const at = style.lastIndexOf(" ");
    return { glyph: style.slice(0, at), tone: style.slice(at + 1) as Tone };
  });
}
