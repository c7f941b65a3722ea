import { Box } from "ink";
import { type ReactNode, use, useEffect } from "react";
import { plural } from "../../src/domain/values/text.ts";
import type { Tone } from "../../src/store/labels/tone.ts";
import type { PaneName } from "../../src/store/views/pane.ts";
import { DashboardContext, useDashboard } from "./dashboard-context.ts";
import { cutSpans, Line, Rule, Say, type SpanLine, Spans } from "./spans.tsx";
import { linesWindow, type ViewSize } from "./window.ts";

/** A line of a pane: text, or the title of a section. */
export type PaneLine = { readonly title: string; readonly count: string; readonly tone: Tone } | SpanLine;

/** Lines that scroll if there are more than fit; the last line counts the hidden ones. */
export function LinesPane({
  pane,
  lines,
  columns,
  height,
}: ViewSize & { readonly pane: PaneName; readonly lines: readonly PaneLine[] }): ReactNode {
  const scroll = useDashboard((s) => s.ui.panes[pane].scroll);
  const store = use(DashboardContext)?.store;
  const { start, shown, max } = linesWindow(lines.length, height, scroll);
  useEffect(() => store?.dispatch({ type: "pane", pane, action: { type: "max", max } }), [store, pane, max]);
  const below = lines.length - start - shown;
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0}>
      {lines.slice(start, start + shown).map((line, i) =>
        "title" in line ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place among the lines
          <Rule key={start + i} title={line.title} count={line.count || undefined} tone={line.tone} width={columns} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place among the lines
          <Spans key={start + i} line={cutSpans(line, columns)} />
        ),
      )}
      {lines.length > height && (
        <Line>
          <Say tone="waiting">{` ${start > 0 ? `${plural(start, "line")} above · ` : ""}${below > 0 ? `+${plural(below, "more line")}` : "end"}`}</Say>
        </Line>
      )}
    </Box>
  );
}
