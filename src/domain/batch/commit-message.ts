import { boundedHead, plainLines, plainText } from "../values/text.ts";
import type { CommitSpec } from "./commit-spec.ts";
import { type AgentSpec, allAccounts } from "./party.ts";
import type { Batch, Ticket } from "./schema.ts";

/** Bounds of a ticket's text in a message. */
const TITLE_CHARS = 200;
const BODY_CHARS = 4_000;
const BODY_LINES = 100;
const LINE_CHARS = 500;

const DEFAULT_TEMPLATE = "{title} ({ticket})";

/** The types of Conventional Commits 1.0.0 and of the Angular convention, which it names. */
const TYPED = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\(([\w./-]{1,40})\))?!?:\s+(\S.*)$/i;

/** The names by which vendors' programs sign what they helped to write. */
const CO_AUTHORS: Readonly<Record<Exclude<AgentSpec["kind"], "command">, string>> = {
  claude: "Claude <noreply@anthropic.com>",
  codex: "Codex <noreply@openai.com>",
  gemini: "Gemini CLI <gemini-cli@localhost>",
  opencode: "opencode <noreply@opencode.ai>",
};

/** What the message of a commit is made of. */
export interface CommitMessageOptions {
  readonly commit: CommitSpec | undefined;
  readonly ticket: Pick<Ticket, "id" | "title" | "body">;
  readonly run: string;
  readonly attempt: number;
  readonly agent: AgentSpec;
  /** Keys of teams in Linear (`teamKeys`), if that keeps the tickets. */
  readonly teams?: readonly string[];
  /** Set if the commit takes the ticket's landed change back. No agent has written such a commit. */
  readonly reverts?: { readonly sha: string; readonly why: string };
}

/** What a template's title, body and type stand for. */
type Subject = Readonly<Record<"title" | "body" | "type" | "scope", string>>;

/**
 * The message of the commit by which a ticket lands, or by which its landed change is reverted. A ticket's text may come from anybody: it is bounded, has no control
 * characters, and brings no trailer, closes no issue and skips no CI. Only the template and the batch's trailers can do that. The
 * last lines are always loopdash's own trailers.
 */
export function commitMessage(options: CommitMessageOptions): string {
  const { commit, ticket, run, attempt, agent, reverts } = options;
  const { template = DEFAULT_TEMPLATE, trailers = {}, coAuthor = false } = commit ?? {};
  const isTyped = template.includes("{type}");
  const subject = parseSubject(options, isTyped);
  const values: Readonly<Record<string, string>> = {
    ticket: ticket.id,
    ...(reverts === undefined ? subject : revertSubject(subject, { isTyped, body: formatRevertReason(reverts) })),
    run,
    attempt: String(attempt),
  };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  const explained = reverts === undefined ? template : withReason(template);
  const shaped = values["scope"] === "" ? explained.replaceAll("({scope})", "") : explained;
  const text = fill(shaped)
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  const who = coAuthor === "agent" ? nameCoAuthor(agent, reverts) : coAuthor;
  const lines = [
    ...Object.entries(trailers).map(([name, value]) => `${name}: ${plainText(fill(value), LINE_CHARS)}`),
    ...(who === false ? [] : [`Co-authored-by: ${who}`]),
    `Loopdash-Ticket: ${ticket.id}`,
    `Loopdash-Run: ${run}`,
    ...(reverts === undefined
      ? [`Loopdash-Attempt: ${attempt}`, `Loopdash-Agent: ${agentName(agent)}`]
      : [`Loopdash-Reverts: ${reverts.sha}`]),
  ];
  // Git reads trailers from the last paragraph alone: those of a template must stand in it too.
  return `${text}${endsInTrailers(shaped) ? "\n" : "\n\n"}${lines.join("\n")}\n`;
}

/** The keys of Linear's teams in the ids of tickets, `ENG` of `ENG-12`: its integrations read `Fixes ENG-12` in a commit. */
export function teamKeys({ tracker }: Pick<Batch, "tracker">, tickets: readonly Pick<Ticket, "id">[]): readonly string[] {
  if (tracker.kind !== "linear") return [];
  return [...new Set(tickets.flatMap(({ id }) => /^([A-Za-z0-9]+)-\d/.exec(id)?.[1] ?? []))];
}

/** A ticket's text as a commit or a pull request may show it: bounded, without control characters, and closing no issue. */
export function inertBody(ticket: Pick<Ticket, "body">, teams: readonly string[]): string {
  return bodyText(ticket.body, closingPattern(teams));
}

/** Text of others with words that close no issue, and with all else as it is. */
export function closingNothing(text: string, teams: readonly string[]): string {
  return text.replace(closingPattern(teams), CLOSES_NOTHING);
}

