import { findLanding } from "../domain/run/carry-over.ts";
import { commitPage } from "../domain/run/commit-page.ts";
import type { RunState } from "../domain/run/state.ts";
import type { TicketState } from "../domain/run/ticket-state.ts";

/** Columns of a commit's hash in a line. */
const SHORT = 7;

/** A piece of text, and where it leads in a browser. */
export interface TextLink {
  readonly text: string;
  readonly url: string;
}

/** The page of a ticket in its tracker; undefined if none is known. */
export function ticketUrl(ticket: TicketState | undefined): string | undefined {
  return ticket?.tracked?.url;
}

/** What people call a ticket in its tracker, with its page; undefined if that is its id, or no page is known. */
export function serviceLink(ticket: TicketState | undefined): TextLink | undefined {
  const { serviceId, url } = ticket?.tracked ?? {};
  return serviceId === undefined || url === undefined ? undefined : { text: serviceId, url };
}

/** The page of a commit in the repository of a ticket; undefined if none is known. */
export function commitUrl(run: RunState, { id }: TicketState, sha: string): string | undefined {
  return commitPage(run, id, sha);
}

/** The commit that landed a ticket, as texts show it, with its page; undefined if it has none. */
export function landingLink(run: RunState | undefined, ticket: TicketState | undefined): TextLink | undefined {
  const landing = ticket === undefined ? undefined : findLanding(ticket);
  if (run === undefined || ticket === undefined || landing === undefined) return undefined;
  const url = commitUrl(run, ticket, landing.sha);
  return url === undefined ? undefined : { text: landing.sha.slice(0, SHORT), url };
}

/** The pull request of a ticket, as texts name it, with its page; undefined if it has none. */
function pullRequestLink({ pullRequest }: TicketState): TextLink | undefined {
  const { number, url } = pullRequest ?? {};
  return number === undefined || url === undefined ? undefined : { text: `#${number}`, url };
}

/** A ticket's id with its page, its pull request, and the commit that landed it with its own, as far as they are known. */
export function ticketLinks(run: RunState, ticket: TicketState): readonly (TextLink | undefined)[] {
  const url = ticketUrl(ticket);
  const own = url === undefined ? undefined : { text: ticket.id, url };
  return [own, serviceLink(ticket), pullRequestLink(ticket), landingLink(run, ticket)];
}

/** A line of text in pieces, some of which lead somewhere. */
export type LinkedLine = readonly (string | TextLink)[];

/** A text with each of these pieces linked where it stands first, as a whole word. */
export function withLinks(text: string, links: readonly (TextLink | undefined)[]): LinkedLine {
  return links.reduce<LinkedLine>(
    (line, link) => {
      if (link === undefined) return line;
      const found = line.findIndex((piece) => typeof piece === "string" && wordAt(piece, link.text) >= 0);
      const piece = line[found];
      if (typeof piece !== "string") return line;
      const at = wordAt(piece, link.text);
      const parts = [piece.slice(0, at), link, piece.slice(at + link.text.length)].filter((part) => part !== "");
      return [...line.slice(0, found), ...parts, ...line.slice(found + 1)];
    },
    text === "" ? [] : [text],
  );
}

/** The index of a word in a text that is not a part of a longer word there; -1 if there is none. */
function wordAt(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text[at + word.length] ?? " "];
    if (!/[A-Za-z0-9_-]/.test(before) && !/[A-Za-z0-9_-]/.test(after)) return at;
  }
  return -1;
}
