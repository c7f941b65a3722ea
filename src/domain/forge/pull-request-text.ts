import { inertBody } from "../batch/commit-message.ts";
import type { Ticket } from "../batch/schema.ts";

/** The texts of a pull request, and the rest of the message of the commit by which it lands. */
export interface PullRequestText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly message: string;
}

/** What the texts of a pull request are made of. */
export interface PullRequestTextOptions {
  /** The message of the commit that lands: its first line is the title. */
  readonly message: string;
  readonly ticket: Pick<Ticket, "id" | "body">;
  /** Keys of teams in Linear, if that keeps the tickets. */
  readonly teams: readonly string[];
  /** The steps of the finish line that the change has passed. */
  readonly passed: readonly string[];
}

/**
 * The texts of a ticket's pull request. A ticket's own words are quoted as those of a commit are: they close no issue, and here they
 * mention nobody either.
 */
export function pullRequestText({ message, ticket, teams, passed }: PullRequestTextOptions): PullRequestText {
  const [title = ticket.id, ...rest] = message.split("\n");
  const why = inertBody(ticket, teams).trim();
  const checks = passed.map((step) => `- ${step}: passed`);
  const body = [
    ...["## What and why", "", why === "" ? `Ticket ${ticket.id}.` : quoted(why), ""],
    ...["## How it was checked", "", ...(checks.length > 0 ? checks : ["- by the checks of this pull request"]), ""],
    `Ticket: ${ticket.id}`,
  ];
  return { title, body: body.join("\n"), message: rest.join("\n").trim() };
}

/** A ticket's own words, as a quotation that notifies nobody and refers to nothing. */
function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${inertMarkdown(line)}`)
    .join("\n");
}

/**
 * A line without mentions, references and HTML. A forge looks for both in the text that it has rendered: an entity or an element between
 * "closes" and a number hides them from whoever reads the source.
 */
function inertMarkdown(line: string): string {
  return line
    .replaceAll(/&(?=#?\w+;)/g, "&amp;")
    .replaceAll(/<(?=[a-z!/?])/gi, "&lt;")
    .replaceAll(/#(?=\d)/g, "#\u200b")
    .replaceAll(/\bGH-(?=\d)/gi, "$&\u200b")
    .replaceAll(/(^|[^\w`])@(?=\w)/g, "$1@\u200b");
}
