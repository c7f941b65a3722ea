import { Box } from "ink";
import { memo, type ReactNode, use, useEffect } from "react";
import { plural } from "../../../src/domain/values/text.ts";
import type { DashboardState } from "../../../src/store/dashboard-state.ts";
import { displayText } from "../../../src/store/format.ts";
import type { Tone } from "../../../src/store/labels/tone.ts";
import type { TextInput } from "../../../src/store/text-input.ts";
import { emptyMessage } from "../../../src/store/ticket-log/empty-message.ts";
import { hitsIn } from "../../../src/store/ticket-log/find.ts";
import { tabHeadLines } from "../../../src/store/ticket-log/head.ts";
import { rowsFrom, type TextRow } from "../../../src/store/ticket-log/rows.ts";
import { foundIn, type ShownText, shownText } from "../../../src/store/ticket-log/source.ts";
import { currentTarget, openFileAt } from "../../../src/store/ticket-log/target.ts";
import { DashboardContext, useDrawn, useStateParts } from "../../kit/dashboard-context.ts";
import { cut, textWidth } from "../../kit/fit.ts";
import { cutSpans, Inner, Line, linkSpans, Say, type Span, type SpanLine, spansWidth } from "../../kit/spans.tsx";
import { tabName } from "./ticket-layout.ts";
import { targetParts, useTarget } from "./use-target.ts";

interface PaneProps {
  readonly columns: number;
  readonly height: number;
  /** The prefix of each line of text: the line beside the attempt history, or a space. */
  readonly left: string;
}

/** The chosen tab: its text, and the matches of the search. New lines of a log redraw only this part of the view. */
export const TextPane = memo(function TextPane({ columns, height, left }: PaneProps): ReactNode {
  useDrawn("ticket text");
  const store = use(DashboardContext)?.store;
  const target = useTarget();
  const state = useStateParts(paneParts);
  const field = searchField(state);
  const { search } = state.ui.ticket;
  const needle = field?.text ?? search;
  const looking = field !== undefined || search !== "";
  const width = columns - textWidth(left);
  const rows = Math.max(1, height - 1 - (looking ? 1 : 0));
  useEffect(() => store?.dispatch({ type: "ticket-view", action: { type: "room", columns: width, rows } }), [store, width, rows]);
  if (target === undefined) return null;
  const shown = shownText(state, target, { columns: width, rows });
  if (shown === undefined) return null;
  const found = foundIn(shown.source, needle);
  return (
    <Box flexDirection="column" width={columns} height={height} flexShrink={0}>
      <TabLine
        shown={shown}
        skipped={openFileAt(state, target)?.text.skipped ?? 0}
        width={columns}
        left={left === " " ? "" : "┬"}
      />
      {paneLines(state, shown, needle).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place in the pane
        <Line key={i}>
          <Say tone="waiting">{left}</Say>
          <Inner line={line} />
        </Line>
      ))}
      {looking && (
        <Line>
          <Say tone="waiting">{left}</Say>
          <Inner line={cutSpans(searchLine(state, shown, needle, found), width)} />
        </Line>
      )}
    </Box>
  );
});

/** The parts of the state that the pane depends on. */
function paneParts(state: DashboardState): readonly unknown[] {
  return [state.viewed, state.ui.ticket, headKey(state), searchField(state), ...targetParts(state)];
}

function searchField({ ui: { modal } }: DashboardState): TextInput | undefined {
  return modal?.kind === "search" ? modal.input : undefined;
}

/** A tab's own lines, as one text: they depend on more of the run than its file does. */
function headKey(state: DashboardState): string {
  const { view, ticket } = state.ui;
  if (view !== "ticket" || ticket.tab === "prompt") return "";
  const target = currentTarget(state);
  return target === undefined
    ? ""
    : tabHeadLines(state, target)
        .map((line) => line.text)
        .join("\n");
}

/** Every line of the pane, including empty ones, which overwrite the old content. */
function paneLines(state: DashboardState, shown: ShownText, needle: string): readonly SpanLine[] {
  const { source, room, place } = shown;
  const lines =
    source.count === 0 ? [emptyLine(state, shown)] : rowsFrom(source, place, room).map((row) => rowSpans(shown, row, needle));
  return [...lines, ...Array.from({ length: room.rows - lines.length }, (): SpanLine => [{ text: " " }])];
}

