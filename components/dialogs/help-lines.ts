import type { Keymap } from "../../src/store/dashboard-state.ts";
import type { Mode } from "../../src/store/keymap/binding.ts";
import { type KeyGroup, keyGroups } from "../../src/store/keymap/key-groups.ts";
import { allKeyLabels } from "../../src/store/keymap/key-labels.ts";
import { fitTo, wrapWords } from "../kit/fit.ts";
import type { SpanLine } from "../kit/spans.tsx";

const KEYS_WIDTH = 15;

const EMPTY: SpanLine = [{ text: "" }];

/** What the signs of the dashboard mean. */
const LEGEND: readonly (readonly [SpanLine[number], string])[] = [
  [{ text: "◆", tone: "oracle" }, "the oracle: the only voice that says done"],
  [{ text: '"…"', tone: "claim" }, "what an agent says: a claim, never evidence"],
  [{ text: "▶", tone: "running" }, "an agent is at work"],
  [{ text: "»", tone: "running" }, "on the finish line; its agent has stopped"],
  [{ text: "◌", tone: "waiting" }, "its worktree is being made"],
  [{ text: "○", tone: "running" }, "ready: only room is missing"],
  [{ text: "·", tone: "waiting" }, "waits, or a free slot"],
  [{ text: "‖", tone: "person" }, "held up from outside"],
  [{ text: "■", tone: "bad" }, "being ended"],
  [{ text: "!", tone: "person" }, "needs you"],
  [{ text: "✖", tone: "bad" }, "stalled: its attempts are used up"],
  [{ text: "✔", tone: "good" }, "done"],
  [{ text: "#2", tone: "plain" }, "the ticket's second attempt"],
  [{ text: "✔▸·", tone: "good" }, "the finish line: passed, at it now, ahead"],
];

/**
 * All keys, those of the view in front first, and what the signs mean, in lines of at most `width` columns. `wanted`: only those that
 * have all of its words in their keys, name or meaning.
 */
export function helpLines(keymap: Keymap, front: Mode, width: number, wanted = ""): readonly SpanLine[] {
  const words = wanted.toLowerCase().split(/\s+/u);
  const fits = (...texts: readonly string[]): boolean => words.every((word) => texts.join(" ").toLowerCase().includes(word));
  const groups = keyGroups(keymap, front).map(
    (group): KeyGroup => ({
      ...group,
      bindings: group.bindings.filter((b) => b.keys.length > 0 && fits(allKeyLabels(b), b.name.replaceAll("-", " "), b.help)),
    }),
  );
  const signs = LEGEND.filter(([sign, means]) => fits(sign.text, means));
  const lines = [
    ...groups.flatMap((group) => (group.bindings.length === 0 ? [] : [...groupLines(group, width), EMPTY])),
    ...(signs.length === 0 ? [] : [title("signs")]),
    ...signs.map(([sign, means]): SpanLine => [{ ...sign, text: fitTo(sign.text, 4) }, { text: means }]),
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
