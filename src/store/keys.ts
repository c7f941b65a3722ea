/** A key that is not a character, by name. */
export type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "pageup"
  | "pagedown"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "ctrl-c"
  | "ctrl-a"
  | "ctrl-e"
  | "ctrl-u";

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
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\b": "backspace",
  "\u007f": "backspace",
  "\u001b": "escape",
  "\u0003": "ctrl-c",
  "\u0001": "ctrl-a",
  "\u0005": "ctrl-e",
  "\u0015": "ctrl-u",
};

const CTRL: Readonly<Record<string, KeyName>> = { c: "ctrl-c", a: "ctrl-a", e: "ctrl-e", u: "ctrl-u" };

/**
 * Splits one input of Ink into presses. Keys that arrive together come as one string (`jj`, or `k` and Enter as `k\r`
 * without the Enter being named), so every character is looked at by itself. Alt and a key come as Escape, then the key.
 */
export function pressesOf(input: string, key: InkKey): readonly KeyPress[] {
  const named = NAMED.find(([flag]) => key[flag]);
  if (named !== undefined) return [{ key: named[1] }];
  if (key.ctrl) {
    const ctrl = CTRL[input];
    return ctrl === undefined ? [] : [{ key: ctrl }];
  }
  const presses = [...input].flatMap((char): KeyPress[] => {
    const control = CONTROL[char];
    if (control !== undefined) return [{ key: control }];
    return char < " " || (char >= "\u007f" && char <= "\u009f") ? [] : [{ char }];
  });
  return key.meta ? [{ key: "escape" }, ...presses] : presses;
}
