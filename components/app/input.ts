import { useInput, usePaste, useStdin } from "ink";
import { useEffect, useEffectEvent, useState } from "react";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import { CTRL_LETTERS, type KeyName, type KeyPress, type TerminalActions } from "../../src/store/keymap/binding.ts";
import { KeyGate } from "../../src/store/keymap/key-gate.ts";
import { paste } from "../../src/store/keymap/keymap.ts";
import { type MousePress, point } from "../../src/store/keymap/mouse.ts";
import type { TerminalSize } from "../kit/geometry.ts";
import { targetAt } from "./screen-map.ts";

/** Passes keys, pastes and the mouse from the terminal to their effects. */
export function useTerminalInput(store: DashboardStore, terminal: TerminalActions, size: TerminalSize): void {
  const [reader] = useState(() => new MouseReader());
  const terminalNow = useEffectEvent(() => terminal);
  const [gate] = useState(() => new KeyGate(store, () => terminalNow()));
  useEffect(() => gate.watch(), [gate]);
  useInput((input, key) => gate.take(pressesOf(reader.typed(input), key)));
  usePaste((text) => paste(store, text));
  useMouse({ store, terminal, size, reader });
}

/** Reads the mouse. The creator of the app has the terminal report it. */
function useMouse(options: {
  readonly store: DashboardStore;
  readonly terminal: TerminalActions;
  readonly size: TerminalSize;
  readonly reader: MouseReader;
}): void {
  const { stdin } = useStdin();
  const onData = useEffectEvent((data: unknown) => {
    const { store, terminal, size, reader } = options;
    for (const mouse of reader.push(String(data))) {
      const isOnScreen = mouse.column < size.columns && mouse.row < size.rows;
      if (isOnScreen) point(store, mouse, () => targetAt(store.getState(), size, mouse), terminal);
    }
  });
  useEffect(() => {
    const read = (data: unknown): void => onData(data);
    // Ink takes input by `read`, which also emits `data`: listeners get the same input before Ink does, and take nothing from
    // Ink.
    stdin.on("data", read);
    return () => void stdin.off("data", read);
  }, [stdin]);
}

/** The part of Ink's key that is read here, beside the text of an input. */
export interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
}

const NAMED: readonly (readonly [keyof InkKey, KeyName])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];

const CONTROL: Readonly<Record<string, KeyName>> = {
  ...Object.fromEntries(
    CTRL_LETTERS.map((letter) => [String.fromCharCode(letter.charCodeAt(0) - 96), `ctrl-${letter}`] as const),
  ),
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\b": "backspace",
  "\u007f": "backspace",
  "\u001b": "escape",
};

/**
 * Splits one input of Ink into presses. Keys that arrive together come as one string (`jj`, or `k` and Enter as `k\r` with Enter
 * unnamed), so each character is read by itself. Alt and a key come as Escape, then the key.
 */
export function pressesOf(input: string, key: InkKey): readonly KeyPress[] {
  const named = NAMED.find(([flag]) => key[flag]);
  if (named !== undefined) return [{ key: named[1] === "tab" && key.shift ? "shift-tab" : named[1] }];
  if (key.ctrl) {
    return CTRL_LETTERS.includes(input) ? [{ key: `ctrl-${input}` }] : [];
  }
  const presses = [...input].flatMap((char): KeyPress[] => {
    const control = CONTROL[char];
    if (control !== undefined) return [{ key: control }];
    return char < " " || (char >= "\u007f" && char <= "\u009f") ? [] : [{ char }];
  });
  return key.meta ? [{ key: "escape" }, ...presses] : presses;
}

/** The sequences that the reader finds: a report of a terminal in SGR mode (1006), or a mark around a paste. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const SEQUENCE = /\u001b\[(?:<(\d{1,3});(\d{1,4});(\d{1,4})([Mm])|(20[01])~)/g;
/** The beginning of one, at the end of the input so far. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const BEGINNING = /\u001b(?:\[(?:<[\d;]{0,14}|20?[01]?)?)?$/;
const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** A report of the older mode (1000 alone), the only one of some terminals: its button and cell bytes are no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that they begin with
const OLD_REPORT = /\u001b\[M([^\u001b]{2,3})/g;

/**
 * Finds mouse actions in a terminal's input. Ink passes on only sequences of keys, so this reads beside it. A paste between marks
 * is no mouse.
 */
export class MouseReader {
  #rest = "";
  #pasting = false;
  /** True if more of the rest than its escape came at once: no hand types that fast. */
  #torn = false;
  /** Parts of the last input that belong to a sequence, and that Ink may report as typed text. */
  #pieces: readonly string[] = [];

  /** The mouse actions in this piece of input, in order. */
  push(input: string): readonly MousePress[] {
    const before = this.#rest.length;
    const text = this.#rest + input;
    const found = [...text.matchAll(SEQUENCE)];
    this.#rest = BEGINNING.exec(text)?.[0] ?? "";
    const own = this.#rest.slice(-input.length);
    this.#torn = own.length > 1 || (this.#torn && this.#rest.length > own.length);
    const ends = found.filter(({ index }) => index < before).map(({ 0: whole, index }) => whole.slice(before - index));
    const old = [...text.matchAll(OLD_REPORT)].map(([, cell = ""]) => cell);
    this.#pieces = [...ends, ...old, ...(this.#torn ? [own.replace("\u001b", "")] : [])];
    return found.flatMap(([, button, column, row, end, mark]) => {
      if (mark !== undefined) this.#pasting = mark === "200";
      const what = end === "M" && !this.#pasting ? whatOf(Number(button)) : undefined;
      const cell = { column: Number(column) - 1, row: Number(row) - 1 };
      return what === undefined || cell.column < 0 || cell.row < 0 ? [] : [{ what, ...cell }];
    });
  }

  /**
   * The text that was really typed, out of Ink's text for the last input: Ink waits 20 ms for the rest of a sequence that a slow
   * line has split, and then reports its parts as text.
   */
  typed(text: string): string {
    const at = this.#pieces.findIndex((piece) => text.startsWith(piece));
    const length = this.#pieces[at]?.length ?? 0;
    this.#pieces = this.#pieces.filter((_, i) => i !== at);
    return text.slice(length);
  }
}

function whatOf(button: number): MousePress["what"] | undefined {
  if (button === LEFT) return "click";
  if (button === WHEEL_UP) return "wheel-up";
  return button === WHEEL_DOWN ? "wheel-down" : undefined;
}
