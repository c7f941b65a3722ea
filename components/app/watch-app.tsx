import { Box, type Key, useApp, useInput, useIsScreenReaderEnabled, useWindowSize } from "ink";
import { type ReactNode, useMemo } from "react";
import { type StoreApi, useStore } from "zustand";
import type { TerminalCapabilities } from "../../src/store/terminal-capabilities.ts";
import { type Machine, type WatchedRun, type WatchRow, watchList } from "../../src/store/watch-list.ts";
import { fitTo, textWidth, wrapTo } from "../kit/fit.ts";
import { paint } from "../kit/paint.ts";
import { cutSpans, Line, type SpanLine } from "../kit/spans.tsx";
import { chooseTheme, type OwnColours, type Theme } from "../kit/theme.ts";
import { hiddenLabel, visibleWindow } from "../kit/window.ts";
import { LinePlaceholders } from "../terminal/line-placeholders.ts";
import { ResizeGate } from "../terminal/resize-gate.ts";
import { Lending, renderOnTerminal } from "./render-dashboard.tsx";

/** The state of the screen. `now` moves the ages. */
export interface WatchState {
  readonly machines: readonly Machine[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The key of the selected row. */
  readonly selected?: string;
  /** A line for the person, until the next key. */
  readonly said?: string;
}

interface WatchOptions {
  readonly store: StoreApi<WatchState>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly capabilities: TerminalCapabilities;
  readonly own?: OwnColours | undefined;
  /** The list is left when this aborts. */
  readonly signal: AbortSignal;
}

/** Draws the list until a person leaves it or chooses a run, which is returned. */
export async function renderWatch({ store, own, signal, ...terminal }: WatchOptions): Promise<WatchedRun | undefined> {
  const { stdin, stdout, capabilities } = terminal;
  let chosen: WatchedRun | undefined;
  const choose = (run: WatchedRun): void => {
    chosen = run;
  };
  const laidOut = new ResizeGate(stdout);
  const prepared = new LinePlaceholders(() => false);
  const app = (
    <Lending laidOut={laidOut} onDrawn={undefined}>
      <WatchApp store={store} theme={chooseTheme({ ...capabilities, own })} choose={choose} />
    </Lending>
  );
  const instance = renderOnTerminal(app, { ...terminal, laidOut, prepared });
  const gone = (): void => instance.unmount();
  for (const event of ["end", "error"]) stdin.on(event, gone);
  stdout.on("error", gone);
  signal.addEventListener("abort", gone);
  try {
    await instance.waitUntilExit();
  } finally {
    for (const event of ["end", "error"]) stdin.off(event, gone);
    stdout.off("error", gone);
    signal.removeEventListener("abort", gone);
  }
  return chosen;
}

const FOOT: SpanLine = [
  { text: " j/k", tone: "running", bold: true },
  { text: " select  ", tone: "waiting" },
  { text: "enter", tone: "running", bold: true },
  { text: " open the run  ", tone: "waiting" },
  { text: "q", tone: "running", bold: true },
  { text: " leave", tone: "waiting" },
];

/** Rows that a key moves the selection by. */
const CHAR_MOVES: Readonly<Record<string, number>> = { j: 1, k: -1 };
const KEY_MOVES = {
  ...{ downArrow: 1, upArrow: -1, pageDown: 10, pageUp: -10 },
  ...{ end: Number.POSITIVE_INFINITY, home: Number.NEGATIVE_INFINITY },
} as const;

/** The meaning of keys. Keys that were typed fast come as one text. */
function meant(text: string, key: Key): { readonly by: number; readonly leaves: boolean; readonly opens: boolean } {
  const chars = [...text];
  const named = (Object.keys(KEY_MOVES) as (keyof typeof KEY_MOVES)[]).find((name) => key[name]);
  const by = chars.reduce((sum, char) => sum + (CHAR_MOVES[char] ?? 0), named === undefined ? 0 : KEY_MOVES[named]);
  const leaves = chars.includes("q") || key.escape || (key.ctrl && text === "c");
  return { by, leaves, opens: key.return || chars.includes("\r") };
}

/** The list of all runs: their needs first, below them the machines that do not answer and the runs. */
function WatchApp({
  store,
  theme,
  choose,
}: {
  readonly store: StoreApi<WatchState>;
  readonly theme: Theme;
  readonly choose: (run: WatchedRun) => void;
}): ReactNode {
  const { machines, now, selected, said = "" } = useStore(store);
  const { columns, rows } = useWindowSize();
  const { exit } = useApp();
  const isRead = useIsScreenReaderEnabled();
  const list = useMemo(() => watchList(machines, now), [machines, now]);
  const all = [...list.needs, ...list.runs];
  const at = all.findIndex(({ key }) => key === selected);
  const open = (run: WatchedRun | undefined): void => {
    if (run === undefined) return;
    const { host } = run;
    if (host !== undefined) return store.setState({ said: `it is on ${host}: ssh -t ${host} loopdash attach ${run.run}` });
    choose(run);
    exit();
  };
  useInput((text, key) => {
    const { by, leaves, opens } = meant(text, key);
    const to = by === 0 ? at : Math.min(Math.max(0, at + by), all.length - 1);
    store.setState({ said: "", ...(by !== 0 && { selected: all[to]?.key }) });
    if (leaves) exit();
    else if (opens) open(all[to]?.run);
  });
  const { glyph, tone, word, text } = list.head;
  const head: SpanLine = [{ text: ` ${glyph} ${word}  `, tone, bold: true }, { text }];
  const foot: readonly SpanLine[] = said === "" ? [FOOT] : wrapTo(said, columns - 2, 4).map((line) => [{ text: ` ${line}` }]);
  const height = rows - 1 - foot.length - (isRead ? 1 : 0);
  const lines = screenLines({ ...list, selected, columns, height, mark: isRead ? ">" : "▌" });
  const blank = isRead ? 0 : Math.max(0, height - lines.length);
  return (
    <Box flexDirection="column" height={isRead ? undefined : rows}>
      {[head, ...lines, ...Array.from({ length: blank }, (): SpanLine => []), ...foot].map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <Line key={i}>{paint(cutSpans(line, columns), theme, false) || " "}</Line>
      ))}
    </Box>
  );
}

