import { HumanStep } from "../../../domain/run/command.ts";
import type { Comment, Issue } from "./answers.ts";
import { derivedUuid } from "./uuid.ts";

/** The label of a ticket that waits for a person. Its name is compared exactly. */
export const GATE_LABEL = "human-gated";

/** loopdash's own comment is edited; it is replaced only if a person's gate comment is newer, or it was deleted. */
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
export function isOfLoopdash(issue: string, { id, user }: Comment): boolean {
  return user !== null && ownCommentIds(issue, user.id).includes(id);
}

/** Comments from the oldest to the newest. */
export function inOrder(comments: readonly Comment[]): readonly Comment[] {
  return comments.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1));
}

/** The step of a gate comment: one whose first line is `Human step: …`. Undefined if it is none. */
export function stepIn(body: string): string | undefined {
  const [, text] = GATE.exec(body.split(/\r?\n/, 1)[0] ?? "") ?? [];
  return text === undefined ? undefined : HumanStep.safeParse(plainMarkdown(text)).data;
}

/** The newest gate comment of a member of the organization. Integrations and bots gate nothing. */
export function gateComment({
  comments,
}: Pick<Issue, "comments">): { readonly comment: Comment; readonly step: string } | undefined {
  for (const comment of inOrder(comments.nodes).toReversed()) {
    const step = comment.user === null ? undefined : stepIn(comment.body);
    if (step !== undefined) return { comment, step };
  }
  return undefined;
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
  return plainMarkdown(text)
    .replace(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();
}

/** Text whose characters Markdown takes as they are, so that Linear's editor gives them back. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>~|#&!]/g, "\\$&");
}

/** A line without Markdown's escapes, and without the links that Linear makes of addresses. */
function plainMarkdown(text: string): string {
  return text
    .replace(/<(https?:\/\/[^<>\s]+)>/g, "$1")
    .replace(/\[([^\]]+)\]\(<?([^()<>\s]+)>?\)/g, (link, shown: string, to: string) => (shown === to ? shown : link))
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
}
