import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import type { Plan } from "../../../src/domain/run/state.ts";
import { describeBlocked, type Need } from "../../../src/domain/schedule/needs.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/format.ts";
import { overviewKey } from "../../../src/store/keymap/key-labels.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { shownLists } from "../../../src/store/lists.ts";
import { idWidth, type Layout, needsColumn } from "../../frame/layout.ts";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth, wrapTo } from "../../kit/fit.ts";
import { linkSpans, Rule, type Span, Spans, spansWidth, type TimedSpan, TimedSpans, timeSpan, toLink } from "../../kit/spans.tsx";
import { hiddenLabel, visibleWindow, type Window } from "../../kit/window.ts";
import { selectionMark } from "./worker-row.tsx";

/** The keys that settle a need, by their bindings, with their effect in a word. */
const KEYS: Readonly<Record<Need["kind"], readonly (readonly [binding: string, word: string])[]>> = {
  halt: [],
  base: [],
  approval: [
    ["approve", "approve"],
    ["gate", "leave it"],
  ],
  step: [],
  missing: [],
  "not-live": [["verify", "check it now"]],
  stalled: [
    ["retry", "retry"],
    ["gate", "leave it"],
  ],
};

/** Stands in place of an id for a need without a ticket. */
const WHOLE: Readonly<Partial<Record<Need["kind"], string>>> = { halt: "run", base: "base" };

/**
 * The block of needs, before everything else: each whole, or on one line if there are many; the selected one with the keys that settle
 * it. It takes no line if nothing needs a person.
 */
export const Needs = memo(function Needs({ layout }: { readonly layout: Layout }): ReactNode {
  useDrawn("needs");
  const needs = useDashboard((s) => shownLists(s).needs);
  const all = useDashboard((s) => s.lists.needs.length);
  const selected = useDashboard((s) => s.ui.selected);
  const plan = useDashboard((s) => s.run?.plan);
  const { width, height } = layout.needs;
  if (height === 0 || plan === undefined) return undefined;
  const { left } = needsColumn(layout.columns);
  const ids = idWidth(plan);
  const { window, lines } = needsWindow(needs, layout.needs, { selected, ids, left });
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      <Rule
        title="NEEDS YOU"
        count={needs.length === all ? String(all) : `${needs.length} of ${all}`}
        tone={STYLES.needsYou.tone}
        width={width}
        left={layout.wide ? "┬" : ""}
      />
      {needs.slice(window.start, window.end).map((need, i) => (
        <NeedRow
          key={`${need.kind} ${need.ticket ?? need.says}`}
          {...{ need, width, left, ids }}
          lines={lines[window.start + i] ?? []}
          isSelected={need.ticket !== undefined && need.ticket === selected}
        />
      ))}
      {window.end - window.start < needs.length && (
        <Spans line={[{ text: `${left}   ${hiddenLabel(window)}`, tone: "waiting" }]} />
      )}
    </Box>
  );
});

/** Lines of one need, at most. Its whole text is in the ticket view. */
const MOST_LINES = 6;
const SINCE_WIDTH = 10;
const BETWEEN = " · ";

/** The text of a need in lines as they stand beside its id: the first ones as wide as the time leaves room for. */
function needLines(need: Need, room: number): readonly string[] {
  const lines = wrapTo(displayText(need.says), room, MOST_LINES - 1);
  const blocks = describeBlocked(need);
  const hasRoom = textWidth(`${lines.at(-1)}${BETWEEN}${blocks}`) <= room;
  return blocks === "" || hasRoom ? lines : [...lines, ""];
}

/** Columns beside mark, sign, id and time. */
function roomIn(width: number, ids: number, left: string): number {
  return Math.max(8, width - textWidth(left) - 3 - ids - 1 - SINCE_WIDTH - 2);
}

/** Lines that needs take, whole, on a terminal of so many columns. The layout gives them fewer if that is too many. */
export function countNeedLines(needs: readonly Need[], plan: Plan | undefined, columns: number): number {
  if (plan === undefined) return 0;
  const { width, left } = needsColumn(columns);
  const room = roomIn(width, idWidth(plan), left);
  return needs.reduce((sum, need) => sum + needLines(need, room).length, 0);
}

