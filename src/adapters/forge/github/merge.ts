import { z } from "zod";
import type { PullRequestMerge, PullRequests } from "../../../ports/forge.ts";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { Anything, COST, type GitHubRepository } from "./repository.ts";
import type { MergeMethod, RulesReader } from "./rules.ts";

/** The order in which methods are tried. */
const METHODS: readonly MergeMethod[] = ["squash", "merge", "rebase"];
/** Refusals that a person has to read; with any other, GitHub cannot be asked. */
const ANSWERS = new Set([403, 405, 409, 422]);
/** How GitHub's own words begin if something moved while it merged: names of checks may stand later in others. */
const MOVED = /^[^:]*: (?:head|base) branch was modified\b/i;

const NOW = `query ($owner: String!, $name: String!, $number: Int!) { ${COST}
  repository(owner: $owner, name: $name) { squashMergeAllowed mergeCommitAllowed rebaseMergeAllowed
    pullRequest(number: $number) { id state headRefOid baseRefName isMergeQueueEnabled isInMergeQueue mergeCommit { oid } } } }`;
const Now = z.object({
  repository: z.object({
    squashMergeAllowed: z.boolean(),
    mergeCommitAllowed: z.boolean(),
    rebaseMergeAllowed: z.boolean(),
    pullRequest: z.object({
      id: z.string(),
      state: z.enum(["OPEN", "CLOSED", "MERGED"]),
      headRefOid: z.string(),
      baseRefName: z.string(),
      isMergeQueueEnabled: z.boolean(),
      isInMergeQueue: z.boolean(),
      mergeCommit: z.object({ oid: z.string() }).nullable(),
    }),
  }),
});
type Now = z.infer<typeof Now>["repository"];

const ENQUEUE = `mutation ($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { mergeQueueEntry { id } } }`;
const Merged = z.object({ merged: z.literal(true), sha: z.string() });

type Request = Parameters<PullRequests["merge"]>[0];

/** The repository, and the branch of it that takes the merge. */
interface MergeTarget {
  readonly repository: GitHubRepository;
  readonly rules: RulesReader;
  readonly base: string;
  /** The batch's own choice; the repository must allow it. */
  readonly method: MergeMethod | undefined;
}

/** Merges a pull request as its repository wants it: through its queue, or by a method that it allows. */
export async function mergePullRequest(target: MergeTarget, request: Request): Promise<PullRequestMerge> {
  const now = await look(target, request.number);
  const settled = settledAt(target, now, request);
  if (settled !== undefined) return settled;
  try {
    return now.pullRequest.isMergeQueueEnabled ? await enqueue(target, now, request) : await mergeDirectly(target, now, request);
  } catch (error) {
    const isAnswer = error instanceof GitHubRefusal && ANSWERS.has(error.status);
    if (!isAnswer && !(error instanceof LostAnswer)) throw error;
    target.rules.forget();
    const after = settledAt(target, await look(target, request.number), request);
    if (after !== undefined) return after;
    if (!isAnswer) throw error;
    return MOVED.test(error.message) ? { as: "changed" } : { as: "refused", reason: error.message };
  }
}

async function look({ repository: asked }: MergeTarget, number: number): Promise<Now> {
  const { repository } = await asked.query("read the pull request", Now, { text: NOW, variables: { number } });
  return repository;
}

/** The answer to the request if the pull request cannot be merged any more, or is in the queue. */
function settledAt({ base }: MergeTarget, { pullRequest: now }: Now, { head }: Request): PullRequestMerge | undefined {
  if (now.headRefOid !== head || now.baseRefName !== base) return { as: "changed" };
  if (now.state === "MERGED" && now.mergeCommit !== null) return { as: "merged", commit: now.mergeCommit.oid };
  if (now.state !== "OPEN") return { as: "changed" };
  return now.isInMergeQueue ? { as: "queued" } : undefined;
}

async function enqueue({ repository }: MergeTarget, { pullRequest: { id } }: Now, { head }: Request): Promise<PullRequestMerge> {
  await repository.mutate("put the pull request into the merge queue", Anything, {
    text: ENQUEUE,
    variables: { id, head },
  });
  return { as: "queued" };
}

async function mergeDirectly(target: MergeTarget, now: Now, request: Request): Promise<PullRequestMerge> {
  const methods = await mergeMethods(target, now);
  for (const [at, method] of methods.entries()) {
    try {
      return { as: "merged", commit: await mergeBy(target, method, request) };
    } catch (error) {
      // Not all rules about methods can be read by every token.
      const isOther = error instanceof GitHubRefusal && error.status === 405 && /\bnot allowed\b/i.test(error.message);
      if (!isOther || at === methods.length - 1) throw error;
    }
  }
  return { as: "refused", reason: "the repository and the rules of its base allow no way to merge" };
}

async function mergeMethods({ method, rules }: MergeTarget, now: Now): Promise<readonly MergeMethod[]> {
  if (method !== undefined) return [method];
  const allowed = { squash: now.squashMergeAllowed, merge: now.mergeCommitAllowed, rebase: now.rebaseMergeAllowed };
  const { hasLinearHistory, allows } = await rules.read();
  return METHODS.filter((each) => allowed[each] && allows(each) && !(each === "merge" && hasLinearHistory));
}

async function mergeBy(
  { repository }: MergeTarget,
  merge_method: MergeMethod,
  { number, head, title, body }: Request,
): Promise<string> {
  const { sha } = await repository.write("merge the pull request", Merged, (rest, name) =>
    rest.pulls.merge({ ...name, pull_number: number, sha: head, merge_method, commit_title: title, commit_message: body }),
  );
  return sha;
}
