const START = "\u001b]8;;";
const END = "\u0007";

/** Ends a hyperlink of a terminal. */
export const LINK_END = `${START}${END}`;

/** A hyperlink of a terminal in its whole form, from the place that is looked at; the first group is its address, "" at its end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these begin and end it
export const LINK = /\u001b\]8;[!-:<-~]*;([!-~]*)(?:\u0007|\u001b\\)/y;

/**
 * Begins a hyperlink of a terminal (OSC 8: "Hyperlinks in Terminal Emulators"). The address is in printable ASCII, as that asks: other
 * characters are percent-encoded, so that no text from outside forms a control sequence.
 */
export function linkStart(url: string): string {
  return `${START}${url.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent)}${END}`;
}

/** A text as a hyperlink. It takes as many columns as without. */
export function hyperlink(text: string, url: string): string {
  return `${linkStart(url)}${text}${LINK_END}`;
}
