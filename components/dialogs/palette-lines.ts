import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { chosenAt, type Offer, paletteOf, whyNotNow } from "../../src/store/keymap/palette.ts";
import { lineField } from "../kit/field-lines.ts";
import { cut, fitTo, widthOf } from "../kit/fit.ts";
import type { SpanLine } from "../kit/spans.tsx";
import { hiddenLabel, type TerminalSize, type Window, windowOf } from "../kit/window.ts";
import { dialogLayout, dialogWidth } from "./dialog.tsx";

const MOST_ROWS = 14;
/** Lines of the palette before its first row: the field, and an empty one. */
const HEAD_LINES = 2;
const NAME_WIDTH = 20;

/** Rows of the palette, independent of its matches: it stands still while a person types. */
function rowsOf({ rows }: TerminalSize): number {
  return Math.max(1, Math.min(MOST_ROWS, rows - 4 - HEAD_LINES));
}

function windowIn(found: number, at: number, size: TerminalSize): Window {
  return windowOf(found, rowsOf(size), chosenAt(at, found));
}

/** The palette: the typed text, and the matching commands, with their keys or the reason why they do nothing now. */
export function paletteLines(state: DashboardState, size: TerminalSize): readonly SpanLine[] {
  const { modal } = state.ui;
  if (modal?.kind !== "palette") return [];
  const width = dialogWidth(size.columns);
  const found = paletteOf(state);
  const at = chosenAt(modal.at, found.length);
  const shown = windowIn(found.length, at, size);
  const rows = found
    .slice(shown.start, shown.end)
    .map((offer, i) => row(offer, state, { width, chosen: shown.start + i === at }));
  const hidden: readonly SpanLine[] =
    found.length === 0
      ? [[{ text: "nothing is called that", tone: "waiting" }]]
      : shown.above + shown.below > 0
        ? [[{ text: `  ${hiddenLabel(shown)}`, tone: "waiting" }]]
        : [];
  const lines: readonly SpanLine[] = [
    [{ text: ": ", tone: "running", bold: true }, ...lineField(modal.input, width - 2)],
    [],
    ...rows,
    ...hidden,
  ];
  return Array.from({ length: HEAD_LINES + rowsOf(size) }, (_, i) => lines[i] ?? []);
}

/** `▌kill T-4    end the selected ticket's attempt; asks first    x` */
function row(
  offer: Offer,
  state: DashboardState,
  { width, chosen }: { readonly width: number; readonly chosen: boolean },
): SpanLine {
  const why = whyNotNow(offer, state);
  const key = offer.key === "" ? "" : ` ${offer.key}`;
  const room = width - 1 - NAME_WIDTH - 1 - widthOf(key);
  const help = why === undefined ? offer.help : `not now: ${why}`;
  return [
    { text: chosen ? "▌" : " ", tone: "running" },
    { text: fitTo(offer.name, NAME_WIDTH), tone: why === undefined ? "plain" : "waiting", bold: chosen, inverse: chosen },
    { text: ` ${fitTo(cut(help, room), room)}`, tone: "waiting" },
    { text: key, tone: "running", bold: true },
  ];
}

/** The row of the palette in a cell of the terminal; undefined if there is none. */
export function paletteRowAt(
  state: DashboardState,
  size: TerminalSize,
  cell: { readonly column: number; readonly row: number },
): number | undefined {
  const { modal } = state.ui;
  if (modal?.kind !== "palette") return undefined;
  const found = paletteOf(state).length;
  const shown = windowIn(found, modal.at, size);
  const room = dialogWidth(size.columns);
  const { top, left } = dialogLayout({ ...size, lines: HEAD_LINES + rowsOf(size), room });
  const at = shown.start + cell.row - (top + 1 + HEAD_LINES);
  const within = cell.column > left && cell.column < left + room + 3;
  return within && at >= shown.start && at < shown.end ? at : undefined;
}
