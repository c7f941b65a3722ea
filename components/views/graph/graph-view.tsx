import { memo, type ReactNode, useMemo } from "react";
import { useShallow } from "zustand/react/shallow";
import type { Plan } from "../../../src/domain/run/state.ts";
import type { TicketId } from "../../../src/domain/values/ids.ts";
import { type DashboardState, ticketIn } from "../../../src/store/dashboard-state.ts";
import { displayText, formatElapsed } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { queueLabel, ticketStyle, titleLabel } from "../../../src/store/labels/ticket-label.ts";
import { STYLES } from "../../../src/store/labels/tone.ts";
import { ticketUrl } from "../../../src/store/links.ts";
import { criticalPath, dependentsIn, type GraphRow, graphRows } from "../../../src/store/views/graph-tree.ts";
import { idWidth } from "../../frame/layout.ts";
import { FRAME_LINES, NoRun, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth } from "../../kit/fit.ts";
import { cutSpans, fitLegend, linkSpans, type SpanLine, Spans, toLink } from "../../kit/spans.tsx";
import { type Cell, pageRows, type ViewSize } from "../../kit/window.ts";

/** The graph view: each ticket below the one that it waits for. */
export function GraphView({ columns, height }: ViewSize): ReactNode {
  useDrawn("graph");
  const plan = useDashboard((s) => s.run?.plan);
  return (
    <ViewFrame columns={columns} height={height}>
      {plan === undefined ? <NoRun /> : <Graph plan={plan} columns={columns} height={height - FRAME_LINES} />}
    </ViewFrame>
  );
}

/** Lines below the rows: the legend, and two about the selected ticket. */
const OTHER_LINES = 3;

/** The visible rows with the selected ticket, and all that need a person. */
function graphPage(state: DashboardState, height: number): ReturnType<typeof pageRows> {
  const { run, lists, ui } = state;
  const rows = graphRows(state);
  const at = (id: TicketId | undefined): number => {
    const index = id === undefined ? undefined : run?.plan.index[id];
    return rows.findIndex((row) => row.index === index);
  };
  const pins = lists.needsYou.map(at).filter((row) => row >= 0);
  return pageRows(rows.length, Math.max(1, height - OTHER_LINES), at(ui.selected), pins);
}

/** The ticket in a cell of the graph, counted from its first line. */
export function graphTicketAt(state: DashboardState, { height }: ViewSize, { row }: Cell): TicketId | undefined {
  const at = graphRows(state)[graphPage(state, height).rows[row] ?? -1];
  return at === undefined ? undefined : state.run?.plan.tickets[at.index]?.id;
}

/** The data that all rows share. */
interface Drawing {
  readonly plan: Plan;
  readonly width: number;
  /** Columns of the branches, of a layer in them, and of an id. */
  readonly branches: number;
  readonly step: number;
  readonly ids: number;
  readonly critical: ReadonlySet<number>;
  readonly selected: number | undefined;
}

const Graph = memo(function Graph({ plan, columns, height }: { readonly plan: Plan } & ViewSize): ReactNode {
  const rows = useDashboard(graphRows);
  const page = useDashboard((s) => JSON.stringify(graphPage(s, height)));
  const { rows: shown, above, below } = useMemo(() => JSON.parse(page) as ReturnType<typeof pageRows>, [page]);
  const selected = useDashboard(({ ui }) => (ui.selected === undefined ? undefined : plan.index[ui.selected]));
  const over = useOver(plan);
  const drawing = useMemo((): Drawing => {
    const layers = Math.max(0, ...rows.map(({ branch }) => branch.length));
    const step = layers * 2 <= columns / 4 ? 2 : 1;
    const branches = Math.min(layers * step, Math.floor(columns / 4));
    const critical = new Set(criticalPath(plan, (index) => over.has(index)));
    return { plan, width: columns, branches, step, ids: idWidth(plan), critical, selected };
  }, [plan, rows, columns, over, selected]);
  const hidden = [
    ...(above === 0 ? [] : [`${above} above`]),
    ...(below === 0 ? [] : [`+${below} more below`]),
    ...(rows.length === plan.tickets.length ? [] : [`${plan.tickets.length - rows.length} done, hidden`]),
  ];
  const blank = Math.max(0, height - OTHER_LINES - shown.length);
  return (
    <>
      {shown.map((row) => {
        const at = rows[row];
        return at === undefined ? null : <Row key={at.index} row={at} drawing={drawing} />;
      })}
      {Array.from({ length: blank }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty line is its place
        <Spans key={`blank ${i}`} line={[{ text: " " }]} />
      ))}
      <Spans line={fitLegend(legend(hidden.join(" · ")), columns)} />
      <Detail drawing={drawing} over={over} />
    </>
  );
});

/** The tickets that are done or left to a person; the same set until another one is over. */
function useOver(plan: Plan): ReadonlySet<number> {
  const done = useDashboard((s) => s.lists.done);
  const gated = useDashboard((s) => s.lists.needsYou);
  return useMemo(() => new Set([...done, ...gated].flatMap((id) => plan.index[id] ?? [])), [plan, done, gated]);
}

/** The count of hidden tickets, and the meanings of the signs, a piece each. */
function legend(hidden: string): readonly SpanLine[] {
  return [
    [{ text: hidden === "" ? " " : ` ${hidden}   `, bold: true }],
    [
      { text: "★", bold: true },
      { text: " longest way ahead", tone: "waiting" },
    ],
    ...["< needed by it", "> waits for it", "← waits for these too", "+ found by a worker"].map(
      (text): SpanLine => [{ text: ` · ${text}`, tone: "waiting" }],
    ),
  ];
}