function parseSubject(
  { commit: { type = "feat", scope = "" } = {}, ticket, teams = [] }: CommitMessageOptions,
  isTyped: boolean,
): Subject {
  const typed = isTyped ? TYPED.exec(plainText(ticket.title)) : null;
  const closes = closingPattern(teams);
  return {
    title: inert(plainText(typed?.[3] ?? ticket.title, TITLE_CHARS), closes),
    body: bodyText(ticket.body, closes),
    type: typed?.[1]?.toLowerCase() ?? type,
    scope: typed?.[2] ?? scope,
  };
}

/** A type names a revert where the template has one (Conventional Commits 1.0.0, item 10 of its FAQ), and the title elsewhere. */
function revertSubject(
  { title, scope }: Subject,
  { isTyped, body }: { readonly isTyped: boolean; readonly body: string },
): Subject {
  return { title: isTyped ? title : `Revert "${title}"`, body, type: "revert", scope };
}

/** The sentence that git itself writes (git-revert(1)), and the reason. */
function formatRevertReason({ sha, why }: NonNullable<CommitMessageOptions["reverts"]>): string {
  return `This reverts commit ${sha}${why === "" ? "" : `, ${inert(plainText(why, LINE_CHARS), closingPattern([]))}`}.`;
}

/** The template with a place for the reason of a revert, before a last paragraph of trailers. */
function withReason(template: string): string {
  if (template.includes("{body}")) return template;
  const paragraphs = template.trim().split(/\n{2,}/);
  paragraphs.splice(endsInTrailers(template) ? -1 : paragraphs.length, 0, "{body}");
  return paragraphs.join("\n\n");
}

function endsInTrailers(template: string): boolean {
  const [, ...paragraphs] = template.trim().split(/\n{2,}/);
  return (
    paragraphs
      .at(-1)
      ?.split("\n")
      .every((line) => /^[A-Za-z][\w-]*: \S/.test(line)) === true
  );
}

function nameCoAuthor(agent: AgentSpec, reverts: CommitMessageOptions["reverts"]): string | false {
  if (reverts !== undefined) return false;
  if (agent.kind !== "command") return CO_AUTHORS[agent.kind];
  const name = scriptName(agent.command);
  return `${name} <${name}@localhost>`;
}

/** The program that wrote the change, and its model if the batch names one for all of its accounts. */
function agentName(agent: AgentSpec): string {
  if (agent.kind === "command") return `command ${scriptName(agent.command)}`;
  const [model, ...others] = new Set(allAccounts(agent).map((account) => account.model));
  return model === undefined || others.length > 0 ? agent.kind : `${agent.kind} ${plainText(model, 60)}`;
}

function scriptName(command: readonly string[]): string {
  const words = command.map((word) => word.split("/").at(-1) ?? "");
  const script = words.slice(1).find((word) => /\.\w+$/.test(word)) ?? words[0] ?? "agent";
  return script.replace(/[^\w.-]+/g, "-").slice(0, 60) || "agent";
}

function bodyText(body: string, closes: RegExp): string {
  const lines = plainLines(boundedHead(body, BODY_CHARS), { maxLines: BODY_LINES, maxLength: LINE_CHARS });
  const told = lines.map((line) => inert(isTrailer(line) ? `> ${line.trim()}` : line, closes)).join("\n");
  // The word may end one line, and the number begin the next.
  return told.replace(closes, CLOSES_NOTHING).trim();
}

/** Lines that git, forges or their programs read as a statement about the commit. */
function isTrailer(line: string): boolean {
  return /^\s*(?:[\w-]+-by|loopdash-[\w-]+|change-id|breaking[ -]change|cc|fixes|closes|resolves|skip-checks)\s*:/i.test(line);
}

/** The words by which forges (GitHub, GitLab, Bitbucket, Azure) and Linear close issues. */
const CLOSING = "clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|complet(?:e[sd]?|ing)|implement(?:s|ed|ing)?";
const CLOSES_NOTHING = "$1$2see $3";

/**
 * Those words before a number, a reference, an address, or an identifier of one of Linear's teams. Marks of Markdown may stand between the
 * two, and a colon may stand for the blank.
 */
function closingPattern(teams: readonly string[]): RegExp {
  const identifiers = teams.map((key) => `|${key}-(?=\\d)`).join("");
  const named = `[^\\w\\s#]{0,20}(?:(?:[\\w./-]{0,200}#|GH-|https?:\\/\\/)(?=\\S)${identifiers})`;
  return new RegExp(`\\b(${CLOSING})(:?\\s+(?:issues?\\s+)?|:\\s*)(${named})`, "gi");
}

const SKIPS = /\[\s*(skip ci|ci skip|no ci|skip actions|actions skip|skip checks)\s*\]/gi;

/** The same words without an effect on a forge. */
function inert(text: string, closes: RegExp): string {
  const open = text.replace(SKIPS, "($1)").replace(closes, CLOSES_NOTHING);
  return isTrailer(open) ? open.replace(":", " -") : open;
}
