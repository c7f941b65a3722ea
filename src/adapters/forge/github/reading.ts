import { z } from "zod";
import type { Comment, PullRequestState, ReviewThread } from "../../../domain/forge/pull-request.ts";
import { boundedHead, plainText } from "../../../domain/values/text.ts";
import { ForgeUnavailable } from "../../../ports/forge.ts";
import { CHECK_FIELDS, checkName, currentChecks, GitHubCheck, plainUrl, workflowProgress } from "./checks.ts";
import { COST, type GitHubRepository } from "./repository.ts";
import type { RulesReader } from "./rules.ts";
import {
  Actor,
  AUTHOR_FIELDS,
  countingWords,
  hasSay,
  isBot,
  isSame,
  newestWords,
  plainLogin,
  THREAD_FIELDS,
  Thread,
  threadId,
} from "./threads.ts";

/** Characters of a thread, or of a comment. */
const MAX_WORDS = 4000;
/** Pages of checks of one commit; each has a hundred. */
const MOST_PAGES = 20;

/** The checks of a commit, a hundred at a time. */
const CONTEXTS = `pageInfo { hasNextPage endCursor } nodes { ${CHECK_FIELDS} }`;

const WHOLE = `query ($owner: String!, $name: String!, $number: Int!) { ${COST} viewer { login }
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    number url state headRefOid baseRefName mergeStateStatus reviewDecision isMergeQueueEnabled
    mergeCommit { oid } mergeQueueEntry { position headCommit { statusCheckRollup { state } } }
    timelineItems(last: 1, itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT]) { nodes { ... on RemovedFromMergeQueueEvent { id reason } } }
    reviewThreads(last: 100) { nodes { ${THREAD_FIELDS} } }
    comments(last: 100) { nodes { id body createdAt isMinimized ${AUTHOR_FIELDS} } }
    reviews(last: 100, states: [CHANGES_REQUESTED]) { nodes { id body submittedAt ${AUTHOR_FIELDS} } }
    latestOpinionatedReviews(last: 100, writersOnly: true) { nodes { state commit { oid } } }
    commits(last: 1) { nodes { commit { oid statusCheckRollup { contexts(first: 100) { ${CONTEXTS} } } } } }
  } } }`;

const MORE_CHECKS = `query ($owner: String!, $name: String!, $number: Int!, $oid: GitObjectID!, $after: String!) { ${COST}
  repository(owner: $owner, name: $name) { object(oid: $oid) { ... on Commit {
    statusCheckRollup { contexts(first: 100, after: $after) { ${CONTEXTS} } } } } } }`;

const Rollup = z
  .object({
    contexts: z.object({
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
      nodes: z.array(GitHubCheck),
    }),
  })
  .nullable();

const Whole = z.object({
  viewer: z.object({ login: z.string() }),
  repository: z.object({
    pullRequest: z.object({
      number: z.number(),
      url: z.string(),
      state: z.enum(["OPEN", "CLOSED", "MERGED"]),
      headRefOid: z.string(),
      baseRefName: z.string(),
      mergeStateStatus: z.enum(["BEHIND", "BLOCKED", "CLEAN", "DIRTY", "DRAFT", "HAS_HOOKS", "UNKNOWN", "UNSTABLE"]),
      reviewDecision: z.enum(["APPROVED", "CHANGES_REQUESTED", "REVIEW_REQUIRED"]).nullable(),
      isMergeQueueEnabled: z.boolean(),
      mergeCommit: z.object({ oid: z.string() }).nullable(),
      mergeQueueEntry: z
        .object({
          position: z.number(),
          headCommit: z.object({ statusCheckRollup: z.object({ state: z.string() }).nullable() }).nullable(),
        })
        .nullable(),
      timelineItems: z.object({ nodes: z.array(z.object({ id: z.string().optional(), reason: z.string().nullish() })) }),
      reviewThreads: z.object({ nodes: z.array(Thread) }),
      comments: z.object({
        nodes: z.array(
          z.object({
            id: z.string(),
            body: z.string(),
            createdAt: z.string(),
            isMinimized: z.boolean(),
            authorAssociation: z.string(),
            author: Actor,
          }),
        ),
      }),
      reviews: z.object({
        nodes: z.array(
          z.object({
            id: z.string(),
            body: z.string(),
            submittedAt: z.string().nullable(),
            authorAssociation: z.string(),
            author: Actor,
          }),
        ),
      }),
      latestOpinionatedReviews: z.object({
        nodes: z.array(z.object({ state: z.string(), commit: z.object({ oid: z.string() }).nullable() })),
      }),
      commits: z.object({ nodes: z.array(z.object({ commit: z.object({ oid: z.string(), statusCheckRollup: Rollup }) })) }),
    }),
  }),
});
type Pull = z.infer<typeof Whole>["repository"]["pullRequest"];

const MoreChecks = z.object({ repository: z.object({ object: z.object({ statusCheckRollup: Rollup }).nullable() }) });

const MERGE = {
  CLEAN: "ready",
  HAS_HOOKS: "ready",
  UNSTABLE: "ready",
  BLOCKED: "blocked",
  DRAFT: "blocked",
  BEHIND: "behind",
  DIRTY: "conflict",
  UNKNOWN: "unknown",
} as const;
const REVIEW = { REVIEW_REQUIRED: "approval-missing", CHANGES_REQUESTED: "changes-requested" } as const;
const STATE = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const;

