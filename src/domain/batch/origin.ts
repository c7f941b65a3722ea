import type { Ticket, Writer } from "./schema.ts";

const WRITERS: Readonly<Record<Writer, string>> = {
  member: "members of the tracker's repository",
  outsider: "somebody from outside, at least in part, who is no member of the tracker's repository: nobody vouches for the text",
  filed: "loopdash filed it in the tracker for another run: an agent's finding, or what a person added there",
  unknown: "somebody who can write to the tracker",
};

/**
 * A prompt about a ticket. The engine puts first who wrote the ticket, as far as it knows: no text and no template can say otherwise, and
 * no length cuts it off.
 */
export function withOrigin(ticket: Ticket, prompt: string): string {
  return `${writerLine(ticket)}\n\n${prompt}`;
}

/** Says in one line who wrote a ticket. */
function writerLine({ id, foundBy, fromRepo, added, writer }: Ticket): string {
  const finder = `an agent, the worker on ${foundBy}${fromRepo === undefined ? "" : ` in the repository ${fromRepo}`}; no person wrote it`;
  const person = added ? "a person, who added it to the run" : "a person, in the files of the batch";
  const who = foundBy !== undefined ? finder : writer === undefined ? person : WRITERS[writer];
  return `Who wrote ticket ${id} (loopdash says so, not the text): ${who}.`;
}
