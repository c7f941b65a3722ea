import { Box } from "ink";
import { memo, type ReactNode, use, useEffect, useMemo } from "react";
import { plural } from "../src/store/format.ts";
import { DashboardContext, useDashboard, useDrawn } from "./dashboard-context.ts";
import { Rule } from "./rule.tsx";
import { cutSpans, Spans } from "./spans.tsx";
import { summaryLines } from "./summary-lines.ts";
import { Line, Say } from "./text.tsx";

/** The screen after the run: what came of it, to be scrolled where it is longer than the terminal. */
export const Summary = memo(function Summary({
  columns,
  height,
}: {
  readonly columns: number;
  readonly height: number;
}): ReactNode {
  useDrawn("summary");
  const run = useDashboard((s) => s.run);
  const scroll = useDashboard((s) => s.ui.scroll);
  const store = use(DashboardContext)?.store;
  const lines = useMemo(() => (run === undefined ? [] : summaryLines(run, columns)), [run, columns]);
  const fits = lines.length <= height;
  const shown = fits ? height : height - 1;
  const max = Math.max(0, lines.length - shown);
  useEffect(() => store?.dispatch({ type: "scroll-max", max }), [store, max]);
  const start = Math.min(scroll, max);
  const below = lines.length - start - shown;
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0}>
      {lines.slice(start, start + shown).map((line, i) =>
        "title" in line ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the summary
          <Rule key={start + i} title={line.title} count={line.count} tone={line.tone} width={columns} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the summary
          <Spans key={start + i} line={cutSpans(line, columns)} />
        ),
      )}
      {!fits && (
        <Line>
          <Say tone="waiting">{` ${start > 0 ? `${plural(start, "line")} above · ` : ""}${below > 0 ? `+${plural(below, "more line")}` : "end"}`}</Say>
        </Line>
      )}
    </Box>
  );
});