/** The needs that fit under the title of a block, and the lines of each: its own, or one if they do not all fit. */
export function needsWindow(
  needs: readonly Need[],
  { width, height }: Layout["needs"],
  { selected, ids, left }: { readonly selected: TicketId | undefined; readonly ids: number; readonly left: string },
): { readonly window: Window; readonly lines: readonly (readonly string[])[] } {
  const focus = selected === undefined ? -1 : needs.findIndex(({ ticket }) => ticket === selected);
  const room = roomIn(width, ids, left);
  const lines = needs.map((need) => needLines(need, room));
  const isWhole = lines.flat().length <= height - 1;
  return {
    window: visibleWindow(needs.length, isWhole ? needs.length : height - 1, focus),
    lines: isWhole ? lines : needs.map(({ says }) => [cut(displayText(says), room)]),
  };
}

interface RowProps {
  readonly need: Need;
  readonly width: number;
  readonly ids: number;
  readonly lines: readonly string[];
  readonly isSelected: boolean;
  /** The first column: the line between the blocks. */
  readonly left: string;
}

const NeedRow = memo(function NeedRow(options: RowProps): ReactNode {
  const { need, ids } = options;
  const id = need.ticket ?? WHOLE[need.kind] ?? "";
  const isMarked = useDashboard((s) => need.ticket !== undefined && s.ui.marked.includes(need.ticket));
  const url = useDashboard((s) => (need.ticket === undefined ? undefined : ticketUrl(ticketIn(s, need.ticket))));
  const keys = useDashboard((s) => (options.isSelected ? needKeys(s, need).join("\n") : ""));
  const rows = useMemo(
    () => needRows(options, { id, isMarked, keys: keys.split("\n").filter(Boolean) }),
    [options, id, isMarked, keys],
  );
  const links = [toLink(id, ids, url)];
  return (
    <>
      {rows.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its place.
        <TimedSpans key={i} line={i === 0 ? linkSpans(line, links) : line} />
      ))}
    </>
  );
});

/** `Y approve`: the keys that settle a need, as they are bound. */
function needKeys(state: DashboardState, { kind }: Need): readonly string[] {
  return KEYS[kind].flatMap(([binding, word]) => {
    const key = overviewKey(state, binding);
    return key === "" ? [] : [`${key} ${word}`];
  });
}

/** The step or cause, and the time since; behind the rest of it, if it has a line of its own, what it blocks and the keys. */
function needRows(
  { need, width, ids, lines, isSelected, left }: RowProps,
  { id, isMarked, keys }: { readonly id: string; readonly isMarked: boolean; readonly keys: readonly string[] },
): readonly (readonly (Span | TimedSpan)[])[] {
  const room = roomIn(width, ids, left);
  const margin: Span = { text: left, tone: "waiting" };
  return lines.map((line, i) => {
    const isLast = i === lines.length - 1;
    const beside = room - textWidth(line) - (line === "" ? 0 : textWidth(BETWEEN));
    const tail = isLast ? wholeParts([describeBlocked(need), ...keys], beside) : "";
    const said: readonly Span[] = [
      { text: line, bold: true },
      { text: line === "" || tail === "" ? tail : `${BETWEEN}${tail}`, tone: "waiting" },
    ];
    if (i > 0) return [margin, selectionMark(isSelected), { text: " ".repeat(ids + 3) }, ...said];
    return [
      margin,
      selectionMark(isSelected, isMarked),
      { text: `${STYLES.needsYou.glyph} `, tone: STYLES.needsYou.tone },
      { text: fitTo(id, ids), bold: true, inverse: isSelected },
      { text: " " },
      ...said,
      { text: " ".repeat(Math.max(0, room - spansWidth(said)) + 1) },
      ...(need.since === undefined
        ? []
        : [timeSpan({ since: need.since, format: "age", prefix: "since ", width: SINCE_WIDTH, tone: "waiting" })]),
    ];
  });
}

/** As many whole parts as fit, in their order. */
function wholeParts(parts: readonly string[], room: number): string {
  let line = "";
  for (const part of parts.filter((each) => each !== "")) {
    const longer = line === "" ? part : `${line}${BETWEEN}${part}`;
    if (textWidth(longer) > room) break;
    line = longer;
  }
  return line;
}
