import { memo, type ReactNode, use, useEffect, useMemo } from "react";
import { stepToCopy } from "../../../src/store/views/step-to-copy.ts";
import { DashboardContext, useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { LinesPane } from "../../kit/lines-pane.tsx";
import { linesWindow, type ViewSize } from "../../kit/window.ts";
import { summaryRows } from "./summary-lines.ts";

/** The screen after the run: its result, scrollable if it is longer than the terminal. It follows the selected ticket. */
export const Summary = memo(function Summary({ columns, height }: ViewSize): ReactNode {
  useDrawn("summary");
  const run = useDashboard((s) => s.run);
  const selected = useDashboard((s) => s.ui.selected);
  const copies = useDashboard((s) => s.run && stepToCopy(s.run, s.ui.selected)?.ticket);
  const earlier = useDashboard((s) => (s.earlier?.run === s.run?.run ? s.earlier?.runs : undefined));
  const url = useDashboard((s) => (s.runUrl?.run === s.run?.run ? s.runUrl?.url : undefined));
  const rows = useMemo(
    () => (run === undefined ? [] : summaryRows(run, columns, { earlier: earlier ?? [], copies, selected, url })),
    [run, columns, earlier, copies, selected, url],
  );
  const lines = useMemo(() => rows.map(({ line }) => line), [rows]);
  const at = rows.findIndex(({ ticket }) => ticket !== undefined && ticket === selected);
  const store = use(DashboardContext)?.store;
  const { length } = rows;
  // Scrolling by itself does not move the selection, and is not undone.
  useEffect(() => {
    if (store === undefined || at < 0) return;
    const { start, shown } = linesWindow(length, height, store.getState().ui.panes.summary.scroll);
    const by = at < start ? at - start : Math.max(0, at - (start + shown - 1));
    if (by !== 0) store.dispatch({ type: "pane", pane: "summary", action: { type: "by", lines: by } });
  }, [store, at, length, height]);
  return <LinesPane pane="summary" lines={lines} columns={columns} height={height} />;
});
