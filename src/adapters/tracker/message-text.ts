/** A file name for a message: unchanged if it is plain, else quoted with escapes. */
export function shownFileName(name: string): string {
  return /^[\w. -]+$/.test(name) ? name : JSON.stringify(name);
}

/** Characters that could mislead a terminal: controls, and marks that reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const STRAY = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A message that may quote a ticket's text, as one line of at most 300 characters. */
export function tame(message: string): string {
  return message.replace(STRAY, "?").slice(0, 300);
}
