import { plainText } from "../../../domain/values/text.ts";

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

/**
 * A comment as a ticket's text has it. Each of its lines is a quote, so that none looks like the heading of another person's comment,
 * and the name has no mark that could end the heading.
 */
export function quotedComment({
  name,
  createdAt,
  body,
}: {
  readonly name: string;
  readonly createdAt: string;
  readonly body: string;
}): string {
  const shown = plainText(name.replaceAll("*", ""), MAX_NAME);
  const lines = body.toWellFormed().trim().split(LINE_END);
  return [`**${shown}, ${createdAt.slice(0, 10)}:**`, ...lines.map((line) => `> ${line}`.trimEnd())].join("\n");
}

/** What ends a line for Markdown, for an editor or for a model. */
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/;
