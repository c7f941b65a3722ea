import { type ReactNode, use, useEffect, useMemo } from "react";
import { modeOf } from "../../src/store/keymap/keymap.ts";
import { behind } from "../../src/store/keymap/palette.ts";
import { DashboardContext, useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import type { SpanLine } from "../kit/spans.tsx";
import { Dialog, dialogWidth } from "./dialog.tsx";
import { helpLines } from "./help-lines.ts";

/** All keys and signs, to be scrolled. */
export function Help({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("help");
  const keymap = useDashboard((s) => s.keymap);
  const front = useDashboard((s) => modeOf(behind(s)));
  const scroll = useDashboard((s) => s.ui.panes.help.scroll);
  const store = use(DashboardContext)?.store;
  const lines = useMemo(() => helpLines(keymap, front, dialogWidth(columns)), [keymap, front, columns]);
  // Beside the lines there are a border on either side, what is hidden, and a line of the terminal above and below.
  const height = Math.max(1, Math.min(lines.length, rows - 5));
  const max = lines.length - height;
  useEffect(() => store?.dispatch({ type: "pane", pane: "help", action: { type: "max", max } }), [store, max]);
  const start = Math.min(scroll, max);
  const shown = lines.slice(start, start + height);
  const content: readonly SpanLine[] = max === 0 ? shown : [...shown, [{ text: hidden(start, max - start), tone: "waiting" }]];
  return <Dialog title="Keys" tone="running" lines={content} columns={columns} rows={rows} wide />;
}

function hidden(above: number, below: number): string {
  const words = [...(above === 0 ? [] : [`${above} above`]), below === 0 ? "end" : `+${below} more`];
  return words.join(" · ");
}
