import type { BarStyle } from "../../src/store/labels/tone.ts";
import { joinSpans, type Span } from "./spans.tsx";

/** A bar over columns, excluding the last. Even the shortest has one. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  /** Of narrow characters; drawn in the bar if there is room. */
  readonly label: string;
  readonly style: BarStyle;
  /** Stands out among the others. */
  readonly lit?: boolean;
}

/** A sign on the empty cells of a lane. */
export type GroundSign = Pick<Span, "text" | "tone">;

/** The signs on the empty cells of a lane, by column. */
export type Ground = ReadonlyMap<number, GroundSign>;

interface Painted {
  readonly spans: readonly Span[];
  /** True if a cell shows the number of its bars, because it has more than one. */
  readonly counted: boolean;
}

/** Draws bars into exactly `width` cells. A cell that more than one bar covers shows their number: none hides another. */
export function paintBars(bars: readonly Bar[], width: number, ground: Ground = new Map()): Painted {
  const shown = bars.filter(({ from, to }) => from < width && Math.max(to, from + 1) > 0);
  const cells = Array.from({ length: width }, (_, x): Span => ground.get(x) ?? { text: " " });
  const owners: Bar[][] = cells.map(() => []);
  for (const bar of shown) {
    for (let x = Math.max(0, bar.from); x < barEnd(bar, width); x++) {
      owners[x]?.push(bar);
      cells[x] = { text: x === bar.from && barEnd(bar, width) - x > 1 ? bar.style.cap : bar.style.fill, ...barSpanStyle(bar) };
    }
  }
  for (const bar of shown) writeLabel(bar, { cells, owners, width });
  let counted = false;
  owners.forEach((own, x) => {
    if (own.length < 2) return;
    counted = true;
    cells[x] = countCell(own);
  });
  return { spans: joinSpans(cells), counted };
}

/** The bars that cover a column. */
export function barsAt<B extends Bar>(bars: readonly B[], column: number): readonly B[] {
  return bars.filter((bar) => column >= Math.max(0, bar.from) && column < barEnd(bar, column + 1));
}

function barEnd({ from, to }: Bar, width: number): number {
  return Math.min(width, Math.max(to, from + 1));
}

function barSpanStyle({ style, lit }: Bar): Pick<Span, "tone" | "bold" | "inverse"> {
  return lit === true ? { tone: style.tone, bold: true, inverse: true } : { tone: style.tone };
}

/** If one of them failed, the number looks like it. */
function countCell(own: readonly Bar[]): Span {
  const worst = own.find(({ style }) => style.tone === "bad") ?? own.find(({ lit }) => lit) ?? own[0];
  const lit = own.some((bar) => bar.lit === true);
  return { text: own.length > 9 ? "+" : String(own.length), tone: worst?.style.tone ?? "plain", bold: true, inverse: lit };
}

interface Cells {
  readonly cells: Span[];
  readonly owners: readonly (readonly Bar[])[];
  readonly width: number;
}

/** Behind the first visible cell, if a cell is left after it. */
function writeLabel(bar: Bar, { cells, owners, width }: Cells): void {
  const start = bar.from < 0 ? 0 : bar.from + 1;
  const end = start + bar.label.length;
  if (end >= barEnd(bar, width)) return;
  for (let x = start; x < end; x++) if ((owners[x]?.length ?? 0) > 1) return;
  [...bar.label].forEach((text, i) => {
    cells[start + i] = { text, ...barSpanStyle(bar) };
  });
}