/** The repository, and the rules of the base of its pull requests. */
interface ReadTarget {
  readonly repository: GitHubRepository;
  readonly rules: RulesReader;
}

/** Reads a pull request: by one query, if the rules are known and there are at most a hundred checks. */
export async function readPullRequest(target: ReadTarget, number: number): Promise<PullRequestState> {
  target.repository.beginReading(number);
  const { viewer, repository } = await target.repository.query("read the pull request", Whole, {
    text: WHOLE,
    variables: { number },
  });
  const pull = repository.pullRequest;
  const all = await checksOfHead(target.repository, pull);
  const required = new Set(all.filter(({ isRequired }) => isRequired).map(requiredName));
  const rules = await target.rules.readFor(required);
  return {
    number: pull.number,
    url: plainUrl(pull.url),
    state: STATE[pull.state],
    head: pull.headRefOid,
    base: pull.baseRefName,
    ...(pull.state === "MERGED" && pull.mergeCommit !== null && { mergeCommit: pull.mergeCommit.oid }),
    merge: MERGE[pull.mergeStateStatus],
    checks: currentChecks(all, rules.checks),
    workflows: workflowProgress(all),
    requiredChecks: [...new Set([...rules.checks, ...required])],
    review: reviewState(pull, rules.approvals),
    threads: pull.reviewThreads.nodes.flatMap((thread) => openThread(thread, viewer.login)),
    comments: listComments(pull, viewer.login),
    ...queueState(pull),
    usesQueue: pull.isMergeQueueEnabled,
  };
}

function queueState({ mergeQueueEntry: entry, timelineItems }: Pull): Partial<PullRequestState> {
  const { id, reason } = timelineItems.nodes.at(-1) ?? {};
  const place = entry && {
    queuePosition: Math.max(1, entry.position),
    isQueueChecking: (entry.headCommit?.statusCheckRollup ?? null) !== null,
  };
  return { ...place, letGo: id === undefined ? undefined : { id, reason: plainText(reason ?? "", 200) } };
}

/** The checks of the head. None if the newest commit that GitHub shows is another one: its parts may be of different times. */
async function checksOfHead(
  repository: GitHubRepository,
  { number, headRefOid, commits }: Pull,
): Promise<readonly GitHubCheck[]> {
  const commit = commits.nodes.find((each) => each.commit.oid === headRefOid)?.commit;
  const checks: GitHubCheck[] = [];
  let rollup = commit?.statusCheckRollup ?? null;
  for (let page = 1; rollup !== null; page += 1) {
    const { nodes, pageInfo } = rollup.contexts;
    checks.push(...nodes);
    if (!pageInfo.hasNextPage) break;
    if (page === MOST_PAGES) throw new ForgeUnavailable(`#${number} has more than ${MOST_PAGES * 100} checks`);
    const variables = { number, oid: headRefOid, after: pageInfo.endCursor };
    const more = await repository.query("read more checks", MoreChecks, { text: MORE_CHECKS, variables });
    rollup = more.repository.object?.statusCheckRollup ?? null;
  }
  return checks;
}

/**
 * The decision of the reviews. Approvals of an older commit do not count, even if the repository keeps them: nobody has seen what was pushed
 * since.
 */
function reviewState({ reviewDecision, latestOpinionatedReviews, headRefOid }: Pull, wanted: number): PullRequestState["review"] {
  if (reviewDecision === null) return "none";
  if (reviewDecision !== "APPROVED") return REVIEW[reviewDecision];
  const isOfHead = (review: { readonly state: string; readonly commit: { readonly oid: string } | null }) =>
    review.state === "APPROVED" && review.commit?.oid === headRefOid;
  return latestOpinionatedReviews.nodes.filter(isOfHead).length >= wanted ? "approved" : "approval-missing";
}

function requiredName(check: GitHubCheck): string {
  return checkName(check.__typename === "CheckRun" ? check.name : check.context);
}

/** The thread, unless it is resolved or nobody who counts has said anything in it. */
function openThread(thread: Thread, self: string): readonly ReviewThread[] {
  const words = countingWords(thread, self);
  const first = words.find(({ author }) => !isSame(author, self));
  if (thread.isResolved || first === undefined) return [];
  const path = plainText(thread.path, 300);
  const body = words.map((comment) => comment.body).join("\n\n");
  return [
    {
      id: threadId(thread, newestWords(thread, self)),
      place: thread.line === null ? path : `${path}:${thread.line}`,
      author: plainLogin(first.author),
      isBot: isBot(first.author),
      body: boundedHead(body, MAX_WORDS),
      isOutdated: thread.isOutdated || undefined,
    },
  ];
}

function listComments({ comments, reviews }: Pull, self: string): readonly Comment[] {
  const said = [
    ...comments.nodes.filter(({ isMinimized }) => !isMinimized).map(({ createdAt, ...each }) => ({ ...each, at: createdAt })),
    ...reviews.nodes
      .filter(({ body }) => body.trim() !== "")
      .map(({ submittedAt, ...each }) => ({ ...each, at: submittedAt ?? "" })),
  ];
  return said
    .filter((each) => hasSay(each) && !isBot(each.author) && !isSame(each.author, self))
    .map(({ id, author, body, at }) => ({
      id,
      author: plainLogin(author),
      body: boundedHead(body, MAX_WORDS),
      at: Number.isNaN(Date.parse(at)) ? 0 : Date.parse(at),
    }));
}
