import { LinearRefusal } from "../client/failures.ts";
import type { LinearRequests } from "../client/requests.ts";
import type { Comment, Issue } from "../read/answers.ts";
import { commentText, gateComment, isSameMarkdown, ownCommentIds, stepIn } from "../ticket/gate.ts";
import { requireSuccess } from "./writes.ts";

/** A comment of the token's own loopdash on an issue. */
interface OwnComment {
  /** Its id among `ownCommentIds`. */
  readonly n: number;
  readonly comment: Comment;
}

/** loopdash's own comments, the newest last. There are two only if a write was cut short. */
export function ownComments({ id, comments }: Pick<Issue, "id" | "comments">, viewer: string): readonly OwnComment[] {
  const ids = ownCommentIds(id, viewer);
  return comments.nodes
    .filter(({ user }) => user?.id === viewer)
    .flatMap((comment) => (ids.includes(comment.id) ? [{ n: ids.indexOf(comment.id), comment }] : []))
    .sort((a, b) => a.n - b.n);
}

/** Ids that are tried for one new comment: people may have deleted earlier ones, and their ids stay used. */
const MAX_TRIED = 5;

/** Makes loopdash's comment gate the issue with a step: it becomes the newest gate comment. */
export async function writeGate(
  requests: LinearRequests,
  issue: Issue,
  { step, note }: { step: string; note: string },
): Promise<void> {
  const { viewer } = await requests.me();
  const own = ownComments(issue, viewer);
  const last = own.at(-1);
  const newest = gateComment(issue)?.comment;
  const text = commentText(note, step);
  // A comment keeps its place when it is edited: behind a person's newer gate it would count for nothing.
  const isBehind =
    newest !== undefined && last !== undefined && Date.parse(newest.createdAt) > Date.parse(last.comment.createdAt);
  if (last === undefined || isBehind) await create(requests, issue, { text, from: last === undefined ? 0 : last.n + 1 });
  else if (stepIn(last.comment.body, "loopdash") !== step.trim() || !isSameMarkdown(last.comment.body, text))
    await edit(requests, last.comment.id, text);
  await removeAll(requests, isBehind ? own : own.slice(0, -1));
}

/** Leaves one comment of loopdash's: an earlier write may have been cut short before it removed the other. */
export async function removeOlder(requests: LinearRequests, issue: Issue): Promise<void> {
  const { viewer } = await requests.me();
  await removeAll(requests, ownComments(issue, viewer).slice(0, -1));
}

/** Writes a note into loopdash's comment. `keepGate` leaves its first line, so that the ticket stays gated by it. */
export async function writeNote(
  requests: LinearRequests,
  issue: Issue,
  { note, keepGate }: { readonly note: string; readonly keepGate: boolean },
): Promise<void> {
  const { viewer } = await requests.me();
  const own = ownComments(issue, viewer);
  const last = own.at(-1);
  if (last === undefined) {
    if (note !== "") await create(requests, issue, { text: commentText(note), from: 0 });
    return;
  }
  const text = commentText(note, keepGate ? stepIn(last.comment.body, "loopdash") : undefined);
  if (!isSameMarkdown(last.comment.body, text)) await edit(requests, last.comment.id, text);
}

/** Takes the gate out of loopdash's comments. */
export async function endGate(requests: LinearRequests, issue: Issue, note: string): Promise<void> {
  const { viewer } = await requests.me();
  for (const { comment } of ownComments(issue, viewer))
    if (stepIn(comment.body, "loopdash") !== undefined) await edit(requests, comment.id, commentText(note));
}

/** Creates the comment under the first derived id from `from` on that no deleted comment has. */
async function create(
  requests: LinearRequests,
  issue: Issue,
  { text, from }: { readonly text: string; readonly from: number },
): Promise<void> {
  const { viewer } = await requests.me();
  let refusal: unknown;
  for (const id of ownCommentIds(issue.id, viewer).slice(from, from + MAX_TRIED)) {
    try {
      return requireSuccess(await requests.sdk((client) => client.createComment({ id, issueId: issue.id, body: text })));
    } catch (error) {
      if (!(error instanceof LinearRefusal)) throw error;
      refusal ??= error;
      // It is there, and no reading shows it yet, or a person deleted it. A write is never behind.
      if (await canEdit(requests, id, text)) return;
    }
  }
  throw refusal;
}

async function canEdit(requests: LinearRequests, id: string, text: string): Promise<boolean> {
  try {
    await edit(requests, id, text);
    return true;
  } catch (error) {
    if (error instanceof LinearRefusal) return false;
    throw error;
  }
}

async function edit(requests: LinearRequests, id: string, body: string): Promise<void> {
  requireSuccess(await requests.sdk((client) => client.updateComment(id, { body })));
}

async function removeAll(requests: LinearRequests, comments: readonly OwnComment[]): Promise<void> {
  for (const { comment } of comments) requireSuccess(await requests.sdk((client) => client.deleteComment(comment.id)));
}
