import { type Asking, QueryError } from "../nodes.ts";
import { entryNode, threadCommentNode, threadNode } from "./graphql.ts";
import type { Found } from "./host.ts";
import type { Pull, Thread } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { addReply, addReview } from "./reviews.ts";

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string };
}

/** The mutations that the forge has. Each is a turn of its own. */
export function mutationsOf(asking: Asking): object {
  const { viewer } = asking;
  const { host, queue } = asking.forge;
  return {
    resolveReviewThread: ({ input }: Input<{ threadId: string }>) =>
      turn(asking, async () => {
        const { found, pull, thread } = threadBy(asking, input.threadId);
        host.remember();
        thread.isResolved = true;
        host.changed();
        return { thread: threadNode(asking, found, { pull, thread }) };
      }),
    unresolveReviewThread: ({ input }: Input<{ threadId: string }>) =>
      turn(asking, async () => {
        const { found, pull, thread } = threadBy(asking, input.threadId);
        host.remember();
        thread.isResolved = false;
        host.changed();
        return { thread: threadNode(asking, found, { pull, thread }) };
      }),
    addPullRequestReviewThreadReply: ({ input }: Input<{ pullRequestReviewThreadId: string; body: string }>) =>
      turn(asking, async () => {
        const { found, pull, thread } = threadBy(asking, input.pullRequestReviewThreadId);
        host.remember();
        const { id } = addReview(host, found, pull, { author: viewer, state: "COMMENTED", body: "" });
        const comment = addReply(host, thread, { author: viewer, body: input.body, reviewId: id });
        host.changed();
        return { comment: threadCommentNode(asking, found.repo, { pull, comment }) };
      }),
    enqueuePullRequest: ({ input }: Input<{ pullRequestId: string; expectedHeadOid?: string }>) =>
      turn(asking, async () => {
        const { found, pull } = pullBy(asking, input.pullRequestId);
        const entry = await queue.enqueue(found.repo.fullName, pull.number, { by: viewer, expectedHead: input.expectedHeadOid });
        return { mergeQueueEntry: entryNode(asking, found, entry) };
      }),
    dequeuePullRequest: ({ input }: Input<{ id: string }>) =>
      turn(asking, async () => {
        const { found, pull } = pullBy(asking, input.id);
        const entry = queue.dequeue(found.repo.fullName, pull.number);
        if (entry === undefined) throw new Refusal(422, "Pull request is not in the queue");
        return { mergeQueueEntry: entryNode(asking, found, entry) };
      }),
  };
}

async function turn(asking: Asking, act: () => Promise<object>): Promise<object> {
  if (!asking.canWrite) throw new QueryError("FORBIDDEN", "Resource not accessible by personal access token");
  try {
    return await asking.forge.exclusive(act);
  } catch (error) {
    if (error instanceof Refusal) throw new QueryError("UNPROCESSABLE", error.message);
    throw error;
  }
}

function founds({ state, forge, viewer }: Asking): readonly Found[] {
  return state.repos
    .filter(({ hiddenFrom }) => !hiddenFrom.includes(viewer))
    .flatMap(({ fullName }) => forge.find(state, fullName) ?? []);
}

function pullBy(asking: Asking, id: string): { readonly found: Found; readonly pull: Pull } {
  for (const found of founds(asking)) {
    const issue = found.repo.issues.find((each) => `PR_${each.id}` === id);
    const pull = found.forge.pulls.find(({ number }) => number === issue?.number);
    if (pull !== undefined) return { found, pull };
  }
  throw new QueryError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

function threadBy(asking: Asking, id: string): { readonly found: Found; readonly pull: Pull; readonly thread: Thread } {
  for (const found of founds(asking))
    for (const pull of found.forge.pulls) {
      const thread = pull.threads.find((each) => `PRRT_${each.id}` === id);
      if (thread !== undefined) return { found, pull, thread };
    }
  throw new QueryError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}
