/** Keys that are neither characters nor held with Ctrl, by name. */
const PLAIN_NAMES = [
  "up",
  "down",
  "left",
  "right",
  "pageup",
  "pagedown",
  "home",
  "end",
  "enter",
  "escape",
  "tab",
  "shift-tab",
  "backspace",
  "delete",
] as const;

/** Letters that are told apart with Ctrl: Ctrl-H, -I, -J and -M are what terminals send for backspace, tab and enter. */
const CTRL_LETTERS = [..."abcdefgklnopqrstuvwxyz"];

/** A key that is not a character, by name. */
export type KeyName = (typeof PLAIN_NAMES)[number] | `ctrl-${string}`;

/** Every key that has a name. */
export const KEY_NAMES: readonly KeyName[] = [...PLAIN_NAMES, ...CTRL_LETTERS.map((letter) => `ctrl-${letter}` as const)];

/** One press: a named key, or one character. */
export type KeyPress = { readonly key: KeyName } | { readonly char: string };

/** What Ink tells beside the text of an input: the part that is read here. */
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
 * Splits one input of Ink into presses. Keys that arrive together come as one string (`jj`, or `k` and Enter as `k\r`
 * without the Enter being named), so every character is looked at by itself. Alt and a key come as Escape, then the key.
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
