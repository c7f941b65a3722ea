import type { ReactNode } from "react";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { Dialog } from "./dialog.tsx";
import { paletteLines } from "./palette-lines.ts";

/** Finds every command: a field, and what fits it. Why a command can do nothing now hangs on all of the run. */
export function Palette({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("palette");
  const state = useDashboard((s) => s);
  const lines = paletteLines(state, { columns, rows });
  return <Dialog title="Command" tone="running" lines={lines} columns={columns} rows={rows} wide />;
}
