import { Buffer } from "node:buffer";
import type { Progress } from "../../store/notifications.ts";
import type { TerminalCapabilities } from "../../store/terminal-capabilities.ts";

const ESC = "\u001b";
const BEL = "\u0007";
/** Characters that end a control string, or begin another: no text within one may have them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Bytes that a terminal's clipboard is given at most. */
export const CLIPBOARD_LIMIT = 8192;

/** An operating system command (ECMA-48, 8.3.89), ended by BEL: every terminal that knows OSC at all takes that. */
function osc(code: string, text: string): string {
  return `${ESC}]${code};${text.replace(CONTROLS, " ")}${BEL}`;
}

/**
 * What the dashboard changes of a terminal beside its screen, and how that is undone: the title is put aside (xterm's window
 * operations 22 and 23), clicks and the wheel are reported (modes 1000 and 1006), and right-to-left text keeps its cells ("BiDi in
 * Terminal Emulators": mode 8, whose usual state is set).
 */
export function modesOf(abilities: TerminalCapabilities): { readonly enter: string; readonly leave: string } {
  const { title, mouse, progress } = abilities;
  return {
    enter: `${title ? `${ESC}[22;0t` : ""}${mouse ? `${ESC}[?1000h${ESC}[?1006h` : ""}${ESC}[8l`,
    leave: `${ESC}[8h${mouse ? `${ESC}[?1006l${ESC}[?1000l` : ""}${progress ? progressBar({ state: "none" }) : ""}${title ? `${ESC}[23;0t` : ""}`,
  };
}

/** Sets the title of window and tab. */
export function windowTitle(text: string): string {
  return osc("2", text);
}

const PROGRESS = { none: 0, normal: 1, error: 2, paused: 4 } as const;

/** The progress bar, as ConEmu has it. */
export function progressBar(progress: Progress): string {
  return osc("9;4", progress.state === "none" ? "0;0" : `${PROGRESS[progress.state]};${progress.percent}`);
}

/** Calls a person by a notice of the desktop, or by a bell. */
export function call(how: TerminalCapabilities["notice"], text: string): string {
  switch (how) {
    case "none":
      return "";
    case "bell":
      return BEL;
    case "osc9":
      // A notice that begins with a number would be another command of ConEmu.
      return osc("9", /^\d/.test(text) ? ` ${text}` : text);
    case "osc777":
      return osc("777;notify;loopdash", text.replaceAll(";", ","));
  }
}

/** Puts a text into the clipboard; undefined where it is longer than terminals can be trusted to take whole. */
export function clipboard(text: string): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > CLIPBOARD_LIMIT ? undefined : `${ESC}]52;c;${bytes.toString("base64")}${BEL}`;
}
