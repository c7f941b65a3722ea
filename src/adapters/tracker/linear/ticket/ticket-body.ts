import { plainText } from "../../../../domain/values/text.ts";
import { MAX_BODY, quotedComment } from "../../service/ticket-text.ts";
import type { Comment, Issue } from "../read/answers.ts";
import { inOrder, isOfLoopdash, isOfPerson, stepIn } from "./gate.ts";

const MAX_TITLE = 300;

/**
 * The text for the agent: the description, the comments of people and the links. What is too long for a batch is left out, the
 * oldest comments first, and a line says so.
 */
export function bodyOf(issue: Issue): string {
  const description = wellFormed(issue.description ?? "");
  const links = linksOf(issue);
  const comments = inOrder(issue.comments.nodes)
    .filter((comment) => belongs(issue.id, comment))
    .map(paragraphOf);
  for (let left = 0; left <= comments.length; left += 1) {
    const body = joined(description, [...leftOut(left), ...comments.slice(left)], links);
    if (body.length <= MAX_BODY) return body;
  }
  const rest = joined("", leftOut(comments.length), links);
  return cut(description, rest.length >= MAX_BODY / 2 ? "" : rest);
}

function belongs(issue: string, comment: Comment): boolean {
  return isOfPerson(comment) && !isOfLoopdash(issue, comment) && stepIn(comment.body, "person") === undefined;
}

function paragraphOf({ user, createdAt, body }: Comment): string {
  return quotedComment({ name: user?.displayName ?? "", createdAt, body });
}

function leftOut(comments: number): readonly string[] {
  return comments === 0 ? [] : [`(${comments} older ${comments === 1 ? "comment is" : "comments are"} left out.)`];
}

function linksOf({ attachments }: Issue): readonly string[] {
  return attachments.nodes.map(({ title, url }) => `- ${plainText(title, MAX_TITLE).trim()}: ${plainText(url)}`);
}

function joined(description: string, comments: readonly string[], links: readonly string[]): string {
  const parts = [
    ...(description === "" ? [] : [description]),
    ...(comments.length === 0 ? [] : ["## Comments", ...comments]),
    ...(links.length === 0 ? [] : ["## Links", links.join("\n")]),
  ];
  return parts.join("\n\n");
}

function cut(description: string, rest: string): string {
  const mark = "\n\n(The description is longer, and is cut here.)";
  const end = rest === "" ? mark : `${mark}\n\n${rest}`;
  return `${wellFormed(description.slice(0, MAX_BODY - end.length))}${end}`;
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}
