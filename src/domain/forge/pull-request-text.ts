import { closingNothing, inertBody } from "../batch/commit-message.ts";
import type { Ticket } from "../batch/schema.ts";
import { filledTemplate, type PullRequestPart } from "./pull-request-template.ts";

/** The title of a pull request, and the rest of the message of the commit by which it lands. */
export interface LandingMessage {
  readonly title: string;
  readonly message: string;
}

/** Splits the message of the commit that lands: its first line is the title. */
export function landingMessage(message: string): LandingMessage {
  const [title = "", ...rest] = message.split("\n");
  return { title, message: rest.join("\n").trim() };
}

/** The parts of which the text of a pull request is made. */
export interface PullRequestBodyOptions {
  readonly ticket: Pick<Ticket, "id" | "body">;
  /** Keys of teams in Linear, if that keeps the tickets. */
  readonly teams: readonly string[];
  /** The steps of the finish line that the change has passed, and the time that each took; or that its ticket's class does not need. */
  readonly passed: readonly { readonly step: string; readonly ms: number; readonly notNeeded?: true }[];
  /** The run, its attempt, and the base on which the change was checked. */
  readonly origin: { readonly run: string; readonly attempt: number; readonly base: string; readonly baseSha: string };
  /** The repository's own template; absent if it has none. */
  readonly template?: string | undefined;
}

/**
 * The text of a ticket's pull request as Markdown, in the form of the repository's template if it has a usable one. A ticket's own words are quoted as
 * those of a commit are: they close no issue, and here they mention nobody either. A template's words close no issue either: somebody may
 * have changed it for all pull requests that follow.
 */
export function pullRequestBody(options: PullRequestBodyOptions): string {
  const { teams, template } = options;
  const parts = pullRequestParts(options);
  const filled = template === undefined ? undefined : filledTemplate(withoutReferences(closingNothing(template, teams)), parts);
  return filled ?? inOwnForm(parts);
}

function pullRequestParts({ ticket, teams, passed, origin }: PullRequestBodyOptions): readonly PullRequestPart[] {
  const { run, attempt, base, baseSha } = origin;
  const why = inertBody(ticket, teams).trim();
  const checks = passed.map(({ step, notNeeded }) => `- ${step}: ${notNeeded ? NOT_NEEDED : "passed"}`);
  const took = passed.flatMap(({ step, ms, notNeeded }) =>
    notNeeded ? [] : [`- ${step}: passed after ${(ms / 1000).toFixed(1)} s`],
  );
  const where = `- on ${base} at ${baseSha}, by run ${run}, attempt ${attempt}`;
  return [
    { kind: "why", heading: "What and why", text: why === "" ? `Ticket ${ticket.id}.` : quoted(why) },
    {
      kind: "checked",
      heading: "How it was checked",
      text: (checks.length > 0 ? checks : ["- by the checks of this pull request"]).join("\n"),
    },
    { kind: "evidence", heading: "Evidence", text: [where, ...took].join("\n") },
    { kind: "ticket", heading: "Ticket", text: `Ticket: ${ticket.id}` },
  ];
}

/** The result of a step that was passed over. */
const NOT_NEEDED = "not needed for a ticket of this class";

/** The parts below each other; the ticket stands in the last line, without a heading. */
function inOwnForm(parts: readonly PullRequestPart[]): string {
  return parts.map(({ kind, heading, text }) => (kind === "ticket" ? text : `## ${heading}\n\n${text}\n`)).join("\n");
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
  return withoutNumbers(line)
    .replaceAll(/&(?=#?\w+;)/g, "&amp;")
    .replaceAll(/<(?=[a-z!/?])/gi, "&lt;")
    .replaceAll(/(^|[^\w`])@(?=\w)/g, "$1@\u200b");
}

/** Text that a forge takes for a reference if a number follows. */
const NUMBERED = /#(?=\d)|\bGH-(?=\d)/gi;

/** The part of an issue's address before its number: a forge takes the whole address for a reference. */
const ADDRESSED = /\/(?:issues|pull)\/+(?=\d)/gi;

/** A template without references and without the entities that would become one; its HTML stays, and may hide a closing word's number. */
function withoutReferences(template: string): string {
  return withoutNumbers(template.replaceAll(/&(?=#\w+;|(?:num|sol|colon|period);)/gi, "&amp;"));
}

function withoutNumbers(text: string): string {
  return text.replaceAll(NUMBERED, "$&\u200b").replaceAll(ADDRESSED, "$&\u200b");
}
