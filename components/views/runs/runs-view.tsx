import { Box } from "ink";
import { memo, type ReactNode, useMemo } from "react";
import { displayText, formatDay, formatElapsed, formatMinute } from "../../../src/store/format.ts";
import { keyIn } from "../../../src/store/keymap/key-labels.ts";
import { standingLabel } from "../../../src/store/labels/run-label.ts";
import { type ListedRun, selectedRunIndex } from "../../../src/store/run-list.ts";
import { FRAME_LINES, ViewFrame } from "../../frame/view-frame.tsx";
import { useDashboard, useDrawn } from "../../kit/dashboard-context.ts";
import { cut, fitTo, textWidth } from "../../kit/fit.ts";
import { cutSpans, Inner, Line, linkSpans, Say, type SpanLine, Spans, Time, toLink } from "../../kit/spans.tsx";
import { hiddenLabel, type ViewSize } from "../../kit/window.ts";
import { runDetailLines } from "./run-details.ts";
import { listLines, runsWindow } from "./runs-layout.ts";

const NO_RUNS: readonly ListedRun[] = [];

/** All runs of this machine, and the possible actions on the selected one. */
export function RunsView({ columns, height }: ViewSize): ReactNode {
  useDrawn("runs");
  const known = useDashboard((s) => s.runList !== undefined);
  const runs = useDashboard((s) => s.runList ?? NO_RUNS);
  const place = useDashboard(selectedRunIndex);
  const shown = useDashboard((s) => s.run?.run);
  const key = useDashboard((s) => keyIn(s, "runs", "show-run"));
  const longest = useMemo(() => longestName(runs), [runs]);
  const layout = useMemo(() => runColumns(columns, longest), [columns, longest]);
  const window = runsWindow(runs.length, height - FRAME_LINES, place);
  const selected = runs[place];
  const rows = runs.slice(window.start, window.end);
  return (
    <ViewFrame columns={columns} height={height}>
      <Spans line={cutSpans(headLine(layout), columns)} />
      <Box flexDirection="column" height={listLines(height - FRAME_LINES)} flexShrink={0}>
        {runs.length === 0 && <Empty known={known} />}
        {rows.map((run) => (
          <RunRow key={run.run} run={run} columns={layout} selected={run === selected} shown={run.run === shown} />
        ))}
        {rows.length < runs.length && (
          <Line>
            <Say tone="waiting">{`   ${hiddenLabel(window)}`}</Say>
          </Line>
        )}
      </Box>
      <Line>
        <Say tone="waiting">{"─".repeat(columns)}</Say>
      </Line>
      {selected !== undefined &&
        runDetailLines(selected, { shown: selected.run === shown, key, width: columns }).map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <Spans key={i} line={cutSpans(line, columns)} />
        ))}
    </ViewFrame>
  );
}

function Empty({ known }: { readonly known: boolean }): ReactNode {
  return (
    <Line>
      <Say tone="waiting">{known ? "   no run is on record" : "   looking for runs…"}</Say>
    </Line>
  );
}

const RunRow = memo(function RunRow(options: {
  readonly run: ListedRun;
  readonly columns: RunColumns;
  readonly selected: boolean;
  readonly shown: boolean;
}): ReactNode {
  const { run, columns } = options;
  useDrawn(`run ${run.run}`);
  return (
    <Line>
      <Inner line={beforeTime(run, columns, options)} />
      <Took run={run} />
      <Inner line={afterTime(run, columns)} />
    </Line>
  );
});

/** Its duration so far; if a run has no engine, the end of its work is unknown. */
function Took({ run }: { readonly run: ListedRun }): ReactNode {
  // In a replay the clock is that of the replayed run.
  const replays = useDashboard((s) => s.playback !== undefined);
  if (run.standing === "at-work" && !replays) return <Time since={run.startedAt} format="elapsed" width={TOOK_WIDTH} />;
  const took = run.endedAt === undefined ? "?" : formatElapsed(run.endedAt - run.startedAt);
  return <Say tone="waiting">{fitTo(took, TOOK_WIDTH, "right")}</Say>;
}

/** From this width on, a run's numbers have columns of their own, followed by its batch file. */
const WIDE = 100;
const STANDING = 11;
const TOOK = 8;
/** Columns of done, human-gated and open tickets, and interventions, in wide rows. */
const NUMBERS = [6, 7, 6, 9] as const;
const SHORT_NUMBERS = 12;
/** Marks the shown run; the second in narrow rows whose names have less room than `ROOMY`. */
const [HERE, HERE_SHORT] = [" (here)", " ◂"];
const ROOMY = 20;

