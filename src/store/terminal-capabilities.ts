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
  /** True if it has a title that programs may set (OSC 2) and give back (CSI 22 t, CSI 23 t). */
  readonly title: boolean;
  /** Its way to notify a person: a bell, or a desktop notice by OSC 9 (iTerm2) or OSC 777 (urxvt). */
  readonly notice: "none" | "bell" | "osc9" | "osc777";
  /** True if it draws a progress bar (OSC 9;4 of ConEmu). Other terminals may show that as a notice. */
  readonly progress: boolean;
  /** The support for its clipboard (OSC 52); `tmux`: only if tmux is set up to pass it on. */
  readonly clipboard: "none" | "osc52" | "tmux";
  readonly mouse: boolean;
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
    colours: coloursOf(env, options.depth),
    glyphs: isOn(env["LOOPDASH_ASCII"]) || !isUtf8(env) ? "ascii" : "unicode",
    background: groundOf(env),
    title: isTTY && !console,
    notice: isTTY ? noticeOf(env, nested) : "none",
    progress: isTTY && !nested && drawsProgress(env),
    clipboard: isTTY && !console ? clipboardOf(env) : "none",
    // A screen reader keeps its own keys and pointer; the Linux console reports no mouse.
    mouse: isTTY && !hasScreenReader && !console && env["LOOPDASH_MOUSE"] !== "0",
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
function coloursOf(env: Environment, depth: number): Colours {
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
function groundOf(env: Environment): TerminalBackground {
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
function noticeOf(env: Environment, nested: boolean): TerminalCapabilities["notice"] {
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

function clipboardOf(env: Environment): TerminalCapabilities["clipboard"] {
  if (isSet(env["TMUX"])) return "tmux";
  // screen cuts long control strings; Apple's Terminal and those based on VTE have no OSC 52.
  if (isSet(env["STY"]) || env["TERM_PROGRAM"] === "Apple_Terminal" || isSet(env["VTE_VERSION"])) return "none";
  return "osc52";
}
