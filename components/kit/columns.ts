import type { Tone } from "../../src/store/labels/tone.ts";
import { cut } from "./fit.ts";
import { cutSpans, type SpanLine, spansWidth } from "./spans.tsx";

/** A part of a view, with its title. */
export interface Section {
  readonly title: string;
  readonly count: string;
  readonly tone: Tone;
}

/** `─ HEALS 1 of 2 ──────`, as wide as its column. */
export function sectionTitle({ title, count, tone }: Section, width: number): SpanLine {
  const shown = cut(count, width - title.length - 5);
  const rest = Math.max(0, width - title.length - shown.length - 4);
  return [
    { text: "─ ", tone: "waiting" },
    { text: title, tone, bold: true },
    { text: ` ${shown} `, tone: tone === "bad" ? "bad" : "waiting" },
    { text: "─".repeat(rest), tone: "waiting" },
  ];
}

/** Joins two columns of lines, with a line between them. */
export function beside(
  a: readonly SpanLine[],
  b: readonly SpanLine[],
  { left, right }: { readonly left: number; readonly right: number },
): readonly SpanLine[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i): SpanLine => {
    const first = cutSpans(a[i] ?? [], left);
    const gap = " ".repeat(Math.max(0, left - spansWidth(first)));
    const titled = b[i]?.[0]?.text.startsWith("─") === true;
    const between = titled ? (i === 0 ? "┬" : "├") : "│";
    return [...first, { text: gap }, { text: between, tone: "waiting" }, ...cutSpans(b[i] ?? [], right - 1)];
  });
}
