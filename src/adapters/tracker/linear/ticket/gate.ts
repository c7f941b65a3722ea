import { HumanStep } from "../../../../domain/run/command.ts";
import type { Issue, LinearComment } from "../read/answers.ts";
import { derivedUuid } from "./uuid.ts";

/**
 * Ids that loopdash's own comment on one issue may take. It is edited; it gets the next id only if a person's gate comment is newer, or
 * it was deleted.
 */
const MAX_OWN = 20;

const GATE = /^Human step: (.*)$/;

/**
 * The ids that loopdash's own comment on an issue may have, first choice first. They are derived, so that a repeated write cannot
 * make a second comment. They are also the mark by which the comment is known: Linear stores Markdown as a document of its editor,
 * which keeps no HTML comments and rewrites text, and nobody can give a comment of another person such an id.
 */
export function ownCommentIds(issue: string, author: string): readonly string[] {
  return Array.from({ length: MAX_OWN }, (_, n) => derivedUuid("comment", issue, author, String(n)));
}

/** True if a loopdash wrote the comment, whoever's token it used. */
export function isOfLoopdash(issue: string, { id, user }: LinearComment): boolean {
  return user !== null && ownCommentIds(issue, user.id).includes(id);
}

/** Comments from the oldest to the newest. */
export function inOrder(comments: readonly LinearComment[]): readonly LinearComment[] {
  return comments.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
}

/**
 * The step of a gate comment: one whose first line is `Human step: …`. Undefined if it is none. In loopdash's own comments no
 * Markdown has a meaning, because all of it is escaped: what there is came from Linear, which links addresses and names of issues.
 */
export function stepIn(body: string, by: "person" | "loopdash"): string | undefined {
  const [, text] = GATE.exec(body.split(/\r?\n/, 1)[0] ?? "") ?? [];
  return text === undefined ? undefined : HumanStep.safeParse(plainMarkdown(text, by)).data;
}

/** The newest gate comment of a person or of loopdash. Integrations and bots gate nothing. */
export function gateComment({ id, comments }: Pick<Issue, "id" | "comments">): GateComment | undefined {
  for (const comment of inOrder(comments.nodes).toReversed()) {
    if (!GATE.test(comment.body.split(/\r?\n/, 1)[0] ?? "")) continue;
    const isOwn = isOfLoopdash(id, comment);
    if (!isOwn && !isOfPerson(comment)) continue;
    const step = stepIn(comment.body, isOwn ? "loopdash" : "person");
    if (step !== undefined) return { comment, step };
  }
  return undefined;
}

interface GateComment {
  readonly comment: LinearComment;
  readonly step: string;
}

/** True if a member of the organization wrote the comment: no app, bot or integration. */
export function isOfPerson({ user, botActor }: LinearComment): boolean {
  return user !== null && !user.app && botActor === null;
}

/** loopdash's comment. `step` gates the ticket; without it the first line is never one of a gate comment. */
export function commentText(note: string, step?: string): string {
  const lines = [...(step === undefined ? [] : [`Human step: ${escaped(step)}`]), `loopdash: ${escaped(note)}`.trimEnd()];
  return lines.join("\n\n");
}

/** True if two texts are the same to people: Markdown may be written in several ways. */
export function isSameMarkdown(a: string, b: string): boolean {
  return letters(a) === letters(b);
}

function letters(text: string): string {
  return plainMarkdown(text, "loopdash")
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}

/** Text whose characters Markdown takes as they are, so that Linear's editor gives them back. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#&!]/g, "\\$&");
}

/** A text without Markdown's escapes, and without the links that Linear makes of addresses, or all links of loopdash's text. */
function plainMarkdown(text: string, by: "person" | "loopdash"): string {
  return text
    .replace(/(?<!\\)<(https?:\/\/[^<>\s]+)>/g, "$1")
    .replace(/(?<!\\)\[((?:[^[\]\\]|\\.)+)\]\(<?([^()<>\s]+)>?\)/g, (link, shown: string, to: string) =>
      by === "loopdash" || shown === to ? shown : link,
    )
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
}
