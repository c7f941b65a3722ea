import { Box } from "ink";
import { memo, type ReactNode } from "react";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { formatClock, formatLong } from "../../src/store/format.ts";
import { keyLabels } from "../../src/store/keymap/key-labels.ts";
import { currentMode } from "../../src/store/keymap/keymap.ts";
import { stageLabel } from "../../src/store/labels/run-label.ts";
import { BAR_CELLS, STYLES, type Tone } from "../../src/store/labels/tone.ts";
import { filteredLists } from "../../src/store/lists.ts";
import type { Playback } from "../../src/store/playback.ts";
import type { TextInput } from "../../src/store/text-input.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { lineField } from "../kit/field-lines.ts";
import { cut, fitParts, textWidth } from "../kit/fit.ts";
import { Line, Say, type SpanLine, Spans, spansWidth } from "../kit/spans.tsx";

/** Separates keys in the one string that a selector can return. */
const SEPARATOR = "\n";

/** One key of the footer and its effect here: `x kill`. */
export interface FooterKey {
  /** The name of its binding. */
  readonly name: string;
  readonly text: string;
}

/** The keys that work here now and fit, in the order of the keymap. Each takes its text and a column on either side. */
export function footerKeys(state: DashboardState, width: number): readonly FooterKey[] {
  const bindings = state.keymap[currentMode(state)];
  const shown = bindings.flatMap((b) => {
    const [key, short] = [keyLabels(b, bindings), b.short?.(state) ?? ""];
    return key === "" || short === ""
      ? []
      : [{ keep: typeof b.keep === "function" ? b.keep(state) : (b.keep ?? 0), name: b.name, text: `${key} ${short}` }];
  });
  const byWorth = shown.toSorted((a, b) => a.keep - b.keep);
  let used = 1;
  const fitting = new Set(
    byWorth.filter(({ text }) => {
      used += textWidth(text) + 2;
      return used - 1 <= width;
    }),
  );
  return shown.filter((key) => fitting.has(key));
}

/** The prefix of the last line while the connection is lost: the screen may be out of date. Empty otherwise. */
export function staleLabel({ run, ui }: DashboardState): string {
  return ui.connection.state === "lost" && run?.end === undefined ? ` ${STYLES.disconnected.glyph} connection lost ·` : "";
}

/** The content of the last line now: a field, a temporary message, or the keys. */
export function footerShows({ run, ui, playback }: DashboardState): "field" | "toast" | "lost" | "reading" | "replay" | "keys" {
  if (ui.modal?.kind === "filter" || ui.modal?.kind === "search") return "field";
  if (ui.toast !== undefined) return "toast";
  if (ui.modal === undefined && run === undefined && ui.connection.state === "reading") return "reading";
  if (ui.modal === undefined && playback !== undefined) return "replay";
  return ui.connection.state === "lost" && run?.end === undefined && ui.modal === undefined ? "lost" : "keys";
}

/** The last line: a text field, a temporary message, else the keys that work here now. */
export const Footer = memo(function Footer({ width }: { readonly width: number }): ReactNode {
  useDrawn("footer");
  const isLost = useDashboard((s) => footerShows(s) === "lost");
  const stale = useDashboard(staleLabel);
  if (stale === "" || isLost) return <Shown width={width} />;
  return (
    <Box height={1}>
      <Spans line={[{ text: stale, tone: "bad", bold: true }]} />
      <Shown width={width - textWidth(stale)} />
    </Box>
  );
});

function Shown({ width }: { readonly width: number }): ReactNode {
  const shows = useDashboard(footerShows);
  const toast = useDashboard((s) => s.ui.toast);
  const lost = useDashboard((s) => (s.ui.connection.state === "lost" ? s.ui.connection.reason : ""));
  const leave = useDashboard((s) => keyHint(s, "leave"));
  const reading = useDashboard((s) => (s.ui.connection.state === "reading" ? readingLabel(s.ui.connection) : ""));
  if (shows === "field") return <Field width={width} />;
  if (shows === "toast" && toast !== undefined) return <Message text={toast.text} tone={toast.tone} width={width} />;
  if (shows === "reading") return <Message text={`${reading}${leave}`} tone="waiting" width={width} />;
  if (shows === "replay") return <ReplayBar width={width} />;
  if (shows === "lost")
    return <Message text={`${STYLES.disconnected.glyph} connection lost: ${lost}${leave}`} tone="bad" width={width} />;
  return <Keys width={width} />;
}

function readingLabel({ rows, total }: { readonly rows: number; readonly total: number }): string {
  return `reading the journal: ${rows.toLocaleString("en")} of ${total.toLocaleString("en")} events`;
}

/** ` · q leave`, with its current key. */
function keyHint(state: DashboardState, name: string): string {
  const bindings = state.keymap[currentMode(state)];
  const binding = bindings.find((b) => b.name === name);
  const key = binding === undefined ? "" : keyLabels(binding, bindings);
  return key === "" ? "" : ` · ${key} ${name}`;
}

