import { type Asking, actor, commentNode, connection, type PageArgs, QueryError } from "../nodes.ts";
import { associationOf, type Repo, timeText } from "../state.ts";
import { protectionOf } from "./checks.ts";
import { branchTip, commitOf, git } from "./git.ts";
import { commitNode } from "./graphql-checks.ts";
import { type Found, issueOfPull } from "./host.ts";
import { type Mergeability, opinions, reviewDecision } from "./mergeability.ts";
import type { Pull, QueueEntry, Review, Thread, ThreadComment } from "./model.ts";

/** A page of what has no keys of its own: cursors are positions. */
export function listed<T>(items: readonly T[], args: PageArgs, nodeOf: (item: T) => unknown): object {
  return connection(
    [...items.entries()],
    ([at]) => at + 1,
    args,
    ([, item]) => nodeOf(item),
  );
}

/** What a repository with git has beyond its issues; nothing if it has none. */
export function forgeFields(asking: Asking, repo: Repo): object {
  const found = asking.forge.find(asking.state, repo.fullName);
  if (found === undefined) return {};
  const { forge, folder } = found;
  const pulls = (wanted: (pull: Pull) => boolean) => forge.pulls.filter(wanted);
  const ref = async (name: string) => {
    const branch = name.replace(/^refs\/heads\//, "");
    const sha = await branchTip(folder, branch);
    return sha === undefined ? null : { name: branch, prefix: "refs/heads/", target: commitNode(asking, found, sha) };
  };
  return {
    mergeCommitAllowed: forge.settings.allowMerge,
    squashMergeAllowed: forge.settings.allowSquash,
    rebaseMergeAllowed: forge.settings.allowRebase,
    deleteBranchOnMerge: forge.settings.deletesBranchOnMerge,
    defaultBranchRef: () => ref(forge.defaultBranch),
    ref: ({ qualifiedName }: { qualifiedName: string }) => ref(qualifiedName),
    async object({ oid, expression }: { oid?: string; expression?: string }) {
      const sha = await commitOf(folder, oid ?? expression ?? "HEAD");
      return sha === undefined ? null : commitNode(asking, found, sha);
    },
    pullRequest({ number }: { number: number }) {
      const [pull] = pulls((each) => each.number === number);
      if (pull === undefined)
        throw new QueryError("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
      return pullNode(asking, found, pull);
    },
    pullRequests(args: PageArgs & { headRefName?: string; baseRefName?: string; states?: readonly string[] }) {
      const { headRefName, baseRefName, states } = args;
      const all = pulls(
        (pull) =>
          (headRefName === undefined || pull.headRef === headRefName) &&
          (baseRefName === undefined || pull.baseRef === baseRefName) &&
          (states === undefined || states.includes(pullState(found, pull))),
      );
      return listed(all, args, (pull) => pullNode(asking, found, pull));
    },
    mergeQueue: ({ branch = forge.defaultBranch }: { branch?: string }) =>
      (protectionOf(forge, branch)?.mergeQueue ?? null) === null
        ? null
        : {
            id: `MQ_${repo.id}`,
            entries: (args: PageArgs) => listed(forge.queue, args, (entry) => entryNode(asking, found, entry)),
          },
  };
}

function pullState(found: Found, pull: Pull): "MERGED" | "OPEN" | "CLOSED" {
  if (pull.mergedAt !== null) return "MERGED";
  return issueOfPull(found.repo, pull).state === "open" ? "OPEN" : "CLOSED";
}

/** A pull request. Its mergeability is read once, however many fields ask for it. */
export function pullNode(asking: Asking, found: Found, pull: Pull): object {
  const { repo, forge } = found;
  const issue = issueOfPull(repo, pull);
  const protection = protectionOf(forge, pull.baseRef);
  let known: Promise<Mergeability> | undefined;
  const mergeability = () => (known ??= asking.forge.mergeability.read(found, pull));
  const entry = forge.queue.find((each) => each.pull === pull.number);
  return {
    __typename: "PullRequest",
    id: `PR_${issue.id}`,
    databaseId: issue.id,
    fullDatabaseId: String(issue.id),
    number: pull.number,
    url: `${asking.web}/${repo.fullName}/pull/${pull.number}`,
    title: issue.title,
    body: issue.body,
    state: pullState(found, pull),
    isDraft: pull.isDraft,
    isCrossRepository: pull.fork !== null,
    author: () => actor(asking, issue.author),
    createdAt: timeText(issue.createdAt),
    updatedAt: timeText(issue.updatedAt),
    closed: issue.state === "closed",
    closedAt: issue.closedAt === null ? null : timeText(issue.closedAt),
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    mergeable: async () => {
      const { isMergeable } = await mergeability();
      return isMergeable === null ? "UNKNOWN" : isMergeable ? "MERGEABLE" : "CONFLICTING";
    },
    mergeStateStatus: async () => (await mergeability()).state.toUpperCase(),
    reviewDecision: reviewDecision(repo, pull, protection),
    merged: pull.mergedAt !== null,
    mergedAt: pull.mergedAt === null ? null : timeText(pull.mergedAt),
    mergedBy: () => (pull.mergedBy === null ? null : actor(asking, pull.mergedBy)),
    mergeCommit: () => (pull.mergeSha === null ? null : commitNode(asking, found, pull.mergeSha)),
    isMergeQueueEnabled: (protection?.mergeQueue ?? null) !== null,
    isInMergeQueue: entry !== undefined,
    timelineItems: { nodes: pull.letGo === undefined ? [] : [{ __typename: "RemovedFromMergeQueueEvent", ...pull.letGo }] },
    mergeQueueEntry: () => (entry === undefined ? null : entryNode(asking, found, entry)),
    comments: (args: PageArgs) =>
      listed(issue.comments, args, (each) => ({
        id: `IC_${each.id}`,
        databaseId: each.id,
        ...commentNode(asking, { repo, issue }, each),
      })),
    ...reviewFields(asking, found, pull),
    commits: async (args: PageArgs) => {
      const list = await git(found.folder, ["rev-list", "--reverse", `${pull.baseSha}..${pull.headSha}`]);
      const commits = list.split("\n").filter((line) => line !== "");
      return listed(commits, args, (sha) => ({ id: `PRC_${issue.id}_${sha}`, commit: commitNode(asking, found, sha) }));
    },
  };
}

function reviewFields(asking: Asking, found: Found, pull: Pull): object {
  const node = (review: Review) => reviewNode(asking, found.repo, review);
  return {
    reviewThreads: (args: PageArgs) => listed(pull.threads, args, (thread) => threadNode(asking, found, { pull, thread })),
    reviews(args: PageArgs & { states?: readonly string[]; author?: string }) {
      const { states, author } = args;
      const all = pull.reviews.filter(
        (each) => (states === undefined || states.includes(each.state)) && (author === undefined || author === each.author),
      );
      return listed(all, args, node);
    },
    latestReviews: (args: PageArgs) => {
      const byAuthor = new Map(pull.reviews.map((review) => [review.author, review]));
      return listed([...byAuthor.values()], args, node);
    },
    latestOpinionatedReviews: (args: PageArgs) => listed(opinions(found.repo, pull), args, node),
    reviewRequests: (args: PageArgs) =>
      listed(pull.reviewers, args, (login) => ({ asCodeOwner: false, requestedReviewer: actor(asking, login) })),
  };
}

function reviewNode(asking: Asking, repo: Repo, review: Review): object {
  return {
    id: `PRR_${review.id}`,
    databaseId: review.id,
    state: review.state,
    body: review.body,
    authorAssociation: associationOf(repo, review.author),
    author: () => actor(asking, review.author),
    submittedAt: timeText(review.submittedAt),
    createdAt: timeText(review.submittedAt),
    commit: () => ({ oid: review.sha }),
  };
}

/** A review thread. */
export function threadNode(
  asking: Asking,
  { repo }: Found,
  { pull, thread }: { readonly pull: Pull; readonly thread: Thread },
): object {
  return {
    id: `PRRT_${thread.id}`,
    isResolved: thread.isResolved,
    isOutdated: thread.line === null,
    path: thread.path,
    line: thread.line,
    originalLine: thread.originalLine,
    viewerCanReply: true,
    viewerCanResolve: !thread.isResolved,
    comments: (args: PageArgs) => listed(thread.comments, args, (comment) => threadCommentNode(asking, repo, { pull, comment })),
  };
}

/** A comment of a review thread. */
export function threadCommentNode(
  asking: Asking,
  repo: Repo,
  { pull, comment }: { readonly pull: Pull; readonly comment: ThreadComment },
): object {
  return {
    id: `PRRC_${comment.id}`,
    databaseId: comment.id,
    url: `${asking.web}/${repo.fullName}/pull/${pull.number}#discussion_r${comment.id}`,
    body: comment.body,
    createdAt: timeText(comment.createdAt),
    updatedAt: timeText(comment.updatedAt),
    isMinimized: false,
    viewerDidAuthor: comment.author === asking.viewer,
    authorAssociation: associationOf(repo, comment.author),
    author: () => actor(asking, comment.author),
  };
}

/** A pull request's place in the merge queue; positions begin at 1. */
export function entryNode(asking: Asking, found: Found, entry: QueueEntry): object {
  const pull = found.forge.pulls.find(({ number }) => number === entry.pull);
  return {
    id: `MQE_${entry.id}`,
    position: found.forge.queue.indexOf(entry) + 1,
    state: entry.state,
    enqueuedAt: timeText(entry.enqueuedAt),
    enqueuer: () => actor(asking, entry.enqueuedBy),
    estimatedTimeToMerge: null,
    jump: false,
    solo: false,
    baseCommit: null,
    headCommit: () => (entry.groupSha === null ? null : commitNode(asking, found, entry.groupSha)),
    pullRequest: () => (pull === undefined ? null : pullNode(asking, found, pull)),
  };
}
