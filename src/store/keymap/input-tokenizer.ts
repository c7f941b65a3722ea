import type { KeyPress } from "./binding.ts";
import { parseKeySequence, parseMouseSequence, readCharacterKey } from "./key-sequences.ts";
import type { MousePress } from "./mouse.ts";

/** What a terminal's input means: keys that came together, one action of the mouse, or a marked paste. */
export type TerminalInput = { readonly keys: readonly KeyPress[] } | { readonly mouse: MousePress } | { readonly paste: string };

/** A lone escape is the key Escape after this long. Milliseconds. */
export const ESCAPE_MS = 250;
/** The rest of what is more than an escape may come this late, also the end of a paste. Milliseconds. */
export const LATE_MS = 5_000;
/** Characters of a paste that are kept; a field takes fewer. */
const PASTE_LIMIT = 4_096;
/** Longest control sequence with a meaning. */
const SEQUENCE_LIMIT = 64;

const ESC = "\u001b";
const BEL = "\u0007";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** What begins a sequence after an escape: CSI, SS3, DCS, OSC and APC (ECMA-48). */
const INTRODUCERS = "[OP]_";
/** How the strings begin that terminals send; anything else after their introducer was typed by a hand. */
const STRING_STARTS: Readonly<Record<string, RegExp>> = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: GNU screen wraps a sequence whole
  P: /[\d>!$+=t\u001b]/,
  "]": /[\dlLI]/,
  _: /G/,
};
/** Final bytes that still end a sequence late, by its first parameter byte. */
const LATE_ENDS: Readonly<Record<string, RegExp>> = { "<": /[Mm]/, "?": /[cnuy]/, ">": /[cu]/ };
const LATE_KEY_ENDS = /[A-DFHIMO-SZa-dntuxy~^$@]/;
const LATE_SS3_ENDS = /[A-DFHMP-S]/;
/** The whole rest of a sequence, in one piece: no hand types that fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const LATE_REST = /^(?:\[\[?[ -?]*[@-~$]|O\d*[A-DFHMP-S]$|P[\d>!$+=t\u001b]|\][\dlLI]|_G|\\$)/;

/**
 * Reads a terminal's input: a state machine over its characters, whatever pieces they come in (ECMA-48; xterm's control
 * sequences). Keys, the mouse and marked pastes have a meaning. A terminal's replies and unknown sequences are dropped whole and
 * type nothing, also if a slow line tears them. Times are milliseconds of a clock that never goes back.
 */
export class InputTokenizer {
  /** The sequence under way, from its escape on. Of a string: its introducer, `.` once it has begun, an escape that may end it. */
  #sequence = "";
  #pasted: string | undefined;
  /** When the last piece came. */
  #at = Number.NEGATIVE_INFINITY;
  /** Milliseconds between the pieces that the sequence is torn into; undefined if all of it came in one. */
  #gap: number | undefined;
  /** True if the last thing that came was an escape that has counted as a key. */
  #isAfterEscape = false;
  #keys: KeyPress[] = [];
  #found: TerminalInput[] = [];

  /** When `expire` is due; undefined if nothing is under way. */
  get due(): number | undefined {
    if (this.#pasted === undefined && this.#sequence === "") return undefined;
    return this.#at + (this.#isEscapeKey() ? ESCAPE_MS : LATE_MS);
  }

  /** The meaning of one piece of input, in order. */
  push(piece: string, now: number): readonly TerminalInput[] {
    const gap = now - this.#at;
    let rest = this.#isAfterEscape && gap < LATE_MS && LATE_REST.test(piece) ? ESC + piece : piece;
    this.#isAfterEscape = false;
    this.#at = now;
    this.#gap = gap;
    while (rest !== "") {
      if (this.#pasted === undefined) {
        const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
        rest = rest.slice(char.length);
        this.#take(char);
      } else rest = this.#paste(this.#pasted, rest);
    }
    return this.#flush();
  }

  /** Ends what is still under way when `due` has passed: a lone escape is a key, an open paste is over, the rest is dropped. */
  expire(now: number): readonly TerminalInput[] {
    if (now < (this.due ?? Number.POSITIVE_INFINITY)) return [];
    this.#isAfterEscape = this.#isEscapeKey();
    if (this.#pasted !== undefined) this.#endPaste(this.#pasted);
    else if (this.#isAfterEscape) this.#keys.push(...[...this.#sequence].flatMap(readCharacterKey));
    this.#sequence = "";
    return this.#flush();
  }

  #isEscapeKey(): boolean {
    return this.#sequence === ESC || this.#sequence === ESC + ESC;
  }

  #flush(): readonly TerminalInput[] {
    if (this.#keys.length > 0) this.#found.push({ keys: this.#keys.splice(0) });
    return this.#found.splice(0);
  }

  #take(char: string): void {
    const sequence = this.#sequence;
    const introducer = sequence.replaceAll(ESC, "")[0];
    if (sequence === "") {
      if (char !== ESC) this.#keys.push(...readCharacterKey(char));
      else [this.#sequence, this.#gap] = [ESC, undefined];
    } else if (introducer === undefined) this.#afterEscape(char);
    else if (introducer === "[") this.#control(char);
    else if (introducer === "O") this.#singleShift(char);
    else this.#string(char, introducer);
  }

  /** After one escape, or two: rxvt sends those for Alt and a cursor key. */
  #afterEscape(char: string): void {
    if (this.#sequence === ESC + ESC && char !== "[" && char !== "O") {
      this.#keys.push({ key: "escape" });
      this.#sequence = ESC;
    }
    if (char === ESC || INTRODUCERS.includes(char)) {
      this.#sequence += char;
      return;
    }
    const isAltAndControl = this.#gap === undefined && (char < " " || char === "\u007f");
    this.#sequence = "";
    // The end of a string that has ended before.
    if (char === "\\") return;
    this.#keys.push(...(isAltAndControl ? [] : readCharacterKey(ESC)), ...readCharacterKey(char));
  }

  #control(char: string): void {
    const body = this.#sequence.slice(this.#sequence.indexOf("[") + 1);
    if (body.startsWith("M")) return this.#oldMouse(body, char);
    const isLate = this.#isLate();
    const ends = isLate && body !== "[" ? (LATE_ENDS[body[0] ?? ""] ?? LATE_KEY_ENDS) : /[@-~$]/;
    if (isParameter(char, body) || body + char === "[") this.#extend(char);
    else if (!ends.test(char)) this.#abort(char);
    else if (body + char === "M") this.#extend(char);
    else this.#complete(this.#sequence + char);
  }

