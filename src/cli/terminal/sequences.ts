import { Buffer } from "node:buffer";
import type { Progress } from "../../store/notifications.ts";
import type { TerminalCapabilities } from "../../store/terminal-capabilities.ts";

const ESC = "\u001b";
const BEL = "\u0007";
/** Characters that end a control string or begin another: no text within one may contain them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Largest text for a terminal's clipboard, in bytes. */
export const CLIPBOARD_LIMIT = 8192;

/** An operating system command (ECMA-48, 8.3.89), ended by BEL: every terminal that supports OSC accepts that. */
function osc(code: string, text: string): string {
  return `${ESC}]${code};${text.replace(CONTROLS, " ")}${BEL}`;
}

/**
 * The dashboard's changes to a terminal other than its screen, and their undo. The title is saved (xterm's window operations 22
 * and 23), clicks and the wheel are reported (modes 1000 and 1006), and right-to-left text keeps its cells ("BiDi in Terminal
 * Emulators": mode 8, which is usually set).
 */
export function modesOf(capabilities: TerminalCapabilities): { readonly enter: string; readonly leave: string } {
  const { title, mouse, progress } = capabilities;
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

/** The progress bar, in ConEmu's form. */
export function progressBar(progress: Progress): string {
  return osc("9;4", progress.state === "none" ? "0;0" : `${PROGRESS[progress.state]};${progress.percent}`);
}

/** Notifies a person by a desktop notice, or by a bell. */
export function call(how: TerminalCapabilities["notice"], text: string): string {
  switch (how) {
    case "none":
      return "";
    case "bell":
      return BEL;
    case "osc9":
      // ConEmu reads a notice that begins with a number as another command.
      return osc("9", /^\d/.test(text) ? ` ${text}` : text);
    case "osc777":
      return osc("777;notify;loopdash", text.replaceAll(";", ","));
  }
}

/** Puts a text into the clipboard; undefined if it is longer than terminals reliably accept. */
export function clipboard(text: string): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > CLIPBOARD_LIMIT ? undefined : `${ESC}]52;c;${bytes.toString("base64")}${BEL}`;
}
