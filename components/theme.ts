import type { Tone } from "../src/store/tone.ts";

/** How a tone looks; the names are those of Ink's Text. */
export interface Look {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
}

export type Theme = Readonly<Record<Tone, Look>>;

/** The 16 colours of the terminal only, so that the person's own palette decides what is legible. */
const COLOUR: Theme = {
  plain: {},
  running: { color: "cyan" },
  waiting: { dimColor: true },
  good: { color: "green" },
  bad: { color: "red" },
  person: { color: "yellow" },
  oracle: { color: "magenta" },
  claim: { dimColor: true },
};

/** Without colours (https://no-color.org): dim and bold stay, and glyph and word carry the meaning. */
const PLAIN: Theme = {
  plain: {},
  running: {},
  waiting: { dimColor: true },
  good: {},
  bad: { bold: true },
  person: { bold: true },
  oracle: {},
  claim: { dimColor: true },
};

/** The theme of a terminal with or without colours. */
export function themeOf(color: boolean): Theme {
  return color ? COLOUR : PLAIN;
}
