import { plural } from "../../../src/domain/values/plural.ts";
import type { GraphLayout } from "../../../src/store/views/graph-layout.ts";
import { cut, fitTo } from "../../kit/fit.ts";
import type { SpanLine } from "../../kit/spans.tsx";
import type { GraphColumns } from "./graph-columns.ts";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The title of each layer: its number, and its count of tickets. */
export function layerTitles(layout: GraphLayout, columns: GraphColumns, { from, to }: Range): SpanLine {
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
export function hiddenLine(options: {
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
