import type { PullRequests } from "../../../ports/forge.ts";
import type { GitRemote } from "../../../ports/vcs.ts";
import type { ClientOptions } from "../../github/client.ts";
import { readFailedChecks, readHistory } from "./failures.ts";
import { mergePullRequest } from "./merge.ts";
import { propose } from "./propose.ts";
import { readPullRequest } from "./reading.ts";
import { removeBranch } from "./remove-branch.ts";
import { GitHubRepository, reached } from "./repository.ts";
import { requestReview } from "./request-review.ts";
import { rerunJobs } from "./rerun.ts";
import { type MergeMethod, RulesReader } from "./rules.ts";
import { answerThreads } from "./threads.ts";

/** A repository of GitHub, and how its pull requests are made and merged. */
export interface PullRequestsOptions extends Omit<ClientOptions, "rights"> {
  /** `owner/name`. */
  readonly repo: string;
  /** The branch that pull requests are to land on. */
  readonly base: string;
  /** The same repository for git. */
  readonly remote: GitRemote;
  /** The way to merge them; default: the first of squash, merge and rebase that the repository allows. */
  readonly method?: MergeMethod | undefined;
}

/** Pull requests of GitHub, and what the start of a run asks beside them. */
export interface GitHubPullRequests extends PullRequests {
  /** True if rules of the base refuse a push to it, as far as the token may see them. */
  baseRefusesPushes(): Promise<boolean>;
}

/** The pull requests of a repository of GitHub. Asks it nothing yet. */
export function createPullRequests({ repo, base, remote, method, ...access }: PullRequestsOptions): GitHubPullRequests {
  const repository = new GitHubRepository(repo, access);
  const rules = new RulesReader(repository, { branch: base, now: access.now });
  const target = { repository, rules, remote, base, method };
  return {
    name: repository.fullName,
    pauseMs: (waited) => repository.pauseMs(waited),
    baseRefusesPushes: async () => (await reached(rules.read())).refusesPushes,
    propose: (proposal, signal) => reached(propose(target, proposal, signal)),
    read: (number) => reached(readPullRequest(target, number)),
    merge: (request) => reached(mergePullRequest(target, request)),
    failures: (head, names) => reached(readFailedChecks(repository, head, names)),
    history: (commit, names) => reached(readHistory(repository, commit, names)),
    rerun: (head, names) => reached(rerunJobs(repository, head, names)),
    requestReview: (number, login) => reached(requestReview(repository, number, login)),
    answer: (number, threads, text) => reached(answerThreads(repository, number, { threads, text })),
    removeBranch: async (branch, at) => {
      if (branch === base) throw new Error(`${base} is the base and is not removed`);
      await reached(removeBranch(repository, branch, at));
    },
  };
}