/** One ticket. Redrawn only if its style changes, or what is selected. */
const Row = memo(function Row({ row, drawing }: { readonly row: GraphRow; readonly drawing: Drawing }): ReactNode {
  const { plan, width, branches, ids, critical, selected } = drawing;
  const ticket = plan.tickets[row.index];
  const id = ticket?.id ?? ("" as TicketId);
  useDrawn(`graph row ${id}`);
  const need = useDashboard((s) => s.lists.needs.find((each) => each.ticket === id)?.says);
  const style = useDashboard(useShallow((s) => ticketStyle(s, row.index)));
  const { glyph, tone } = need === undefined ? style : STYLES.needsYou;
  const url = useDashboard((s) => ticketUrl(ticketIn(s, id)));
  const isSelected = selected === row.index;
  const others = row.others.map((index) => plan.tickets[index]?.id ?? "").join(" ");
  const room = width - branches - ids - 7;
  const title = displayText(ticket?.title ?? "");
  const said = need === undefined ? "" : `  ${displayText(need)}`;
  const beside = `${others === "" ? "" : cut(`  ← ${others}`, Math.floor(room / 3))}${said}`;
  const least = Math.min(textWidth(beside), Math.floor(room / 2));
  const line: SpanLine = [
    { text: relationMark(plan, row.index, selected), tone: "running", bold: true },
    { text: fitTo(branchText(row, drawing), branches), tone: "waiting" },
    { text: `${glyph} `, tone },
    { text: id, bold: true, inverse: isSelected },
    { text: " ".repeat(Math.max(0, ids - id.length)) },
    { text: critical.has(row.index) ? " ★ " : ticket?.foundBy === undefined ? "   " : " + ", bold: true },
    {
      text: cut(title, Math.max(room - textWidth(beside), room - least)),
      tone: tone === "good" && !isSelected ? "waiting" : "plain",
    },
    { text: beside, tone: need === undefined ? "waiting" : "person" },
  ];
  return <Spans line={linkSpans(cutSpans(line, width), [toLink(id, ids, url)])} />;
});

/** The relation of a ticket to the selected one: itself, a dependency, or a dependent. */
function relationMark(plan: Plan, index: number, selected: number | undefined): string {
  if (selected === undefined) return " ";
  if (selected === index) return "▌";
  if (dependentsIn(plan, index).includes(selected)) return "<";
  return dependentsIn(plan, selected).includes(index) ? ">" : " ";
}

/** The lines from the tickets above a row to it; of a deep one the last layers. */
function branchText({ branch }: GraphRow, { step, branches }: Drawing): string {
  const text = branch
    .map((isLast, i) => {
      const own = i === branch.length - 1;
      return (own ? (isLast ? "└" : "├") : isLast ? " " : "│").padEnd(step, own ? "─" : " ");
    })
    .join("");
  return text.length <= branches ? text : `…${text.slice(text.length - branches + 1)}`;
}

/** The selected ticket in words on two lines: its state, and those on either side of it. */
function Detail({ drawing, over }: { readonly drawing: Drawing; readonly over: ReadonlySet<number> }): ReactNode {
  const { plan, selected, critical, width } = drawing;
  const id = selected === undefined ? undefined : plan.tickets[selected]?.id;
  const label = useDashboard(useShallow((s) => (id === undefined ? undefined : queueLabel(s, id))));
  const title = useDashboard((s) => (id === undefined ? "" : titleLabel(s, id)));
  const keys = useDashboard((s) =>
    [
      ["select-next", "select"],
      ["layer-left", "follow the branches"],
    ]
      .flatMap(([name = "", what]) => (keyIn(s, "graph", name) === "" ? [] : [`${keyIn(s, "graph", name)} ${what}`]))
      .join(", "),
  );
  if (selected === undefined || id === undefined || label === undefined)
    return (
      <>
        <Spans line={[{ text: cut(` ${keys}`, width), tone: "waiting" }]} />
        <Spans line={[{ text: " " }]} />
      </>
    );
  const word = cut(label.text, Math.max(16, width - 6 - id.length - Math.min(textWidth(title), 30)));
  const line: SpanLine = [
    { text: ` ${label.glyph} `, tone: label.tone },
    { text: `${id}  `, bold: true },
    { text: word, tone: label.tone },
    { text: `  ${title}` },
  ];
  const ahead = over.has(selected)
    ? ""
    : ` · ${critical.has(selected) ? "on the longest way ahead, " : ""}${formatElapsed(plan.rank[selected] ?? 0)} of work from here on`;
  return (
    <>
      <Spans line={cutSpans(line, width)} />
      <Spans line={[{ text: cut(` ${neighbours(plan, selected)}${ahead}`, width), tone: "waiting" }]} />
    </>
  );
}

/** Ids that one line names on either side. */
const NAMED = 4;

function neighbours(plan: Plan, index: number): string {
  const ids = (all: readonly string[]): string =>
    all.length === 0 ? "nobody" : `${all.slice(0, NAMED).join(" ")}${all.length > NAMED ? ` +${all.length - NAMED} more` : ""}`;
  const after = dependentsIn(plan, index).map((i) => plan.tickets[i]?.id ?? "");
  return `waits for ${ids(plan.tickets[index]?.dependsOn ?? [])} · waiting for it: ${ids(after)}`;
}