  #extend(char: string): void {
    if (this.#sequence.length < SEQUENCE_LIMIT) this.#sequence += char;
  }

  #isLate(): boolean {
    return this.#gap !== undefined && this.#gap >= ESCAPE_MS;
  }

  /** A report of the mouse's older mode (1000 alone), the only one of some terminals: its button and cell are three bytes. */
  #oldMouse(body: string, char: string): void {
    if (char < " ") return this.#abort(char);
    this.#sequence += char;
    if (utf8Length(body.slice(1) + char) >= 3) this.#sequence = "";
  }

  #singleShift(char: string): void {
    if (/[\d;]/.test(char)) this.#extend(char);
    else if ((this.#isLate() ? LATE_SS3_ENDS : /[@-~]/).test(char)) this.#complete(this.#sequence + char);
    else this.#abort(char);
  }

  /** A string ends at ST, OSC also at BEL. tmux doubles the escapes within one that it passes on. */
  #string(char: string, introducer: string): void {
    const sequence = this.#sequence;
    if (sequence.length === 2 && STRING_STARTS[introducer]?.test(char) !== true) this.#abort(char);
    else if (sequence.length > 2 && sequence.endsWith(ESC)) this.#stringEscape(char, introducer);
    else if (char === ESC) this.#sequence += ESC;
    else if (char === BEL) this.#sequence = introducer === "]" ? "" : sequence;
    else if (char < " ") this.#abort(char);
    else if (sequence.length === 2) this.#sequence += ".";
  }

  #stringEscape(char: string, introducer: string): void {
    if (char === "\\") this.#sequence = "";
    else if (char === ESC && introducer === "P") this.#sequence = this.#sequence.slice(0, -1);
    else {
      this.#sequence = ESC;
      this.#take(char);
    }
  }

  /** No sequence goes on like this. After a mere introducer a hand has typed it. */
  #abort(char: string): void {
    const isTyped = this.#sequence.length === 2 && char !== ESC;
    if (isTyped) this.#keys.push(...[...this.#sequence].flatMap(readCharacterKey));
    this.#sequence = "";
    this.#take(char);
  }

  #complete(sequence: string): void {
    this.#sequence = "";
    const mouse = parseMouseSequence(sequence);
    if (sequence === PASTE_START) this.#pasted = "";
    else if (mouse === undefined) this.#keys.push(...parseKeySequence(sequence));
    else this.#found.push(...this.#flush(), { mouse });
  }

  /** Takes from `rest` what belongs to the paste; gives the input after it. */
  #paste(before: string, rest: string): string {
    const text = before + rest;
    const end = text.indexOf(PASTE_END, Math.max(0, before.length - PASTE_END.length));
    if (end >= 0) {
      this.#endPaste(text.slice(0, end));
      return text.slice(end + PASTE_END.length);
    }
    const isLong = text.length > PASTE_LIMIT + PASTE_END.length;
    this.#pasted = isLong ? text.slice(0, PASTE_LIMIT) + text.slice(-PASTE_END.length) : text;
    return "";
  }

  #endPaste(text: string): void {
    this.#pasted = undefined;
    this.#found.push(...this.#flush(), { paste: text.slice(0, PASTE_LIMIT) });
  }
}

/** True for parameters and intermediates. rxvt ends a key with `$`, which is an intermediate elsewhere. */
function isParameter(char: string, body: string): boolean {
  return char >= " " && char <= "?" && !(char === "$" && /^\d$/.test(body));
}

/** Bytes that made these characters: UTF-8, or one that is none. */
function utf8Length(text: string): number {
  const sizes = [...text].map((char) => (char < "\u0080" || char === "\ufffd" ? 1 : char < "\u0800" ? 2 : 3));
  return sizes.reduce((sum, size) => sum + size, 0);
}
