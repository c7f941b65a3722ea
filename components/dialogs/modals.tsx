import { type ReactNode, use, useEffect, useMemo } from "react";
import { plural } from "../../src/domain/values/text.ts";
import type { DashboardState, Keymap } from "../../src/store/dashboard-state.ts";
import type { Mode } from "../../src/store/keymap/binding.ts";
import { type KeyGroup, keyGroups } from "../../src/store/keymap/key-groups.ts";
import { allKeyLabels } from "../../src/store/keymap/key-labels.ts";
import { currentMode } from "../../src/store/keymap/keymap.ts";
import { behind, chosenAt, type Offer, rankOffers, whyNotNow } from "../../src/store/keymap/palette.ts";
import { STYLES, type Style, type Tone } from "../../src/store/labels/tone.ts";
import type { Modal, OnTickets } from "../../src/store/ui.ts";
import { DashboardContext, useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { lineField } from "../kit/field-lines.ts";
import { cut, fitTo, textWidth, wrapWords } from "../kit/fit.ts";
import type { SpanLine } from "../kit/spans.tsx";
import { hiddenLabel, type TerminalSize, visibleWindow, type Window } from "../kit/window.ts";
import { Away } from "./away.tsx";
import { Dialog, dialogLayout, dialogWidth } from "./dialog.tsx";
import {
  addLines,
  approveLines,
  gateLines,
  healLines,
  killLines,
  leaveLines,
  type Mirror,
  noteLines,
  retryLines,
  revertLines,
  reviewLines,
  severalLines,
} from "./dialog-lines.ts";

interface Content {
  readonly title: string;
  readonly tone: Tone;
  readonly lines: readonly SpanLine[];
}

type DialogModal = Exclude<Modal, { kind: "filter" | "search" | "palette" | "help" | "help-search" | "away" }>;

/** The modal in front of the views, if any. */
export function Modals({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("modals");
  const modal = useDashboard((s) => s.ui.modal);
  // Filter and search have their field in the last line.
  if (modal === undefined || modal.kind === "filter" || modal.kind === "search") return null;
  if (modal.kind === "palette") return <Palette columns={columns} rows={rows} />;
  if (modal.kind === "help" || modal.kind === "help-search") return <Help columns={columns} rows={rows} />;
  if (modal.kind === "away") return <Away since={modal.since} columns={columns} rows={rows} />;
  return <Question modal={modal} columns={columns} rows={rows} />;
}

/** A question before an action. */
function Question(options: { readonly modal: DialogModal; readonly columns: number; readonly rows: number }): ReactNode {
  const { modal, columns, rows } = options;
  const run = useDashboard((s) => s.run);
  const lists = useDashboard((s) => s.lists);
  const keymap = useDashboard((s) => s.keymap);
  const viewed = useDashboard((s) => s.viewed);
  const mirror: Mirror = { lists, keymap, run, viewed };
  const content = dialogContent(modal, mirror, dialogWidth(columns), rows - 4);
  return <Dialog {...content} columns={columns} rows={rows} wide={"input" in modal} />;
}

/** The ticket of a question, or how many there are. */
function who({ ticket, also = [] }: OnTickets): string {
  return also.length === 0 ? ticket : plural(also.length + 1, "ticket");
}

function askLines(mirror: Mirror, modal: Extract<Modal, { kind: "kill" | "retry" }>, width: number): readonly SpanLine[] {
  if (modal.also?.length) return severalLines(mirror, modal, width);
  return (modal.kind === "kill" ? killLines : retryLines)(mirror, modal.ticket, width);
}

function dialogContent(modal: DialogModal, mirror: Mirror, width: number, most: number): Content {
  switch (modal.kind) {
    case "kill":
      return { title: `End the attempt at ${who(modal)}?`, tone: "bad", lines: askLines(mirror, modal, width) };
    case "gate":
      return { title: `Leave ${who(modal)} to a person`, tone: "person", lines: gateLines(mirror, modal, width, most) };
    case "leave":
      return { title: "Leave the dashboard", tone: "running", lines: leaveLines(mirror, width) };
    case "retry":
      return { title: `Retry ${who(modal)}?`, tone: "running", lines: askLines(mirror, modal, width) };
    case "revert":
      return { title: `Revert the change of ${modal.ticket}?`, tone: "bad", lines: revertLines(mirror, modal.ticket, width) };
    case "approve":
      return { title: `Approve the change of ${modal.ticket}?`, tone: "person", lines: approveLines(mirror, modal, width, most) };
    case "heal":
      return { title: "Heal the harness?", tone: "running", lines: healLines(mirror, width) };
    case "add":
      return { title: "Add a ticket", tone: "person", lines: addLines(mirror, modal, width, most) };
    case "review":
      return { title: `Request a review of ${modal.ticket}`, tone: "person", lines: reviewLines(mirror, modal, width, most) };
    case "note":
      return { title: "Note an intervention", tone: "person", lines: noteLines(mirror, modal, width, most) };
  }
}

/** Finds every command: a field, and its matches. The reason why a command does nothing now depends on the whole run. */
function Palette({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("palette");
  const state = useDashboard((s) => s);
  const lines = paletteLines(state, { columns, rows });
  return <Dialog title="Command" tone="running" lines={lines} columns={columns} rows={rows} wide />;
}

/** All keys and signs, scrollable. */
function Help({ columns, rows }: { readonly columns: number; readonly rows: number }): ReactNode {
  useDrawn("help");
  const keymap = useDashboard((s) => s.keymap);
  const front = useDashboard((s) => currentMode(behind(s)));
  const scroll = useDashboard((s) => s.ui.panes.help.scroll);
  const store = use(DashboardContext)?.store;
  const filter = useDashboard((s) => (s.ui.modal?.kind === "help" ? s.ui.modal.filter : ""));
  const input = useDashboard((s) => (s.ui.modal?.kind === "help-search" ? s.ui.modal.input : undefined));
  const wanted = input?.text ?? filter;
  const width = dialogWidth(columns);
  const lines = useMemo(() => helpLines(keymap, front, width, wanted.trim()), [keymap, front, width, wanted]);
  // The rest is a border on either side, the search, the hidden count, and a line of the terminal above and below.
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

/** Shown in place of the field while nobody types. */
function searchWord(wanted: string): SpanLine {
  return [{ text: wanted === "" ? "/ search" : `/${wanted}`, tone: "waiting" }];
}

function hidden(above: number, below: number): string {
  const words = [...(above === 0 ? [] : [`${above} above`]), below === 0 ? "end" : `+${below} more`];
  return words.join(" · ");
}

const KEYS_WIDTH = 15;

const EMPTY: SpanLine = [{ text: "" }];

/** The meanings of the dashboard's signs. */
const LEGEND: readonly (readonly [Style, string])[] = [
  [STYLES.oracle, "the oracle: the only voice that says done"],
  [{ ...STYLES.claim, glyph: '"…"' }, "what an agent says: a claim, never evidence"],
  [STYLES.agent, "an agent is at work"],
  [STYLES.finishing, "on the finish line; its agent has stopped"],
  [STYLES.preparing, "its worktree is being made"],
  [STYLES.ready, "ready: only room is missing"],
  [STYLES.waits, "waits, or a free slot"],
  [STYLES.heldUp, "held up from outside"],
  [STYLES.ending, "being ended"],
  [STYLES.needsYou, "waits for you"],
  [STYLES.failed, "failed"],
  [STYLES.again, "an attempt failed, and another one follows"],
  [STYLES.person, "what a person did"],
  [STYLES.landed, "landed, and not live yet"],
  [STYLES.done, "done"],
  [{ glyph: "a2", tone: "plain" }, "the ticket's second attempt"],
  [
    { ...STYLES.done, glyph: [STYLES.done, STYLES.step, STYLES.waits].map(({ glyph }) => glyph).join("") },
    "the finish line: passed, at it now, ahead",
  ],
  [STYLES.warning, "a warning, for example about an agent's behaviour"],
];

/**
 * All keys, those of the view in front first, and the meanings of signs, in lines of at most `width` columns. `wanted`: only
 * those with all of its words in their keys, name or meaning.
 */
function helpLines(keymap: Keymap, front: Mode, width: number, wanted: string): readonly SpanLine[] {
  const words = wanted.toLowerCase().split(/\s+/u);
  const fits = (...texts: readonly string[]): boolean => words.every((word) => texts.join(" ").toLowerCase().includes(word));
  const groups = keyGroups(keymap, front).map(
    (group): KeyGroup => ({
      ...group,
      bindings: group.bindings.filter((b) => b.keys.length > 0 && fits(allKeyLabels(b), b.name.replaceAll("-", " "), b.help)),
    }),
  );
  const signs = LEGEND.filter(([{ glyph }, means]) => fits(glyph, means));
  const lines = [
    ...(signs.length === 0 ? [] : [title("signs")]),
    ...signs.map(([{ glyph, tone }, means]): SpanLine => [{ text: fitTo(glyph, 5), tone }, { text: means }]),
    ...groups.flatMap((group) => (group.bindings.length === 0 ? [] : [EMPTY, ...groupLines(group, width)])),
  ];
  return lines.length === 0 ? [[{ text: "nothing is called that", tone: "waiting" }]] : lines;
}

function title(text: string): SpanLine {
  return [{ text: text.toUpperCase(), bold: true }];
}

function groupLines(group: KeyGroup, width: number): readonly SpanLine[] {
  return [
    title(group.title),
    ...group.bindings.flatMap((binding) =>
      wrapWords(binding.help, width - KEYS_WIDTH).map(
        (text, i): SpanLine => [
          { text: fitTo(i === 0 ? allKeyLabels(binding) : "", KEYS_WIDTH - 1), tone: "running", bold: true },
          { text: ` ${text}` },
        ],
      ),
    ),
  ];
}

const MOST_ROWS = 14;
/** Lines of the palette before its first row: the field, and an empty one. */
const HEAD_LINES = 2;
const NAME_WIDTH = 20;

/** Rows of the palette, independent of its matches: it stands still while a person types. */
function paletteRows({ rows }: TerminalSize): number {
  return Math.max(1, Math.min(MOST_ROWS, rows - 4 - HEAD_LINES));
}

function windowIn(found: number, at: number, size: TerminalSize): Window {
  return visibleWindow(found, paletteRows(size), chosenAt(at, found));
}

/** The palette: the typed text, and the matching commands, with their keys or the reason why they do nothing now. */
function paletteLines(state: DashboardState, size: TerminalSize): readonly SpanLine[] {
  const { modal } = state.ui;
  if (modal?.kind !== "palette") return [];
  const width = dialogWidth(size.columns);
  const found = rankOffers(state);
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
  return Array.from({ length: HEAD_LINES + paletteRows(size) }, (_, i) => lines[i] ?? []);
}

/** `▌kill T-4    end the selected ticket's attempt; asks first    x` */
function row(
  offer: Offer,
  state: DashboardState,
  { width, chosen }: { readonly width: number; readonly chosen: boolean },
): SpanLine {
  const why = whyNotNow(offer, state);
  const key = offer.key === "" ? "" : ` ${offer.key}`;
  const room = width - 1 - NAME_WIDTH - 1 - textWidth(key);
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
  const found = rankOffers(state).length;
  const shown = windowIn(found, modal.at, size);
  const room = dialogWidth(size.columns);
  const { top, left } = dialogLayout({ ...size, lines: HEAD_LINES + paletteRows(size), room });
  const at = shown.start + cell.row - (top + 1 + HEAD_LINES);
  const within = cell.column > left && cell.column < left + room + 3;
  return within && at >= shown.start && at < shown.end ? at : undefined;
}
