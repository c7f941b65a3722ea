import type { Tone } from "../../src/store/labels/tone.ts";
import type { Colours, TerminalBackground, TerminalCapabilities } from "../../src/store/terminal-capabilities.ts";

/** The style of a tone; the names are those of Ink's Text. */
export interface ToneStyle {
  readonly color?: string;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
  readonly underline?: boolean;
}

export type Theme = Readonly<Record<Tone, ToneStyle>>;

/**
 * The 16 colours of the terminal, so that the person's own palette decides what is legible. The background is unknown here, so
 * yellow, which is invisible on white, is not used: what needs a person is underlined.
 */
export const DEFAULT_THEME: Theme = {
  plain: {},
  running: { color: "cyan" },
  waiting: { dimColor: true },
  good: { color: "green" },
  bad: { color: "red" },
  person: { bold: true, underline: true },
  oracle: { color: "magenta" },
  claim: { dimColor: true },
};

const DARK_16: Theme = { ...DEFAULT_THEME, person: { color: "yellow" } };

/** Cyan, green and yellow are hard to read on white in most palettes, and dim text in some. */
const LIGHT_16: Theme = {
  plain: {},
  running: { color: "blue" },
  waiting: { color: "gray" },
  good: { color: "green", bold: true },
  bad: { color: "red" },
  person: { bold: true, underline: true },
  oracle: { color: "magenta" },
  claim: { color: "gray" },
};

/** Without colours (https://no-color.org): dim and bold stay, and glyph and word carry the meaning. */
const NONE: Theme = {
  plain: {},
  running: {},
  waiting: { dimColor: true },
  good: {},
  bad: { bold: true },
  person: { bold: true, underline: true },
  oracle: {},
  claim: { dimColor: true },
};

/** High contrast: nothing is dim, and what counts is bold. */
const CONTRAST: Theme = {
  plain: {},
  running: { bold: true },
  waiting: {},
  good: { bold: true },
  bad: { color: "red", bold: true },
  person: { bold: true, underline: true },
  oracle: { bold: true },
  claim: {},
};

/** A theme of named colours, by tone; plain text keeps the terminal's colour. */
function coloured(colours: Readonly<Record<Exclude<Tone, "plain">, string>>): Theme {
  const looks = Object.entries(colours).map(([tone, color]) => [tone, { color }]);
  return { plain: {}, ...(Object.fromEntries(looks) as Record<Exclude<Tone, "plain">, ToneStyle>) };
}

const DARK_TRUE = coloured({
  running: "#5cc8dc",
  waiting: "#a3acb8",
  good: "#8fd470",
  bad: "#ff8f86",
  person: "#f2c661",
  oracle: "#d6a8ff",
  claim: "#b3ab95",
});

const LIGHT_TRUE = coloured({
  running: "#0a6478",
  waiting: "#586069",
  good: "#24681a",
  bad: "#b02a1c",
  person: "#835200",
  oracle: "#7d25b0",
  claim: "#6a6350",
});

/** Colours of xterm's table of 256 (from 16 on, because the first ones differ between terminals). */
const DARK_256 = coloured({
  running: "ansi256(80)",
  waiting: "ansi256(248)",
  good: "ansi256(114)",
  bad: "ansi256(210)",
  person: "ansi256(221)",
  oracle: "ansi256(183)",
  claim: "ansi256(144)",
});

const LIGHT_256 = coloured({
  running: "ansi256(24)",
  waiting: "ansi256(240)",
  good: "ansi256(22)",
  bad: "ansi256(124)",
  person: "ansi256(94)",
  oracle: "ansi256(91)",
  claim: "ansi256(58)",
});

/** Colours of a person's own, by tone: `#rrggbb`. */
export type OwnColours = Readonly<Partial<Record<Tone, string>>>;

/**
 * The theme of a terminal, with a person's own colours over it. Colours of ours are used only on a known background: on any other
 * they might be invisible.
 */
export function chooseTheme({
  colours,
  background,
  hasContrast = false,
  own = {},
}: Pick<TerminalCapabilities, "colours" | "background"> &
  Partial<Pick<TerminalCapabilities, "hasContrast">> & { readonly own?: OwnColours | undefined }): Theme {
  if (colours === "none") return NONE;
  const looks = Object.entries(own).map(([tone, color]) => [tone, { color }]);
  return { ...(hasContrast ? CONTRAST : themeOn(colours, background)), ...Object.fromEntries(looks) };
}

function themeOn(colours: Exclude<Colours, "none">, background: TerminalBackground): Theme {
  if (background === "unknown") return DEFAULT_THEME;
  const light = background === "light";
  if (colours === "16") return light ? LIGHT_16 : DARK_16;
  if (colours === "256") return light ? LIGHT_256 : DARK_256;
  return light ? LIGHT_TRUE : DARK_TRUE;
}
