import { displayText } from "./format.ts";

/** Longest text of a field, in UTF-16 units: the cap of HumanStep in src/domain/run/command.ts. */
export const MAX_INPUT = 500;

/** A line of text being edited. `cursor` is an index into `text`, always between two whole characters. */
export interface TextInput {
  readonly text: string;
  readonly cursor: number;
}

export type TextAction =
  | { readonly type: "insert"; readonly text: string }
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "backspace" }
  | { readonly type: "delete" }
  | { readonly type: "clear" }
  | { readonly type: "to"; readonly place: "left" | "right" | "home" | "end" };

export const EMPTY_INPUT: TextInput = { text: "", cursor: 0 };

/** A field with a text in it, its cursor at the end. */
export function createInput(text: string): TextInput {
  return { text, cursor: text.length };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Edits a line. Pure; cuts text beyond the cap at a whole character. */
export function reduceText(input: TextInput, action: TextAction): TextInput {
  const { text, cursor } = input;
  switch (action.type) {
    case "insert":
      return insert(input, action.text.replace(CONTROL, ""));
    case "paste":
      return insert(input, pasted(action.text, text[cursor - 1] ?? " "));
    case "backspace": {
      const from = before(text, cursor);
      return from === cursor ? input : { text: text.slice(0, from) + text.slice(cursor), cursor: from };
    }
    case "delete": {
      const to = after(text, cursor);
      return to === cursor ? input : { text: text.slice(0, cursor) + text.slice(to), cursor };
    }
    case "clear":
      return EMPTY_INPUT;
    case "to":
      return { text, cursor: moveCursor(input, action.place) };
  }
}

/** Lines of a paste are joined with a blank, also with what is there and with the next paste. */
function pasted(text: string, before: string): string {
  return `${/^\s/.test(text) && before !== " " ? " " : ""}${displayText(text)}${/\S\s+$/.test(text) ? " " : ""}`;
}

function insert({ text, cursor }: TextInput, added: string): TextInput {
  const room = Math.max(0, MAX_INPUT - text.length);
  const fitting = added.length <= room ? added : added.slice(0, before(added, room + 1));
  return { text: text.slice(0, cursor) + fitting + text.slice(cursor), cursor: cursor + fitting.length };
}

function moveCursor({ text, cursor }: TextInput, place: "left" | "right" | "home" | "end"): number {
  if (place === "home") return 0;
  if (place === "end") return text.length;
  return place === "left" ? before(text, cursor) : after(text, cursor);
}

/** Start of the character that ends before `at` (or contains the unit before it). */
function before(text: string, at: number): number {
  let start = 0;
  for (const { index } of graphemes.segment(text)) {
    if (index >= at) break;
    start = index;
  }
  return start;
}

function after(text: string, at: number): number {
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > at) return index + segment.length;
  }
  return text.length;
}
