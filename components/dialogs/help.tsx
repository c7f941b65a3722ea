import { type ReactNode, use, useEffect, useMemo } from "react";
import { modeOf } from "../../src/store/keymap/keymap.ts";
import { behind } from "../../src/store/keymap/palette.ts";
import { DashboardContext, useDashboard, useDrawn } from "../dashboard-context.ts";
import { lineField } from "../kit/field-lines.ts";
import type { SpanLine } from "../kit/spans.tsx";
import { Dialog, dialogRoom } from "./dialog.tsx";
import { helpLines } from "./help-lines.ts";

/** All keys and signs, to be scrolled. */
export function Help({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("help");
  const keymap = useDashboard((s) => s.keymap);
  const front = useDashboard((s) => modeOf(behind(s)));
  const scroll = useDashboard((s) => s.ui.panes.help.scroll);
  const store = use(DashboardContext)?.store;
  const filter = useDashboard((s) => (s.ui.modal?.kind === "help" ? s.ui.modal.filter : ""));
  const input = useDashboard((s) => (s.ui.modal?.kind === "help-search" ? s.ui.modal.input : undefined));
  const wanted = input?.text ?? filter;
  const width = dialogRoom(columns);
  const lines = useMemo(() => helpLines(keymap, front, width, wanted.trim()), [keymap, front, width, wanted]);
  // Beside the lines there are a border on either side, the search, what is hidden, and a line of the terminal above and below.
  const height = Math.max(1, Math.min(lines.length, rows - 6));
  const max = lines.length - height;
  useEffect(() => store?.dispatch({ type: "pane", pane: "help", action: { type: "max", max } }), [store, max]);
  const start = Math.min(scroll, max);
  const shown = lines.slice(start, start + height);
  const content: readonly SpanLine[] = [
    input === undefined ? searchWord(wanted) : [{ text: "/", tone: "running", bold: true }, ...lineField(input, width - 2)],
    ...shown,
    ...(max === 0 ? [] : [[{ text: hidden(start, max - start), tone: "waiting" } as const]]),
  ];
  return <Dialog title="Keys" tone="running" lines={content} columns={columns} rows={rows} wide />;
}

/** What stands in the place of the field while nothing is written. */
function searchWord(wanted: string): SpanLine {
  return [{ text: wanted === "" ? "/ search" : `/${wanted}`, tone: "waiting" }];
}

function hidden(above: number, below: number): string {
  const words = [...(above === 0 ? [] : [`${above} above`]), below === 0 ? "end" : `+${below} more`];
  return words.join(" · ");
}
