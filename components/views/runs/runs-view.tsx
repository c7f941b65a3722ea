import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import type { ListedRun } from "../../../src/store/run-list.ts";
import { selectedRunIndex } from "../../../src/store/run-list.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { fitTo } from "../../kit/fit.ts";
import type { ViewSize } from "../../kit/geometry.ts";
import { cutSpans, Inner, Spans } from "../../kit/spans.tsx";
import { Line, Say } from "../../kit/text.tsx";
import { Time } from "../../kit/time.tsx";
import { hiddenLabel } from "../../kit/window.ts";
import { afterTime, beforeTime, headLine, longestName, type RunColumns, runColumns, TOOK_WIDTH } from "./run-columns.ts";
import { runDetailLines } from "./run-details.ts";
import { listLines, runsWindow } from "./runs-layout.ts";

const NO_RUNS: readonly ListedRun[] = [];

/** All runs of this machine, and the possible actions on the selected one. */
export function RunsView({ columns, height }: ViewSize): ReactNode {
  useDrawn("runs");
  const known = useDashboard((s) => s.runList !== undefined);
  const runs = useDashboard((s) => s.runList ?? NO_RUNS);
  const place = useDashboard(selectedRunIndex);
  const shown = useDashboard((s) => s.run?.run);
  const key = useDashboard((s) => keyIn(s, "runs", "show-run"));
  const longest = useMemo(() => longestName(runs), [runs]);
  const layout = useMemo(() => runColumns(columns, longest), [columns, longest]);
  const window = runsWindow(runs.length, height - FRAME_LINES, place);
  const selected = runs[place];
  const rows = runs.slice(window.start, window.end);
  return (
    <ViewFrame columns={columns} height={height}>
      <Spans line={cutSpans(headLine(layout), columns)} />
      <Box flexDirection="column" height={listLines(height - FRAME_LINES)} flexShrink={0}>
        {runs.length === 0 && <Empty known={known} />}
        {rows.map((run) => (
          <RunRow key={run.run} run={run} columns={layout} selected={run === selected} shown={run.run === shown} />
        ))}
        {rows.length < runs.length && (
          <Line>
            <Say tone="waiting">{`   ${hiddenLabel(window)}`}</Say>
          </Line>
        )}
      </Box>
      <Line>
        <Say tone="waiting">{"─".repeat(columns)}</Say>
      </Line>
      {selected !== undefined &&
        runDetailLines(selected, { shown: selected.run === shown, key, width: columns }).map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <Spans key={i} line={cutSpans(line, columns)} />
        ))}
    </ViewFrame>
  );
}

function Empty({ known }: { readonly known: boolean }): ReactNode {
  return (
    <Line>
      <Say tone="waiting">{known ? "   no run is on record" : "   looking for runs…"}</Say>
    </Line>
  );
}

const RunRow = memo(function RunRow(options: {
  readonly run: ListedRun;
  readonly columns: RunColumns;
  readonly selected: boolean;
  readonly shown: boolean;
}): ReactNode {
  const { run, columns } = options;
  useDrawn(`run ${run.run}`);
  return (
    <Line>
      <Inner line={beforeTime(run, columns, options)} />
      <Took run={run} />
      <Inner line={afterTime(run, columns)} />
    </Line>
  );
});

/** Its duration so far; if a run has no engine, the end of its work is unknown. */
function Took({ run }: { readonly run: ListedRun }): ReactNode {
  // In a replay the clock is that of the replayed run.
  const replays = useDashboard((s) => s.playback !== undefined);
  if (run.standing === "at-work" && !replays) return <Time since={run.startedAt} format="elapsed" width={TOOK_WIDTH} />;
  const took = run.endedAt === undefined ? "?" : formatElapsed(run.endedAt - run.startedAt);
  return <Say tone="waiting">{fitTo(took, TOOK_WIDTH, "right")}</Say>;
}