function emptyLine(state: DashboardState, { target, room }: ShownText): SpanLine {
  const { text, tone } = emptyMessage(target, openFileAt(state, target)?.file ?? "reading");
  return [{ text: cut(text, room.columns), tone }];
}

/** The tabs by name, the chosen one in capitals, followed by the scroll position. */
function TabLine(options: {
  readonly shown: ShownText;
  readonly skipped: number;
  readonly width: number;
  readonly left: string;
}): ReactNode {
  const { shown, skipped, width, left } = options;
  const names = shown.target.tabs.map((tab): Span => {
    const own = tab === shown.target.tab;
    return { text: tabName(tab, shown.target.tab), tone: own ? "running" : "waiting", bold: own };
  });
  const used = textWidth(left) + 1 + spansWidth(names);
  const words = statusLabels(shown, skipped);
  const room = width - used - 4;
  const word = words.find((text) => textWidth(text) <= room) ?? "";
  const rest = width - used - (word === "" ? 0 : textWidth(word) + 3);
  return (
    <Line>
      <Say tone="waiting">{`${left}─`}</Say>
      <Inner line={names} />
      <Say tone="waiting">{`${"─".repeat(Math.max(0, rest))}${word === "" ? "" : ` ${word} ─`}`}</Say>
    </Line>
  );
}

/** The scroll position, the longest words first. */
function statusLabels({ source, room, place, follows, target }: ShownText, skipped: number): readonly string[] {
  const { count, first } = source;
  if (count === 0) return [];
  const grows = target.tab === "log" || target.tab === "evidence";
  const at = follows ? (grows ? "following" : "at the end") : `line ${place.line - first + 1} of ${count}`;
  const gone = first > 0 ? `${plural(first, "older line")} let go` : "";
  const before = skipped > 0 ? `${(skipped / 1_000_000).toFixed(1)} MB before not read` : "";
  const lost = [gone, before].filter((word) => word !== "").join(", ");
  const total = follows && target.tab !== "cost" ? ` ${plural(count, "line")}` : "";
  const wrapped = room.wrap ? "long lines wrapped" : "long lines cut";
  const whole = [lost, wrapped, `${at}${total === "" ? "" : ` ·${total}`}`].filter((word) => word !== "").join(" · ");
  return [whole, lost === "" ? whole : `${lost} · ${at}`, lost === "" ? at : `older let go · ${at}`, at];
}

/** The search text and its number of matches. Its field is the last line of the screen. */
function searchLine({ ui }: DashboardState, { target }: ShownText, needle: string, found: readonly number[]): SpanLine {
  if (needle === "") return [{ text: " " }];
  const { match } = ui.ticket;
  const here = match?.textKey === target.key ? found.indexOf(match.line) : -1;
  const count = plural(found.length, "line");
  const where = found.length === 0 ? "in no line" : here < 0 ? `in ${count}` : `in ${count}, this is ${here + 1}`;
  return [
    { text: `${where}: `, tone: found.length === 0 ? "bad" : "waiting" },
    { text: displayText(needle), bold: true },
  ];
}

/** A row of text as drawn: matches of the search are inverted. */
function rowSpans({ source, room }: ShownText, { line, stretch }: TextRow, needle: string): SpanLine {
  const { text, tone, links = [] } = source.line(line - source.first);
  const shown = room.wrap ? text.slice(stretch.from, stretch.to).trimEnd() : cutTo(text, room.columns);
  const hits = hitsIn(text, needle).flatMap(({ from, to }) => {
    const [start, end] = [Math.max(from, stretch.from) - stretch.from, Math.min(to, stretch.to) - stretch.from];
    return start < end && start < shown.length ? [{ from: start, to: Math.min(end, shown.length) }] : [];
  });
  return linkSpans<Span>(marked(shown, tone, hits), links);
}

/** A line cut to the columns; of a very long one only the visible part is measured. */
function cutTo(text: string, columns: number): string {
  const most = columns * 4;
  return cut(text.length > most ? `${text.slice(0, most)}…` : text, columns);
}

function marked(text: string, tone: Tone, hits: readonly { readonly from: number; readonly to: number }[]): SpanLine {
  // An empty line has no height.
  if (text === "") return [{ text: " " }];
  const spans: Span[] = [];
  let at = 0;
  for (const { from, to } of hits) {
    if (from > at) spans.push({ text: text.slice(at, from), tone });
    spans.push({ text: text.slice(from, to), inverse: true });
    at = to;
  }
  if (at < text.length) spans.push({ text: text.slice(at), tone });
  return spans;
}
