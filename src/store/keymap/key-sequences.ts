import { CTRL_LETTERS, type KeyName, type KeyPress } from "./binding.ts";
import type { MousePress } from "./mouse.ts";

/** Final bytes of cursor keys (xterm, and rxvt with modifiers). */
const FINALS: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  Z: "shift-tab",
  a: "up",
  b: "down",
  c: "right",
  d: "left",
};

/** Numbers of editing keys (xterm and rxvt). */
const NUMBERED: Readonly<Record<string, KeyName>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

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

/** The key of one character; none for other controls. */
export function readCharacterKey(char: string): readonly KeyPress[] {
  const key = CONTROL[char];
  if (key !== undefined) return [{ key }];
  return char < " " || (char >= "\u007f" && char <= "\u009f") ? [] : [{ char }];
}

/** A key of a whole sequence: number, modifiers and event, final byte. SS3 puts the modifiers first. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that it begins with
const KEY = /^\u001b{1,2}([O[])(\d*)(?::(\d*))?(?::\d+)?(?:;(\d*)(?::(\d))?)?(?:;[\d:]*)?([A-Za-z~^$@])$/;
/** A report of the mouse in SGR mode (1006). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that it begins with
const MOUSE = /^\u001b\[<(\d{1,3});(\d{1,4});(\d{1,4})M$/;
const RELEASE = "3";

/** The keys of a whole control sequence. None for a terminal's reply, for a key that has no name here, and for a released key. */
export function parseKeySequence(sequence: string): readonly KeyPress[] {
  const [, intro, number = "", shifted, modifiers, event, final = ""] = KEY.exec(sequence) ?? [];
  if (intro === undefined || event === RELEASE) return [];
  if (final === "u") return kittyKeys(Number(number), Number(modifiers || 1) - 1, Number(shifted || 0));
  if (intro === "O" && final === "M") return [{ key: "enter" }];
  const key = /[A-Za-z]/.test(final) ? (intro === "O" || /^1?$/.test(number) ? FINALS[final] : undefined) : NUMBERED[number];
  return key === undefined ? [] : [{ key }];
}

const KITTY_SHIFT = 1;
const KITTY_ALT = 2;
const KITTY_CTRL = 4;
/** Caps lock and num lock, which change no key. */
const KITTY_LOCKS = 192;
const KEYPAD_ENTER = 57_414;
/** Functional keys are in a private use area of Unicode. */
const FUNCTIONAL = /[\ue000-\uf8ff]/;

/** A key as kitty's protocol gives it, and tmux with `extended-keys`: its code point and modifiers, a bit each. */
function kittyKeys(code: number, modifiers: number, shifted: number): readonly KeyPress[] {
  if (code > 0x10ffff) return [];
  const held = modifiers & ~KITTY_LOCKS;
  const char = String.fromCodePoint(code === KEYPAD_ENTER ? 13 : code);
  if (held & KITTY_CTRL) return CTRL_LETTERS.includes(char) ? [{ key: `ctrl-${char}` }] : [];
  if (char === "\t" && held & KITTY_SHIFT) return [{ key: "shift-tab" }];
  if (FUNCTIONAL.test(char) || held & ~(KITTY_SHIFT | KITTY_ALT)) return [];
  const upper = shifted > 0 && shifted <= 0x10ffff ? String.fromCodePoint(shifted) : char.toUpperCase();
  const presses = readCharacterKey(held & KITTY_SHIFT ? upper : char);
  return held & KITTY_ALT ? [{ key: "escape" }, ...presses] : presses;
}

const LEFT = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** The mouse action of a whole control sequence; undefined for releases, other buttons, and what is no report. */
export function parseMouseSequence(sequence: string): MousePress | undefined {
  const [, button, column, row] = MOUSE.exec(sequence) ?? [];
  const what = mouseAction(Number(button));
  const cell = { column: Number(column) - 1, row: Number(row) - 1 };
  return what === undefined || cell.column < 0 || cell.row < 0 ? undefined : { what, ...cell };
}

function mouseAction(button: number): MousePress["what"] | undefined {
  if (button === LEFT) return "click";
  if (button === WHEEL_UP) return "wheel-up";
  return button === WHEEL_DOWN ? "wheel-down" : undefined;
}
