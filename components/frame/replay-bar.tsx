import { memo, type ReactNode } from "react";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import { formatClock, formatLong } from "../../src/store/format.ts";
import { keyLabels } from "../../src/store/keymap/key-labels.ts";
import { modeOf } from "../../src/store/keymap/keymap.ts";
import { stageLabel } from "../../src/store/labels/run-label.ts";
import { BAR_CELLS, STYLES } from "../../src/store/labels/tone.ts";
import type { Playback } from "../../src/store/playback.ts";
import { useDashboard, useDrawn } from "../kit/dashboard-context.ts";
import { cut, fitParts, widthOf } from "../kit/fit.ts";
import { Line, Say } from "../kit/text.tsx";

type Part = "moves" | "time" | "stage" | "speed" | "idle" | "keys";

/** The order in which parts are shortened if the line is short. Play state, position and speed always stay. */
const SHORTER: readonly Part[] = ["keys", "stage", "keys", "time", "moves", "idle", "keys", "time"];
const SHORTEST_BAR = 8;

/** A replay's position in its run, its speed, and its keys. */
export const ReplayBar = memo(function ReplayBar({ width }: { readonly width: number }): ReactNode {
  useDrawn("replay bar");
  const playback = useDashboard((s) => s.playback);
  const stage = useDashboard((s) => {
    const { glyph, word } = stageLabel(s.run, { state: "live" }, s.now);
    return `${glyph} ${word}`;
  });
  const keys = useDashboard((s) => replayKeyLabels(s).join("\n"));
  if (playback === undefined) return null;
  const parts = fitParts(wordsOf(playback, stage, keys.split("\n")), SHORTER, width - SHORTEST_BAR - 2);
  const said = widthOf(Object.values(parts).join(""));
  const bar = Math.max(0, width - said - 2);
  const past = Math.round(bar * shareOf(playback));
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

function wordsOf(playback: Playback, stage: string, keys: readonly string[]): Readonly<Record<Part, readonly string[]>> {
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
  const bindings = state.keymap[modeOf(state)];
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

function shareOf({ at, from, to }: Playback): number {
  return to === from ? 1 : (at - from) / (to - from);
}
