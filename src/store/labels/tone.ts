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
  notNeeded: { glyph: "–", tone: "waiting" },
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

/** The cells of a bar of tickets, and of a bar of time: what is done, what is left to a person, and the rest. */
export const BAR_CELLS = { done: "■", gated: "▣", open: "□" } as const;

/** The style of a bar in a timeline: its first cell, all others, and its tone. */
export interface BarStyle {
  readonly cap: string;
  readonly fill: string;
  readonly tone: Tone;
}

/** The bars of attempts, by their end. `notShipped` is for views that show only what shipped; `finishing`: its agent has ended. */
export const BARS = {
  shipped: { cap: "┣", fill: "━", tone: STYLES.done.tone },
  landed: { cap: STYLES.landed.glyph, fill: "━", tone: STYLES.landed.tone },
  notShipped: { cap: "┋", fill: "┅", tone: STYLES.failed.tone },
  gated: { cap: STYLES.needsYou.glyph, fill: "━", tone: STYLES.needsYou.tone },
  failed: { cap: "×", fill: "×", tone: STYLES.failed.tone },
  killed: barOf(STYLES.ending),
  cutOff: { cap: "·", fill: "·", tone: STYLES.cutOff.tone },
  awaitsApproval: { cap: STYLES.heldUp.glyph, fill: "━", tone: STYLES.heldUp.tone },
  awaitedApproval: { cap: STYLES.heldUp.glyph, fill: "━", tone: STYLES.waits.tone },
  held: { cap: STYLES.heldUp.glyph, fill: "╌", tone: STYLES.waits.tone },
  working: barOf(STYLES.step),
  finishing: { cap: STYLES.step.glyph, fill: "─", tone: STYLES.step.tone },
} as const satisfies Readonly<Record<string, BarStyle>>;

/** The cells of a finish line in a bar, and of a running attempt in plain text. */
export const BAR_FILLS = { finishLine: "░", running: "╌" } as const;

function barOf({ glyph, tone }: Style): BarStyle {
  return { cap: glyph, fill: glyph, tone };
}

/** A style in another tone. */
export function toned({ glyph }: Style, tone: Tone): Style {
  return { glyph, tone };
}

/** A line of the feed: its style and its text. */
export type EventLabel = readonly [style: Style, text: string];