/** The columns of a row of the list: they depend on the width and the longest name alone. */
interface RunColumns {
  readonly width: number;
  readonly wide: boolean;
  readonly name: number;
  readonly started: number;
  /** 0 if there is no room for the batch file. */
  readonly file: number;
}

/** Columns of the longest name, with the mark of the shown run. */
function longestName(runs: readonly ListedRun[]): number {
  return Math.max(12, ...runs.map(({ name }) => textWidth(displayText(name)) + textWidth(HERE)));
}

/** Divides the width among the columns of the list. */
function runColumns(width: number, longest: number): RunColumns {
  const wide = width >= WIDE;
  const started = width >= 80 ? 16 : 11;
  const numbers = wide ? NUMBERS.reduce((sum, n) => sum + n, 0) : SHORT_NUMBERS;
  const room = width - 3 - STANDING - 2 - started - 1 - TOOK - numbers - 1;
  const name = Math.max(8, wide ? Math.min(longest, Math.floor(room * 0.5)) : room);
  return { width, wide, name, started, file: wide ? Math.max(0, room - name - 2) : 0 };
}

/** The headings of the columns. */
function headLine({ wide, name, started, file }: RunColumns): SpanLine {
  const numbers = wide
    ? ["done", "gated", "open", "interv."].map((word, i) => fitTo(word, NUMBERS[i] ?? 0, "right")).join("")
    : fitTo("done of all", SHORT_NUMBERS, "right");
  const words = `   ${fitTo("", STANDING)} ${fitTo("name", name)} ${fitTo("started", started)} ${fitTo("took", TOOK, "right")}`;
  return [{ text: `${words}${numbers}${file >= 8 ? `  ${fitTo("batch file", file)}` : ""}`, tone: "waiting" }];
}

/** The part before a run's time: its status, its name, its start. */
function beforeTime(run: ListedRun, columns: RunColumns, options: { selected: boolean; shown: boolean }): SpanLine {
  const { glyph, word, tone } = standingLabel(run);
  const here = !options.shown ? "" : columns.wide || columns.name >= ROOMY ? HERE : HERE_SHORT;
  const name = `${cut(displayText(run.name), columns.name - textWidth(here))}${here}`;
  const line: SpanLine = [
    { text: options.selected ? "▌" : " ", tone: "running" },
    { text: `${glyph} ${fitTo(word, STANDING)} `, tone, bold: run.standing === "at-work" },
    { text: fitTo(name, columns.name), bold: options.selected, inverse: options.selected },
    { text: ` ${fitTo(startedLabel(run.startedAt, columns.started), columns.started)} `, tone: "waiting" },
  ];
  return linkSpans(line, [toLink(displayText(run.name), columns.name - textWidth(here), run.url)]);
}

/** The part after it: its progress. Missing counts are unknown. */
function afterTime({ tally, batchPath }: ListedRun, { wide, file }: RunColumns): SpanLine {
  if (!wide) {
    const said = tally === undefined ? "?" : `${tally.done} of ${tally.done + tally.gated + tally.open}`;
    return [{ text: fitTo(said, SHORT_NUMBERS, "right") }];
  }
  const counts = tally && [tally.done, tally.gated, tally.open, tally.interventions];
  const numbers = NUMBERS.map((width, i) => fitTo(counts === undefined ? "?" : String(counts[i]), width, "right")).join("");
  return [{ text: numbers }, { text: file >= 8 ? `  ${fitPathEnd(displayText(batchPath), file)}` : "", tone: "waiting" }];
}

/** The end of a path, which is more telling than its beginning. */
function fitPathEnd(path: string, width: number): string {
  if (textWidth(path) <= width) return path;
  const chars = [...path];
  while (chars.length > 0 && textWidth(chars.join("")) > width - 1) chars.shift();
  return `…${chars.join("")}`;
}

/** Local date and time: `2026-05-04 12:00`, if there is less room `05-04 12:00`. */
function startedLabel(at: number, width: number): string {
  const day = `${formatDay(at)} ${formatMinute(at)}`;
  return width >= 16 ? `${new Date(at).getFullYear()}-${day}` : day;
}

/** Columns of a run's time. */
const TOOK_WIDTH = TOOK;
