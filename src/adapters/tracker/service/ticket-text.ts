/** The longest text of a ticket that a batch takes (`TicketSpec`). Characters. */
export const MAX_BODY = 64_000;

/** The longest name of a person that is shown. Characters. */
export const MAX_NAME = 80;

/** A title as one line. Titles are one line in the services; what else a server sends becomes one. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

/** What a person can do about a ticket that was canceled, so that it is no more on hold. */
export const CANCELED_TODO =
  'reopen it, or set "canceled": "settled" in the batch, which takes such tickets for done; a run that has begun needs --fresh for that';
