import type { RestRequest } from "../rest.ts";
import { userBody } from "../rest-bodies.ts";
import { associationOf, type Repo, timeText } from "../state.ts";
import { git } from "./git.ts";
import { type Found, issueOfPull } from "./host.ts";
import type { Mergeability } from "./mergeability.ts";
import type { Pull, Review, Thread, ThreadComment } from "./model.ts";

/** What every body needs: the addresses, and the state for users. */
export type At = Pick<RestRequest, "api" | "web" | "state">;

export function timeOrNull(time: number | null): string | null {
  return time === null ? null : timeText(time);
}

/** Parts of a repository's address that its bodies name. */
const PARTS =
  "archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees";

/** A repository. `canPush` is whether the viewer may write. */
export function repositoryBody(
  at: At,
  { repo, forge }: Found,
  right: { readonly canPush: boolean; readonly isAdmin: boolean },
): object {
  const { api, web } = at;
  const [owner = "", name = ""] = repo.fullName.split("/");
  const url = `${api}/repos/${repo.fullName}`;
  const page = `${web}/${repo.fullName}`;
  const open = repo.issues.filter(({ state }) => state === "open").length;
  return {
    ...minimalRepositoryBody(at, repo),
    owner: userBody(at, owner),
    clone_url: `${page}.git`,
    git_url: `${page}.git`,
    ssh_url: `git@github.com:${repo.fullName}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: forge.defaultBranch,
    ...counts([
      "forks",
      "forks_count",
      "stargazers_count",
      "watchers",
      "watchers_count",
      "network_count",
      "subscribers_count",
      "size",
    ]),
    open_issues: open,
    open_issues_count: open,
    has_downloads: true,
    has_issues: true,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: "public",
    pushed_at: timeText(0),
    created_at: timeText(0),
    updated_at: timeText(0),
    permissions: { admin: right.isAdmin, push: right.canPush, pull: true },
    allow_squash_merge: forge.settings.allowSquash,
    allow_merge_commit: forge.settings.allowMerge,
    allow_rebase_merge: forge.settings.allowRebase,
    delete_branch_on_merge: forge.settings.deletesBranchOnMerge,
    url,
    name,
  };
}

export function minimalRepositoryBody(at: At, repo: Repo): object {
  const [owner = "", name = ""] = repo.fullName.split("/");
  const url = `${at.api}/repos/${repo.fullName}`;
  return {
    id: repo.id,
    node_id: `R_${repo.id}`,
    name,
    full_name: repo.fullName,
    owner: userBody(at, owner),
    private: false,
    html_url: `${at.web}/${repo.fullName}`,
    description: null,
    fork: false,
    url,
    ...Object.fromEntries(PARTS.split(" ").map((part) => [`${part}_url`, `${url}/${part}`])),
  };
}

function counts(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

export function pullUrl({ api }: At, repo: Repo, { number }: Pull): string {
  return `${api}/repos/${repo.fullName}/pulls/${number}`;
}

/** A pull request as lists have it. */
export function simplePullBody(at: At, found: Found, pull: Pull): object {
  const { repo } = found;
  const issue = issueOfPull(repo, pull);
  const url = pullUrl(at, repo, pull);
  const issueUrl = `${at.api}/repos/${repo.fullName}/issues/${pull.number}`;
  const page = `${at.web}/${repo.fullName}/pull/${pull.number}`;
  const links = {
    comments: `${issueUrl}/comments`,
    commits: `${url}/commits`,
    statuses: `${at.api}/repos/${repo.fullName}/statuses/${pull.headSha}`,
    html: page,
    issue: issueUrl,
    review_comments: `${url}/comments`,
    review_comment: `${url}/comments{/number}`,
    self: url,
  };
  return {
    url,
    id: issue.id,
    node_id: `PR_${issue.id}`,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    number: pull.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: userBody(at, issue.author),
    body: issue.body === "" ? null : issue.body,
    labels: [],
    milestone: null,
    created_at: timeText(issue.createdAt),
    updated_at: timeText(issue.updatedAt),
    closed_at: timeOrNull(issue.closedAt),
    merged_at: timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeSha,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.reviewers.map((login) => userBody(at, login)),
    requested_teams: [],
    head: headOf(at, found, pull),
    base: end(at, found, { ref: pull.baseRef, sha: pull.baseSha }),
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    author_association: associationOf(repo, issue.author),
    auto_merge: null,
    draft: pull.isDraft,
  };
}

/** A person's fork of a repository, as far as bodies show it. */
function forkOf({ repo, ...found }: Found, owner: string): Found {
  const fullName = `${owner}/${repo.fullName.split("/")[1] ?? ""}`;
  return { ...found, repo: { ...repo, id: repo.id + 1_000_000_000, fullName, issues: [] } };
}

function headOf(at: At, found: Found, { fork, headRef: ref, headSha: sha }: Pull): object {
  if (fork === null) return end(at, found, { ref, sha });
  const head = end(at, forkOf(found, fork), { ref, sha });
  return { ...head, repo: { ...head.repo, fork: true } };
}

function end(at: At, found: Found, { ref, sha }: { readonly ref: string; readonly sha: string }) {
  const owner = found.repo.fullName.split("/")[0] ?? "";
  const repo = repositoryBody(at, found, { canPush: false, isAdmin: false });
  return { label: `${owner}:${ref}`, ref, sha, user: userBody(at, owner), repo };
}

/** A pull request as its own address has it. */
export async function pullBody(at: At, found: Found, pull: Pull, { isMergeable, state }: Mergeability): Promise<object> {
  const { repo, folder } = found;
  const range = `${pull.baseSha}...${pull.headSha}`;
  const commits = await git(folder, ["rev-list", "--count", `${pull.baseSha}..${pull.headSha}`]);
  const lines = (await git(folder, ["diff", "--numstat", "--no-ext-diff", range])).split("\n").filter((line) => line !== "");
  const sum = (column: number) => lines.reduce((total, line) => total + (Number(line.split("\t")[column]) || 0), 0);
  return {
    ...simplePullBody(at, found, pull),
    merged: pull.mergedAt !== null,
    merged_by: pull.mergedBy === null ? null : userBody(at, pull.mergedBy),
    mergeable: isMergeable,
    rebaseable: isMergeable,
    mergeable_state: state,
    comments: issueOfPull(repo, pull).comments.length,
    review_comments: pull.threads.reduce((total, { comments }) => total + comments.length, 0),
    maintainer_can_modify: false,
    commits: Number(commits),
    additions: sum(0),
    deletions: sum(1),
    changed_files: lines.length,
  };
}

export function reviewBody(at: At, { repo }: Found, pull: Pull, review: Review): object {
  const page = `${at.web}/${repo.fullName}/pull/${pull.number}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: userBody(at, review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl(at, repo, pull),
    _links: { html: { href: page }, pull_request: { href: pullUrl(at, repo, pull) } },
    submitted_at: timeText(review.submittedAt),
    commit_id: review.sha,
    author_association: associationOf(repo, review.author),
  };
}

export function reviewCommentBody(
  at: At,
  { repo }: Found,
  { pull, thread, comment }: { readonly pull: Pull; readonly thread: Thread; readonly comment: ThreadComment },
): object {
  const url = `${at.api}/repos/${repo.fullName}/pulls/comments/${comment.id}`;
  const page = `${at.web}/${repo.fullName}/pull/${pull.number}#discussion_r${comment.id}`;
  const first = thread.comments[0];
  return {
    url,
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    pull_request_review_id: comment.reviewId,
    diff_hunk: `@@ -${thread.originalLine} +${thread.originalLine} @@`,
    path: thread.path,
    commit_id: thread.line === null ? thread.sha : pull.headSha,
    original_commit_id: thread.sha,
    ...(first !== comment && first !== undefined && { in_reply_to_id: first.id }),
    ...(thread.line !== null && { line: thread.line }),
    original_line: thread.originalLine,
    side: "RIGHT",
    subject_type: "line",
    user: userBody(at, comment.author),
    body: comment.body,
    created_at: timeText(comment.createdAt),
    updated_at: timeText(comment.updatedAt),
    html_url: page,
    pull_request_url: pullUrl(at, repo, pull),
    author_association: associationOf(repo, comment.author),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl(at, repo, pull) } },
  };
}
