import type { Binding, DashboardState, Keymap } from "../dashboard-state.ts";
import { VIEWS } from "../views/view-name.ts";
import type { Effect, Mode, PlayAction } from "./binding.ts";
import { word } from "./effects.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const play = (action: PlayAction) => (): readonly Effect[] => [{ do: "act", act: (actions) => actions.play(action) }];
const tenths = Array.from({ length: 10 }, (_, i) => i);

/** Keys that move a replay. They come before all others. */
export const REPLAY_KEYS: readonly Binding[] = [
  {
    name: "replay-toggle",
    keys: [" "],
    short: ({ playback }: DashboardState) => (playback?.playing === true ? "stop" : "play"),
    keep: 1,
    help: "play on, or stop; at the end: from the start",
    act: play({ type: "toggle" }),
  },
  {
    name: "replay-faster",
    keys: [">", "."],
    pair: "replay-slower",
    short: word("speed"),
    keep: 3,
    help: "faster: up to 1000 times",
    act: play({ type: "faster" }),
  },
  { name: "replay-slower", keys: ["<", ","], help: "slower", act: play({ type: "slower" }) },
  {
    name: "replay-on",
    keys: ["right"],
    pair: "replay-back",
    short: word("10 s"),
    keep: 4,
    help: "10 seconds on",
    act: play({ type: "by", ms: 10 * SECOND }),
  },
  { name: "replay-back", keys: ["left"], help: "10 seconds back", act: play({ type: "by", ms: -10 * SECOND }) },
  { name: "replay-minute-on", keys: ["pagedown"], help: "a minute on", act: play({ type: "by", ms: MINUTE }) },
  { name: "replay-minute-back", keys: ["pageup"], help: "a minute back", act: play({ type: "by", ms: -MINUTE }) },
  { name: "replay-start", keys: ["home"], help: "to the start", act: play({ type: "to-share", share: 0 }) },
  { name: "replay-end", keys: ["end"], help: "to the end", act: play({ type: "to-share", share: 1 }) },
  {
    name: "replay-idle",
    keys: ["s"],
    short: word("idle"),
    keep: 6,
    help: "play stretches in which nothing happened, or pass over them",
    act: play({ type: "idle" }),
  },
  ...tenths.map(
    (tenth): Binding => ({
      name: `replay-tenth-${tenth}`,
      silent: true,
      keys: [String(tenth)],
      help: `to ${tenth * 10} % of the run`,
      act: play({ type: "to-share", share: tenth / 10 }),
    }),
  ),
];

/** The modes in which a replay can be moved: modals keep their keys. */
const MODES: ReadonlySet<Mode> = new Set<Mode>([...VIEWS, "summary"]);

/** A keymap for a replay: its keys first, others only on the remaining keys; what has none left is in the palette. */
export function replayKeymap(keymap: Keymap): Keymap {
  const taken = new Set(keymap.replay.flatMap(({ keys }) => keys));
  const left = (binding: Binding): Binding => ({ ...binding, keys: binding.keys.filter((key) => !taken.has(key)) });
  const modes = Object.entries(keymap) as [Mode, readonly Binding[]][];
  return Object.fromEntries(
    modes.map(([mode, bindings]) => [mode, MODES.has(mode) ? [...keymap.replay, ...bindings.map(left)] : bindings]),
  ) as Keymap;
}
