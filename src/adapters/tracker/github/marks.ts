import { TicketId } from "../../../domain/values/ids.ts";

/** The label of issues that loopdash opened. */
export const LOOPDASH_LABEL = "loopdash";
/** The last line of loopdash's own comments. GitHub shows no HTML comments, and keeps them in the text. */
export const COMMENT_MARK = "<!-- loopdash -->";
const ticketMark = (id: string): string => `<!-- loopdash: ${id} -->`;
const MARK = new RegExp(`^${ticketMark("(\\S{1,64})")}$`);
/** What comes after the text of a discovered ticket. Its last line is the mark. */
const TRAILER =
  /(?:^|\n\n)---\n(?:Found while working on [^\n]{1,600}|Found by loopdash[^\n]{0,600})\n(?:\nDepends on ([^\n]{1,4000})\n)?\n<!-- loopdash: \S{1,64} -->$/;

/** What the trailer of a discovered ticket says. */
export interface Trailer {
  readonly id: TicketId;
  /** The issue at which it was found, as GitHub links it (`#7`, `owner/name#7`). */
  readonly foundAt: string | undefined;
  /** Issues that must be done first, in the same form. */
  readonly dependsOn: readonly string[];
  readonly note: string;
}

/** The text of a new issue. What the discovery says comes before the trailer, so it never has the last line. */
export function withTrailer(body: string, { id, foundAt, dependsOn, note }: Trailer): string {
  const found = foundAt === undefined ? "Found by loopdash." : `Found while working on ${foundAt}.`;
  const said = note === "" ? found : `${found} ${note}`;
  const first = dependsOn.length === 0 ? "" : `\nDepends on ${dependsOn.join(", ")}\n`;
  const text = body.replace(/\r\n?/g, "\n").trimEnd();
  return `${text === "" ? "" : `${text}\n\n`}---\n${said}\n${first}\n${ticketMark(id)}`;
}

/** The id in the last line of an issue's text; undefined if it has none. It counts only if the token's own user opened the issue. */
export function markedId(body: string): TicketId | undefined {
  const last = body.trimEnd().split(/\r?\n/).at(-1) ?? "";
  const id = TicketId.safeParse(MARK.exec(last)?.[1]);
  return id.success ? id.data : undefined;
}

/** The text without the mark in its last line, so that the issue is no ticket any more. */
export function withoutMark(body: string): string {
  return body.replace(/(?<!\n)\n*<!-- loopdash: \S+ -->\s*$/, "\n");
}

/** The text without loopdash's trailer, and what the trailer says must be done first. */
export function withoutTrailer(body: string): { readonly text: string; readonly dependsOn: string } {
  const text = body.replace(/\r\n?/g, "\n").trimEnd();
  const found = TRAILER.exec(text);
  return found === null ? { text, dependsOn: "" } : { text: text.slice(0, found.index), dependsOn: found[1] ?? "" };
}

/** The ticket at whose work one was found first: `app-7` of `app-7-d1-d2`. Undefined if the id is of no such form. */
export function rootTicket(id: string): TicketId | undefined {
  const root = TicketId.safeParse(id.replace(/(?<!-d\d{1,9})(?:-d\d+)+$/, ""));
  return root.success && root.data !== id ? root.data : undefined;
}
