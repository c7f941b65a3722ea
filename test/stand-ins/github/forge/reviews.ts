import { newId, userOf } from "../state.ts";
import { commitOf, git } from "./git.ts";
import { type Found, type Host, issueOfPull } from "./host.ts";
import type { Pull, Thread } from "./model.ts";

/** A new review, with the threads that it opens. */
export function addReview(
  host: Host,
  { repo }: Found,
  pull: Pull,
  review: { readonly author: string; readonly state: Pull["reviews"][number]["state"]; readonly body: string },
): Pull["reviews"][number] {
  userOf(host.state(), review.author);
  const added = { id: newId(host.state()), ...review, sha: pull.headSha, submittedAt: host.now() };
  pull.reviews.push(added);
  pull.reviewers = pull.reviewers.filter((login) => login !== review.author);
  issueOfPull(repo, pull).updatedAt = host.now();
  return added;
}

/** A new thread about a line of the head. */
export function addThread(
  host: Host,
  found: Found,
  pull: Pull,
  thread: {
    readonly author: string;
    readonly path: string;
    readonly line: number;
    readonly body: string;
    /** The review that it belongs to; default: a new one. */
    readonly reviewId?: number;
  },
): Thread {
  const { author, path, line, body } = thread;
  const reviewId = thread.reviewId ?? addReview(host, found, pull, { author, state: "COMMENTED", body: "" }).id;
  const added: Thread = {
    id: newId(host.state()),
    path,
    line,
    originalLine: line,
    sha: pull.headSha,
    isResolved: false,
    comments: [],
  };
  pull.threads.push(added);
  addReply(host, added, { author, body, reviewId });
  return added;
}

export function addReply(
  host: Host,
  thread: Thread,
  { author, body, reviewId }: { readonly author: string; readonly body: string; readonly reviewId: number },
): Thread["comments"][number] {
  userOf(host.state(), author);
  const now = host.now();
  const comment = { id: newId(host.state()), author, body, reviewId, createdAt: now, updatedAt: now };
  thread.comments.push(comment);
  return comment;
}

/** Where a thread's line is after a push; null once it was changed. */
export async function lineAfter(folder: string, { path, line }: Thread, from: string, to: string): Promise<number | null> {
  if (line === null) return null;
  if ((await commitOf(folder, from)) === undefined) return null;
  const diff = await git(folder, ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", from, to, "--", path]);
  let shift = 0;
  for (const [, start = "", count = "1", , added = "1"] of diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const [first, size] = [Number(start), Number(count)];
    if (size > 0 && line >= first && line < first + size) return null;
    if (first < line) shift += Number(added) - size;
  }
  return line + shift;
}
