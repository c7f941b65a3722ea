import { Box, useApp, useInput, useWindowSize } from "ink";
import { type ReactNode, useState } from "react";
import { type StoreApi, useStore } from "zustand";
import type { TerminalCapabilities } from "../../src/store/terminal-capabilities.ts";
import { type Machine, type WatchedRun, type WatchRow, watchList } from "../../src/store/watch-list.ts";
import { fitTo, wrapTo } from "../kit/fit.ts";
import { paint } from "../kit/paint.ts";
import { cutSpans, Line, type SpanLine } from "../kit/spans.tsx";
import { chooseTheme, type OwnColours, type Theme } from "../kit/theme.ts";
import { hiddenLabel, visibleWindow } from "../kit/window.ts";
import { LinePlaceholders } from "../terminal/line-placeholders.ts";
import { ResizeGate } from "../terminal/resize-gate.ts";
import { Lending, renderOnTerminal } from "./render-dashboard.tsx";

/** What the screen shows; `now` moves the ages. */
export interface WatchState {
  readonly machines: readonly Machine[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface WatchOptions {
  readonly store: StoreApi<WatchState>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly capabilities: TerminalCapabilities;
  readonly own?: OwnColours | undefined;
}

/** Draws the list until a person leaves it or chooses a run, which is returned. */
export async function renderWatch({ store, own, ...terminal }: WatchOptions): Promise<WatchedRun | undefined> {
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
  try {
    await instance.waitUntilExit();
  } finally {
    for (const event of ["end", "error"]) stdin.off(event, gone);
    stdout.off("error", gone);
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

/** What needs a person in all runs, first, and below it the runs and the machines that do not answer. */
export function WatchApp({
  store,
  theme,
  choose,
}: {
  readonly store: StoreApi<WatchState>;
  readonly theme: Theme;
  readonly choose: (run: WatchedRun) => void;
}): ReactNode {
  const { machines, now } = useStore(store);
  const { columns, rows } = useWindowSize();
  const { exit } = useApp();
  const [selected, select] = useState<string>();
  const [said, say] = useState("");
  const list = watchList(machines, now);
  const all = [...list.needs, ...list.runs];
  const at = all.findIndex(({ key }) => key === selected);
  const open = (run: WatchedRun | undefined): void => {
    if (run === undefined) return;
    if (run.host !== undefined) return say(`it is on ${run.host}: ssh -t ${run.host} loopdash attach ${run.run}`);
    choose(run);
    exit();
  };
  useInput((text, key) => {
    say("");
    if (text === "q" || key.escape || (key.ctrl && text === "c")) exit();
    else if (key.return) open(all[at]?.run);
    else if (text === "j" || key.downArrow) select(all[Math.min(at + 1, all.length - 1)]?.key);
    else if (text === "k" || key.upArrow) select(all[Math.max(at - 1, 0)]?.key);
  });
  const lines = screenLines({ ...list, selected, columns, height: rows - 2 });
  const { glyph, tone, word, text } = list.head;
  const head: SpanLine = [{ text: ` ${glyph} ${word}  `, tone, bold: true }, { text }];
  const foot: SpanLine = said === "" ? FOOT : [{ text: ` ${said}` }];
  return (
    <Box flexDirection="column" height={rows}>
      {[head, ...lines, ...Array.from({ length: Math.max(0, rows - 2 - lines.length) }, (): SpanLine => []), foot].map(
        (line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <Line key={i}>{paint(cutSpans(line, columns), theme, false) || " "}</Line>
        ),
      )}
    </Box>
  );
}

interface Screen {
  readonly needs: readonly WatchRow[];
  readonly runs: readonly WatchRow[];
  readonly selected: string | undefined;
  readonly columns: number;
  readonly height: number;
}

/** The rows in so many lines: what needs a person has two each, the runs what is left. */
function screenLines({ needs, runs, selected, columns, height }: Screen): readonly SpanLine[] {
  const rule = (title: string, count: number): SpanLine => {
    const text = `─ ${title} ${count} `;
    return [{ text: `${text}${"─".repeat(Math.max(0, columns - text.length))}`, tone: "waiting" }];
  };
  const where = Math.min(
    40,
    Math.floor(columns * 0.45),
    Math.max(0, ...[...needs, ...runs].map((row) => row.where.join("  ").length)),
  );
  const block = (rows: readonly WatchRow[], room: number, each: number): readonly SpanLine[] => {
    const drawn = rows.map((row) => rowLines(row, { columns, where, isSelected: row.key === selected, most: each }));
    const window = visibleWindow(
      rows.length,
      Math.floor(room / each),
      rows.findIndex(({ key }) => key === selected),
    );
    const hidden: readonly SpanLine[] =
      window.above + window.below === 0 ? [] : [[{ text: `   ${hiddenLabel(window)}`, tone: "waiting" }]];
    return [...drawn.slice(window.start, window.end).flat(), ...hidden];
  };
  const above =
    needs.length === 0 ? [] : [rule("NEEDS YOU", needs.length), ...block(needs, Math.max(4, Math.floor(height * 0.6)), 2)];
  return [...above, rule("RUNS", runs.length), ...block(runs, Math.max(2, height - above.length - 1), 1)].slice(0, height);
}

function rowLines(
  { glyph, tone, where, text, age }: WatchRow,
  {
    columns,
    where: width,
    isSelected,
    most,
  }: { readonly columns: number; readonly where: number; readonly isSelected: boolean; readonly most: number },
): readonly SpanLine[] {
  const indent = 3 + width + 2;
  const room = Math.max(10, columns - indent - 7);
  const [first = "", ...rest] = wrapTo(text, room, most);
  const mark = { text: isSelected ? "▌" : " ", tone: "running" } as const;
  return [
    [
      mark,
      { text: `${glyph} `, tone },
      { text: fitTo(where.join("  "), width), bold: true, inverse: isSelected },
      { text: `  ${fitTo(first, room)}` },
      { text: fitTo(age, 6, "right"), tone: "waiting" },
    ],
    ...rest.map((line): SpanLine => [mark, { text: `${" ".repeat(indent - 1)}${line}` }]),
  ];
}