function Keys({ width }: { readonly width: number }): ReactNode {
  const keys = useDashboard((s) =>
    footerKeys(s, width)
      .map(({ text }) => text)
      .join(SEPARATOR),
  );
  return (
    <Spans
      line={keys.split(SEPARATOR).flatMap((key): SpanLine => {
        const at = key.indexOf(" ");
        return [
          { text: ` ${key.slice(0, at)}`, tone: "running", bold: true },
          { text: `${key.slice(at)} `, tone: "waiting" },
        ];
      })}
    />
  );
}

const NO_FIELD: TextInput = { text: "", cursor: 0 };

/** A search or filter: the field, the number of matches of a filter, and the keys of the field. */
function Field({ width }: { readonly width: number }): ReactNode {
  const input = useDashboard((s) =>
    s.ui.modal?.kind === "filter" || s.ui.modal?.kind === "search" ? s.ui.modal.input : NO_FIELD,
  );
  const shown = useDashboard((s) => (s.ui.modal?.kind === "filter" ? filteredLists(s)?.shown : undefined));
  const all = useDashboard((s) => filteredLists(s)?.all ?? 0);
  const keys = useDashboard((s) =>
    footerKeys(s, width)
      .map(({ text }) => text)
      .join("  "),
  );
  const said = [...(shown === undefined ? [] : [`${shown} of ${all}`]), keys].join("  ");
  const room = width - textWidth(said) - 4;
  const line = lineField(input, room);
  return (
    <Spans
      line={[
        { text: " /", tone: "running", bold: true },
        ...line,
        { text: `${" ".repeat(Math.max(0, room - spansWidth(line)))} ${said} `, tone: "waiting" },
      ]}
    />
  );
}

function Message({ text, tone, width }: { readonly text: string; readonly tone: Tone; readonly width: number }): ReactNode {
  return <Spans line={[{ text: cut(` ${text}`, width), tone, bold: true }]} />;
}

type Part = "moves" | "time" | "stage" | "speed" | "idle" | "keys";

/** The order in which parts are shortened if the line is short. Play state, position and speed always stay. */
const SHORTER: readonly Part[] = ["keys", "stage", "keys", "time", "moves", "idle", "keys", "time"];
const SHORTEST_BAR = 8;

/** A replay's position in its run, its speed, and its keys. */
const ReplayBar = memo(function ReplayBar({ width }: { readonly width: number }): ReactNode {
  useDrawn("replay bar");
  const playback = useDashboard((s) => s.playback);
  const stage = useDashboard((s) => {
    const { glyph, word } = stageLabel(s.run, { state: "live" }, s.now);
    return `${glyph} ${word}`;
  });
  const keys = useDashboard((s) => replayKeyLabels(s).join("\n"));
  if (playback === undefined) return null;
  const parts = fitParts(playbackParts(playback, stage, keys.split("\n")), SHORTER, width - SHORTEST_BAR - 2);
  const said = textWidth(Object.values(parts).join(""));
  const bar = Math.max(0, width - said - 2);
  const past = Math.round(bar * playedShare(playback));
  return (
    <Line>
      <Say tone="person" bold>
        {cut(parts.moves, width)}
      </Say>
      <Say bold>{parts.time}</Say>
      <Say tone="waiting">{parts.stage}</Say>
      <Say> </Say>
      <Say tone="person">{BAR_CELLS.done.repeat(past)}</Say>
      <Say tone="waiting">{BAR_CELLS.open.repeat(bar - past)}</Say>
      <Say> </Say>
      <Say bold>{parts.speed}</Say>
      <Say tone="waiting">{`${parts.idle}${parts.keys}`}</Say>
    </Line>
  );
});

function playbackParts(playback: Playback, stage: string, keys: readonly string[]): Readonly<Record<Part, readonly string[]>> {
  const { at, from, to, playing, speed, skipsIdle } = playback;
  const passed = formatLong(at - from);
  const [most = "", some = "", few = "", least = ""] = keys;
  return {
    moves: playing
      ? [` ${STYLES.replay.glyph} playing `, ` ${STYLES.replay.glyph} `]
      : [` ${STYLES.heldUp.glyph} stopped `, ` ${STYLES.heldUp.glyph} `],
    time: [`${passed} of ${formatLong(to - from)} · ${formatClock(at)}`, `${passed} of ${formatLong(to - from)}`, passed],
    stage: [` · ${stage}`, ""],
    speed: [`${speed}× `],
    idle: skipsIdle ? ["· idle skipped ", ""] : [""],
    keys: [most, some, few, least],
  };
}

/** The keys of a replay in more and in fewer words, as bound. */
function replayKeyLabels(state: DashboardState): readonly string[] {
  const bindings = state.keymap[currentMode(state)];
  const words = (names: readonly string[]): string =>
    names
      .flatMap((name) => {
        const binding = bindings.find((b) => b.name === name);
        const [key, short] = [binding && keyLabels(binding, bindings), binding?.short?.(state)];
        return key === undefined || key === "" || short === undefined ? [] : [`· ${key} ${short} `];
      })
      .join("");
  return [
    words(["replay-toggle", "replay-faster", "replay-on", "replay-idle", "help", "leave"]),
    words(["replay-toggle", "help", "leave"]),
    words(["replay-toggle", "leave"]),
    words(["leave"]),
  ];
}

function playedShare({ at, from, to }: Playback): number {
  return to === from ? 1 : (at - from) / (to - from);
}
