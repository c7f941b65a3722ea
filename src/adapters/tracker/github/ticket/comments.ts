import { HumanStep } from "../../../../domain/run/command.ts";
import type { TrackerState } from "../../../../domain/run/drift-fact.ts";
import { COMMENT_MARK } from "../marks.ts";
import type { CommentNode } from "../read/answers.ts";
import type { GitHubIssue } from "./issue.ts";

const STEP = "Human step: ";
/** Who may say what is left to a person, besides the token's own user (GraphQL's CommentAuthorAssociation). */
export const TRUSTED: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** A ticket's gate: the comment that says what is left, and the step in it. */
export interface GitHubGate {
  readonly step: string;
  readonly comment: CommentNode;
}

/** The newest comment that says what is left to a person: its first line is exactly `Human step: …`, and its author may say so. */
export function newestGate({ comments }: GitHubIssue): GitHubGate | undefined {
  return byAge(comments).findLast(({ gate }) => gate !== undefined)?.gate;
}

/** loopdash's own comments, oldest first: the token's own user wrote them, and the mark is their last line. One is meant to be. */
export function ownComments({ comments }: GitHubIssue): readonly CommentNode[] {
  return byAge(comments)
    .map(({ comment }) => comment)
    .filter(isOwn);
}

/** The comments that people wrote for whoever works on the ticket, oldest first: no bots, no gates, none that were hidden. */
export function listTalk({ comments }: GitHubIssue): readonly CommentNode[] {
  return byAge(comments)
    .filter(
      ({ comment, gate }) =>
        gate === undefined && !isOwn(comment) && !comment.isMinimized && comment.author?.__typename !== "Bot",
    )
    .map(({ comment }) => comment);
}

/** The step in a comment's first line; undefined if it has none. */
export function stepIn(body: string): string | undefined {
  const [line = ""] = body.split(/\r?\n/, 1);
  if (!line.startsWith(STEP)) return undefined;
  const step = HumanStep.safeParse(line.slice(STEP.length));
  return step.success ? step.data : undefined;
}

/** The text of loopdash's own comment on a ticket of this state. Only a gate's begins with a step. */
export function ownText(state: TrackerState, note: string): string {
  const said = note.startsWith(STEP.trim()) ? `Note: ${note}` : note;
  const parts =
    state.as === "human-gated"
      ? [`${STEP}${state.step.trim()}`, said]
      : [said || (state.as === "done" ? "Done." : "Open again.")];
  return [...parts.filter((part) => part !== ""), COMMENT_MARK].join("\n\n");
}

/** The number by which the REST API knows a comment; its `databaseId` in GraphQL has too few bits. */
export function numberOfComment({ url }: CommentNode): number {
  return Number(/(?<!\d)\d+$/.exec(url)?.[0]);
}

function isOwn({ viewerDidAuthor, body }: CommentNode): boolean {
  return viewerDidAuthor && body.trimEnd().split(/\r?\n/).at(-1) === COMMENT_MARK;
}

function byAge(
  comments: readonly CommentNode[],
): readonly { readonly comment: CommentNode; readonly gate: GitHubGate | undefined }[] {
  return [...comments]
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
    .map((comment) => ({ comment, gate: gateIn(comment) }));
}

function gateIn(comment: CommentNode): GitHubGate | undefined {
  const { viewerDidAuthor, authorAssociation, isMinimized, body } = comment;
  const mayTell = viewerDidAuthor || (TRUSTED.has(authorAssociation) && !isMinimized);
  const step = mayTell ? stepIn(body) : undefined;
  return step === undefined ? undefined : { step, comment };
}
