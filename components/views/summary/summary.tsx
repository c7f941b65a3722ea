import { memo, type ReactNode, useMemo } from "react";
import { stepToCopy } from "../../../src/store/views/step-to-copy.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { LinesPane } from "../../kit/lines-pane.tsx";
import type { ViewSize } from "../../kit/window.ts";
import { summaryLines } from "./summary-lines.ts";

/** The screen after the run: its result, scrollable if it is longer than the terminal. */
export const Summary = memo(function Summary({ columns, height }: ViewSize): ReactNode {
  useDrawn("summary");
  const run = useDashboard((s) => s.run);
  const copies = useDashboard((s) => s.run && stepToCopy(s.run, s.ui.selected)?.ticket);
  const earlier = useDashboard((s) => (s.earlier?.run === s.run?.run ? s.earlier?.runs : undefined));
  const url = useDashboard((s) => (s.runUrl?.run === s.run?.run ? s.runUrl?.url : undefined));
  const lines = useMemo(
    () => (run === undefined ? [] : summaryLines(run, columns, { earlier: earlier ?? [], copies, url })),
    [run, columns, earlier, copies, url],
  );
  return <LinesPane pane="summary" lines={lines} columns={columns} height={height} />;
});
