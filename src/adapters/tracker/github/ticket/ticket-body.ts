import { MAX_BODY, quotedComment } from "../../service/ticket-text.ts";
import { withoutTrailer } from "../marks.ts";
import { talkOf } from "./comments.ts";
import type { Issue } from "./issue.ts";

/**
 * The text of a ticket: its description, and what people said below it. If it is too long, the oldest comments go first, and a line
 * says so. A description that is too long by itself stays whole: the batch refuses it, by the ticket's name.
 */
export function bodyOf(issue: Issue): string {
  const text = issue.node.viewerDidAuthor ? withoutTrailer(issue.node.body).text : issue.node.body;
  const description = text.replace(/\r\n?/g, "\n").toWellFormed();
  const comments = talkOf(issue).map(({ author, createdAt, body }) =>
    quotedComment({ name: author?.name || author?.login || "ghost", createdAt, body }),
  );
  for (let first = 0; first < comments.length; first += 1) {
    const whole = withComments(description, comments, first);
    if (whole.length <= MAX_BODY) return whole;
  }
  const none = withComments(description, comments, comments.length);
  return none.length <= MAX_BODY ? none : description;
}

function withComments(description: string, comments: readonly string[], first: number): string {
  if (comments.length === 0) return description;
  const left =
    first === 0 ? [] : [`(${first} older ${first === 1 ? "comment is" : "comments are"} left out: the text is too long.)`];
  return [description.trimEnd(), "## Comments", ...left, ...comments.slice(first)].filter((part) => part !== "").join("\n\n");
}
