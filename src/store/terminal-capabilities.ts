/** The smallest terminal on which the dashboard is drawn. */
export const SMALLEST_TERMINAL = { columns: 60, rows: 15 } as const;

/** The colours of a terminal: none, its own 16, the 256 of xterm's table, or any. */
export type Colours = "none" | "16" | "256" | "true";
export type TerminalBackground = "dark" | "light" | "unknown";

/** A terminal's features, as far as its environment tells. */
export interface TerminalCapabilities {
  readonly colours: Colours;
  readonly glyphs: "unicode" | "ascii";
  readonly background: TerminalBackground;
  /** A person wants high contrast: nothing dim, and bold where it counts. */
  readonly hasContrast: boolean;
  /** A person wants little motion: clocks move every ten seconds. */
  readonly hasReducedMotion: boolean;
  /** True if it has a title that programs may set (OSC 2) and give back (CSI 22 t, CSI 23 t). */
  readonly title: boolean;
  /** Its way to notify a person: a bell, or a desktop notice by OSC 9 (iTerm2) or OSC 777 (urxvt). */
  readonly notice: "none" | "bell" | "osc9" | "osc777";
  /** True if it draws a progress bar (OSC 9;4 of ConEmu). Other terminals may show that as a notice. */
  readonly progress: boolean;
  /** The support for its clipboard (OSC 52); `tmux`: only if tmux is set up to pass it on. */
  readonly clipboard: "none" | "osc52" | "tmux";
  readonly mouse: boolean;
  /** True if it shows hyperlinks (OSC 8). */
  readonly links: boolean;
  /** A screen reader reads the screen. */
  readonly hasScreenReader: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A terminal's features without a query. `depth` is Node's: bits of a colour, 1 for none. */
export function terminalCapabilities(options: {
  readonly env: Environment;
  readonly isTTY: boolean;
  readonly depth: number;
}): TerminalCapabilities {
  const { env, isTTY } = options;
  const hasScreenReader = isOn(env["LOOPDASH_SCREEN_READER"] ?? env["INK_SCREEN_READER"]);
  const nested = isSet(env["TMUX"]) || isSet(env["STY"]);
  const console = env["TERM"] === "linux";
  return {
    colours: detectColours(env, options.depth),
    glyphs: isOn(env["LOOPDASH_ASCII"]) || !isUtf8(env) ? "ascii" : "unicode",
    background: detectBackground(env),
    hasContrast: env["LOOPDASH_THEME"] === "contrast",
    hasReducedMotion: env["LOOPDASH_MOTION"] === "reduced",
    title: isTTY && !console,
    notice: isTTY ? detectNotice(env, nested) : "none",
    progress: isTTY && !nested && drawsProgress(env),
    clipboard: isTTY && !console ? detectClipboard(env) : "none",
    // A screen reader keeps its own keys and pointer; the Linux console reports no mouse.
    mouse: isTTY && !hasScreenReader && !console && env["LOOPDASH_MOUSE"] !== "0",
    links: isTTY && !hasScreenReader && hasLinks(env),
    hasScreenReader,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

function isOn(value: string | undefined): boolean {
  return isSet(value) && value !== "0" && value !== "false";
}

/** NO_COLOR counts if it is not empty (https://no-color.org), unless FORCE_COLOR is set, as in Node. */
function detectColours(env: Environment, depth: number): Colours {
  if (isSet(env["NO_COLOR"]) && env["FORCE_COLOR"] === undefined) return "none";
  if (depth >= 24) return "true";
  if (depth >= 8) return "256";
  return depth > 1 ? "16" : "none";
}

/** The first that is set decides (POSIX, Environment Variables, 8.2). If none is, the C locale applies, which is ASCII. */
function isUtf8(env: Environment): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(isSet);
  return /utf-?8/i.test(locale ?? "");
}

/** COLORFGBG is `15;0`, or `15;default;0`: the colours of text and background out of 16, of which 7 and 9 to 15 are light. */
function detectBackground(env: Environment): TerminalBackground {
  const wanted = env["LOOPDASH_THEME"];
  if (wanted === "dark" || wanted === "light") return wanted;
  const ground = /;(\d+)$/.exec(env["COLORFGBG"] ?? "")?.[1];
  if (ground === undefined) return "unknown";
  const colour = Number(ground);
  return colour === 7 || colour > 8 ? "light" : "dark";
}

const NOTICES = ["none", "bell", "osc9", "osc777"] as const;
const BY_OSC_9: ReadonlySet<string> = new Set(["iTerm.app", "ghostty", "WezTerm", "WarpTerminal"]);

/** tmux and screen pass on a bell, but no notices. */
function detectNotice(env: Environment, nested: boolean): TerminalCapabilities["notice"] {
  const wanted = NOTICES.find((name) => name === env["LOOPDASH_NOTICE"]);
  if (wanted !== undefined) return wanted;
  if (nested) return "bell";
  if (BY_OSC_9.has(env["TERM_PROGRAM"] ?? "") || isSet(env["KITTY_WINDOW_ID"])) return "osc9";
  return /^(foot|rxvt-unicode)/.test(env["TERM"] ?? "") ? "osc777" : "bell";
}

/** Windows Terminal, ConEmu, Ghostty, mintty, Konsole, and GNOME's from VTE 0.80 on. */
function drawsProgress(env: Environment): boolean {
  return (
    isSet(env["WT_SESSION"]) ||
    env["ConEmuANSI"] === "ON" ||
    env["TERM_PROGRAM"] === "ghostty" ||
    env["TERM_PROGRAM"] === "mintty" ||
    isSet(env["KONSOLE_VERSION"]) ||
    Number(env["VTE_VERSION"] ?? 0) >= 8000
  );
}

function detectClipboard(env: Environment): TerminalCapabilities["clipboard"] {
  if (isSet(env["TMUX"])) return "tmux";
  // screen cuts long control strings; Apple's Terminal and those based on VTE have no OSC 52.
  if (isSet(env["STY"]) || env["TERM_PROGRAM"] === "Apple_Terminal" || isSet(env["VTE_VERSION"])) return "none";
  return "osc52";
}

/** Terminals with hyperlinks, and the versions from which on they have them, if not all have. */
const LINKS_FROM: Readonly<Record<string, readonly [number, number]>> = {
  "iTerm.app": [3, 1],
  vscode: [1, 72],
  WezTerm: [0, 0],
  ghostty: [0, 0],
  kitty: [0, 0],
  Hyper: [0, 0],
  WarpTerminal: [0, 0],
  zed: [0, 0],
  // It passes them on to its own terminal, if that has them.
  tmux: [3, 4],
};
const LINKS_BY_TERM = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour)(?:-|$)/;
/** The first version of VTE has hyperlinks as well, and ends on them (0.50.0, GNOME bug 787007). */
const VTE_WITH_LINKS = 5001;

/**
 * The rule of supports-hyperlinks 4, without what it reads of this process, and with tmux. FORCE_HYPERLINK decides on any terminal.
 * Unknown terminals show none: some print the sequence.
 */
function hasLinks(env: Environment): boolean {
  const { TERM = "", TERM_PROGRAM = "", TERM_PROGRAM_VERSION = "" } = env;
  const forced = env["FORCE_HYPERLINK"];
  if (TERM === "dumb" || isSet(env["CI"])) return false;
  if (isSet(forced)) return isOn(forced);
  const from = Object.hasOwn(LINKS_FROM, TERM_PROGRAM) ? LINKS_FROM[TERM_PROGRAM] : undefined;
  const named = from !== undefined && isFrom(TERM_PROGRAM_VERSION, from);
  // Within tmux and screen, the other variables tell of the terminal around them.
  if (isSet(env["TMUX"]) || isSet(env["STY"])) return TERM_PROGRAM === "tmux" && named;
  return (
    named ||
    isSet(env["WT_SESSION"]) ||
    isSet(env["KITTY_WINDOW_ID"]) ||
    Number(env["VTE_VERSION"] ?? 0) >= VTE_WITH_LINKS ||
    LINKS_BY_TERM.test(TERM)
  );
}

/** True if a version such as `3.4a` is this one or a later one; an unknown version counts as none. */
function isFrom(version: string, [major, minor]: readonly [number, number]): boolean {
  if (major === 0) return true;
  const [, known = "0", more = "0"] = /^(?:next-)?(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return Number(known) > major || (Number(known) === major && Number(more) >= minor);
}
