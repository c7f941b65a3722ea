import type { PlayAction } from "./keymap/binding.ts";

/** The speeds of a replay, as multiples of the run's. */
export const SPEEDS = [1, 2, 5, 10, 30, 60, 300, 1_000] as const;
/** A gap without events is skipped from this length on, except for its last second. Milliseconds. */
export const IDLE_MS = 30_000;
const LEAD_MS = 1_000;

/** The position of a replay. Times are those of the run, in milliseconds since the epoch. */
export interface Playback {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly playing: boolean;
  readonly speed: number;
  /** If set, gaps without events are skipped during playback. */
  readonly skipsIdle: boolean;
}

/** Moves of a replay: a person's action, or elapsed time, in milliseconds of the person's own clock. */
type Move = PlayAction | { readonly type: "pass"; readonly ms: number };

/** Moves a replay. Pure. `nextAfter` gives the time of the run's next event after a time; undefined after the last. */
export function movePlayback(playback: Playback, move: Move, nextAfter: (time: number) => number | undefined): Playback {
  const { from, to, speed } = playback;
  switch (move.type) {
    case "toggle":
      return playback.at >= to && !playback.playing
        ? { ...playback, at: from, playing: true }
        : { ...playback, playing: !playback.playing };
    case "faster":
      return { ...playback, speed: SPEEDS.find((other) => other > speed) ?? speed };
    case "slower":
      return { ...playback, speed: SPEEDS.findLast((other) => other < speed) ?? speed };
    case "idle":
      return { ...playback, skipsIdle: !playback.skipsIdle };
    case "by":
      return { ...playback, at: within(playback, playback.at + move.ms) };
    case "to-share":
      return { ...playback, at: within(playback, from + Math.round((to - from) * move.share)) };
    case "pass":
      return playback.playing ? passed(playback, move.ms, nextAfter) : playback;
  }
}

/** Playback stops at the end. */
function passed(playback: Playback, ms: number, nextAfter: (time: number) => number | undefined): Playback {
  const next = nextAfter(playback.at);
  const idle = playback.skipsIdle && next !== undefined && next - playback.at > IDLE_MS;
  const at = within(playback, idle ? next - LEAD_MS : playback.at + ms * playback.speed);
  return { ...playback, at, playing: at < playback.to };
}

function within({ from, to }: Playback, at: number): number {
  return Math.min(Math.max(from, at), to);
}
