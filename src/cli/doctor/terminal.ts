import { SMALLEST_TERMINAL, type TerminalCapabilities, terminalCapabilities } from "../../store/terminal-capabilities.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";

/** The properties of a terminal's output that are checked. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** Bits of a colour, 1 for none (tty.WriteStream). */
  readonly getColorDepth?: (env: object) => number;
}

const LINES = "Fine for scripts: a run prints plain lines then. For the dashboard, start it on a terminal.";

/** Checks how well the dashboard can be shown here. A run does not need it: it prints lines instead. */
export function checkTerminal(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: Screen;
}): readonly CheckResult[] {
  const { env, stdin, stdout } = options;
  const closed = [...(stdin.isTTY ? [] : ["standard input"]), ...(stdout.isTTY ? [] : ["standard output"])];
  if (closed.length > 0) return [warn("terminal", `${closed.join(" and ")}: no terminal`, LINES), locale(env)];
  const term = env["TERM"] ?? "";
  if (term === "" || term === "dumb") {
    const found = term === "" ? "TERM is not set" : "TERM is dumb, which shows no dashboard";
    return [warn("terminal", found, "Set TERM to what the terminal is, such as xterm-256color."), locale(env)];
  }
  if (env["CI"]) return [warn("terminal", "CI is set, so a run prints lines", "Unset CI for the dashboard."), locale(env)];
  const capabilities = terminalCapabilities({ env, isTTY: true, depth: stdout.getColorDepth?.(env) ?? 1 });
  return [ok("terminal", `TERM=${term}; ${inWords(capabilities)}`), size(stdout), colours(env, capabilities), locale(env)];
}

/** The plain command is refused on a terminal that is too small. */
function size({ columns = 0, rows = 0 }: Screen): CheckResult {
  const found = `${columns} columns and ${rows} rows`;
  if (columns >= SMALLEST_TERMINAL.columns && rows >= SMALLEST_TERMINAL.rows) return ok("terminal-size", found);
  const fix = `Make it at least ${SMALLEST_TERMINAL.columns} × ${SMALLEST_TERMINAL.rows}, or use --headless.`;
  return bad("terminal-size", `${found}, too small for the dashboard`, fix);
}

const NOTICES = { none: "no notices", bell: "notices by bell", osc9: "notices by OSC 9", osc777: "notices by OSC 777" } as const;
const CLIPBOARDS = { none: "no clipboard", osc52: "clipboard by OSC 52", tmux: "clipboard if tmux passes it on" } as const;

/** The features that the dashboard uses here; docs/use/terminals.md says how to change each. */
function inWords({ glyphs, title, notice, progress, clipboard, mouse, links, hasScreenReader }: TerminalCapabilities): string {
  return [
    glyphs === "ascii" ? "signs in ASCII" : "signs in Unicode",
    title ? "title" : "no title",
    NOTICES[notice],
    progress ? "progress bar" : "no progress bar",
    CLIPBOARDS[clipboard],
    mouse ? "mouse" : "no mouse",
    links ? "links" : "no links",
    ...(hasScreenReader ? ["laid out for a screen reader"] : []),
  ].join(", ");
}

const GROUNDS = {
  dark: "on a dark ground",
  light: "on a light ground",
  unknown: "on an unknown ground (LOOPDASH_THEME says which)",
} as const;
const COUNTS = { "16": "16", "256": "256", true: "16 million" } as const;

function colours(env: NodeJS.ProcessEnv, { colours, background }: TerminalCapabilities): CheckResult {
  if (colours !== "none") return ok("terminal-colours", `${COUNTS[colours]}, ${GROUNDS[background]}`);
  if (env["NO_COLOR"]) return ok("terminal-colours", "switched off by NO_COLOR");
  return warn(
    "terminal-colours",
    "none by what TERM says; status is shown by words and symbols only",
    "Set TERM=xterm-256color.",
  );
}

/** The first variable that is set decides (POSIX, Environment Variables, 8.2). */
function locale(env: NodeJS.ProcessEnv): CheckResult {
  const name = ["LC_ALL", "LC_CTYPE", "LANG"].find((each) => env[each]);
  const value = name === undefined ? undefined : env[name];
  if (value !== undefined && /utf-?8/i.test(value)) return ok("terminal-locale", `${name}=${value}`);
  const found = value === undefined ? "no locale is set" : `${name}=${value} is not UTF-8`;
  return warn("terminal-locale", `${found}: signs are drawn in ASCII`, "Set LANG=C.UTF-8, or your own with UTF-8.");
}
