/** A file name as a message may hold it: plain where it is plain, else quoted with escapes. */
export function shownFileName(name: string): string {
  return /^[\w. -]+$/.test(name) ? name : JSON.stringify(name);
}

/** Signs that could lead a terminal astray: controls, and marks that reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const STRAY = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A message that may quote what is written in a ticket, as one line of at most 300 characters. */
export function tame(message: string): string {
  return message.replace(STRAY, "?").slice(0, 300);
}
