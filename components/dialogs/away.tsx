import { type ReactNode, useMemo } from "react";
import type { RunState } from "../../src/domain/run/state.ts";
import { describeBlocked, listNeeds } from "../../src/domain/schedule/needs.ts";
import { displayText, formatClock } from "../../src/store/format.ts";
import { displayTitle } from "../../src/store/labels/ticket-label.ts";
import { STYLES, type Style } from "../../src/store/labels/tone.ts";
import { awayParts, awayTickets } from "../../src/store/results/away-lines.ts";
import { idWidth } from "../frame/layout.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { cut, fitTo, wrapWords } from "../kit/fit.ts";
import type { SpanLine } from "../kit/spans.tsx";
import type { TerminalSize, ViewSize } from "../kit/window.ts";
import { Dialog } from "./dialog.tsx";

const LABEL_WIDTH = 14;
const EMPTY: SpanLine = [{ text: "" }];

/** What came of the run while nobody looked, as wide as the terminal. */
export function Away({ since, columns, rows }: TerminalSize & { readonly since: number }): ReactNode {
  useDrawn("away");
  const run = useDashboard((s) => s.run);
  const room = columns - 8;
  const lines = useMemo(
    () => (run === undefined ? [] : awayLines(run, since, { columns: room, height: rows - 4 })),
    [run, since, room, rows],
  );
  return (
    <Dialog title={`While you were away, since ${formatClock(since)}`} tone="running" {...{ lines, columns, rows, room }} wide />
  );
}

/** What needs a person now, then what came of the run since then: by kind, and ticket by ticket if there is room for that. */
function awayLines(run: RunState, since: number, { columns, height }: ViewSize): readonly SpanLine[] {
  const ids = idWidth(run.plan);
  const needs = listNeeds(run).flatMap((need) =>
    block(STYLES.needsYou, need.ticket ?? need.kind, {
      ...{ width: ids, columns, most: 2, tone: "plain" },
      text: [displayText(need.says), describeBlocked(need)].filter(Boolean).join(" · "),
    }),
  );
  const parts = awayParts(run, since).flatMap(({ label, says, ...style }) =>
    block(style, label, { width: LABEL_WIDTH, columns, most: 3, text: says, tone: "waiting" }),
  );
  const titles = Math.min(32, Math.floor(columns * 0.3));
  const tickets = awayTickets(run, since).map(({ id, says, glyph, tone }): SpanLine => {
    const room = columns - ids - titles - 4;
    const title: SpanLine[number] = { text: ` ${fitTo(displayTitle({ run }, id), titles)} `, tone: "waiting" };
    return [{ text: `${glyph} `, tone }, { text: fitTo(id, ids), bold: true }, title, { text: cut(says, room) }];
  });
  const above = needs.length === 0 ? [] : [...needs, EMPTY];
  const isRoom = columns >= 90 && above.length + parts.length + 1 + tickets.length <= height;
  return [...above, ...parts, ...(isRoom && tickets.length > 0 ? [EMPTY, ...tickets] : [])];
}

/** A sign, a name, and a text behind it on as many lines as it may have. */
function block(
  { glyph, tone }: Style,
  name: string,
  said: {
    readonly width: number;
    readonly columns: number;
    readonly most: number;
    readonly text: string;
    readonly tone: Style["tone"];
  },
): readonly SpanLine[] {
  const room = said.columns - 3 - said.width;
  const all = wrapWords(said.text, room);
  const lines = all.length <= said.most ? all : [...all.slice(0, said.most - 1), cut(all.slice(said.most - 1).join(" "), room)];
  return (lines.length === 0 ? [""] : lines).map((line, i) => [
    { text: i === 0 ? `${glyph} ` : "  ", tone },
    { text: `${fitTo(i === 0 ? name : "", said.width)} `, bold: true },
    { text: line, tone: said.tone },
  ]);
}