interface Screen {
  readonly needs: readonly WatchRow[];
  readonly runs: readonly WatchRow[];
  readonly selected: string | undefined;
  readonly columns: number;
  readonly height: number;
  /** The sign before the selected row. */
  readonly mark: string;
}

/** Lines of a row at most where there are few. */
const LONGEST = 4;

/** The rows in so many lines: what needs a person has two each, more where there is room, the runs what is left. */
function screenLines({ needs, runs, selected, columns, height, mark }: Screen): readonly SpanLine[] {
  const rule = (title: string, count: number): SpanLine => {
    const text = `─ ${title} ${count} `;
    return [{ text: `${text}${"─".repeat(Math.max(0, columns - text.length))}`, tone: "waiting" }];
  };
  const longest = [...needs, ...runs].reduce((most, { where }) => Math.max(most, textWidth(where.join("  "))), 0);
  const where = Math.min(40, Math.floor(columns * 0.35), longest);
  const block = (rows: readonly WatchRow[], room: number, each: number): readonly SpanLine[] => {
    const focus = rows.findIndex(({ key }) => key === selected);
    const window = visibleWindow(rows.length, Math.floor(room / each), focus);
    const hidden: readonly SpanLine[] =
      window.above + window.below === 0 ? [] : [[{ text: `   ${hiddenLabel(window)}`, tone: "waiting" }]];
    const drawn = rows
      .slice(window.start, window.end)
      .flatMap((row) => rowLines(row, { columns, where, mark: row.key === selected ? mark : " ", most: each }));
    return [...drawn, ...hidden];
  };
  const each = needs.length * LONGEST < height * 0.6 ? LONGEST : 2;
  const urgent = block(needs, Math.max(LONGEST, Math.floor(height * 0.6)), each);
  const above = needs.length === 0 ? [] : [rule("NEEDS YOU", needs.length), ...urgent];
  return [...above, rule("RUNS", runs.length), ...block(runs, Math.max(2, height - above.length - 1), 1)].slice(0, height);
}

interface RowSpace {
  readonly columns: number;
  /** Columns of the machine and the run. */
  readonly where: number;
  readonly mark: string;
  /** Lines at most. */
  readonly most: number;
}

function rowLines(
  { glyph, tone, where, text, age }: WatchRow,
  { columns, where: width, mark, most }: RowSpace,
): readonly SpanLine[] {
  const indent = 3 + width + 2;
  const room = Math.max(10, columns - indent - 7);
  const [first = "", ...rest] = wrapTo(text, room, most);
  const selected = { text: mark, tone: "running" } as const;
  return [
    [
      selected,
      { text: `${glyph} `, tone },
      { text: fitTo(where.join("  "), width), bold: true, inverse: mark !== " " },
      { text: `  ${fitTo(first, room)}` },
      { text: fitTo(age, 6, "right"), tone: "waiting" },
    ],
    ...rest.map((line): SpanLine => [selected, { text: `${" ".repeat(indent - 1)}${line}` }]),
  ];
}
