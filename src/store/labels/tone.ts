/**
 * The meaning of a piece of text. Views turn a tone into colour, and always show it with a glyph and a word as well. `claim`
 * marks a worker's words, `oracle` the judge's; the two never share a style.
 */
export type Tone = "plain" | "running" | "waiting" | "good" | "bad" | "person" | "oracle" | "claim";

/** A glyph and its tone. */
export interface Style {
  readonly glyph: string;
  readonly tone: Tone;
}

/** A style and its meaning in a word or two. */
export interface Label extends Style {
  readonly word: string;
}

/**
 * The style of each state of a ticket, of an attempt and of a step: in every view, in the page, and in plain output. The help
 * explains them.
 */
export const STYLES = {
  oracle: { glyph: "◆", tone: "oracle" },
  claim: { glyph: '"', tone: "claim" },
  agent: { glyph: "▶", tone: "running" },
  finishing: { glyph: "»", tone: "running" },
  step: { glyph: "▸", tone: "running" },
  preparing: { glyph: "◌", tone: "waiting" },
  ready: { glyph: "○", tone: "running" },
  waits: { glyph: "·", tone: "waiting" },
  heldUp: { glyph: "‖", tone: "person" },
  ending: { glyph: "■", tone: "bad" },
  cutOff: { glyph: "■", tone: "waiting" },
  needsYou: { glyph: "!", tone: "person" },
  failed: { glyph: "✖", tone: "bad" },
  landed: { glyph: "≈", tone: "person" },
  done: { glyph: "✔", tone: "good" },
  open: { glyph: "□", tone: "plain" },
  unreached: { glyph: "-", tone: "waiting" },
  unknown: { glyph: "?", tone: "waiting" },
  unjudged: { glyph: "?", tone: "bad" },
  differs: { glyph: "≠", tone: "bad" },
  healed: { glyph: "✚", tone: "good" },
  again: { glyph: "↻", tone: "person" },
  found: { glyph: "+", tone: "running" },
  answer: { glyph: "◇", tone: "plain" },
  run: { glyph: "●", tone: "running" },
  paused: { glyph: "⏸", tone: "person" },
  disconnected: { glyph: "✕", tone: "bad" },
  replay: { glyph: "▷", tone: "person" },
} as const satisfies Readonly<Record<string, Style>>;

/** A style in another tone. */
export function toned({ glyph }: Style, tone: Tone): Style {
  return { glyph, tone };
}
