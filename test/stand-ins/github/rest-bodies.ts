import { associationOf, type Comment, type Issue, type Repo, type State, timeText, userOf } from "./state.ts";

/** Bodies of answers, as GitHub's REST API has them. `api` is its address. */
export interface Bodies {
  readonly state: State;
  readonly api: string;
  readonly web: string;
}

export function issueBody(bodies: Bodies, repo: Repo, issue: Issue): object {
  const { api, web } = bodies;
  const url = `${api}/repos/${repo.fullName}/issues/${issue.number}`;
  const milestone = repo.milestones.find(({ number }) => number === issue.milestone);
  const page = `${web}/${repo.fullName}/${issue.isPullRequest ? "pull" : "issues"}/${issue.number}`;
  const people = issue.assignees.map((login) => userBody(bodies, login));
  return {
    id: issue.id,
    node_id: `I_${issue.id}`,
    url,
    repository_url: `${api}/repos/${repo.fullName}`,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    number: issue.number,
    state: issue.state,
    state_reason: issue.stateReason,
    title: issue.title,
    body: issue.body,
    user: userBody(bodies, issue.author),
    labels: issue.labels.map((name) => labelBody(bodies, repo, name)),
    assignee: people[0] ?? null,
    assignees: people,
    milestone: milestone === undefined ? null : milestoneBody(bodies, repo, milestone),
    locked: false,
    comments: issue.comments.length,
    closed_at: issue.closedAt === null ? null : timeText(issue.closedAt),
    created_at: timeText(issue.createdAt),
    updated_at: timeText(issue.updatedAt),
    author_association: associationOf(repo, issue.author),
    ...(issue.isPullRequest && {
      pull_request: { url: `${url}`, html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` },
    }),
    issue_dependencies_summary: {
      blocked_by: issue.blockedBy.length,
      blocking: 0,
      total_blocked_by: issue.blockedBy.length,
      total_blocking: 0,
    },
    sub_issues_summary: { total: issue.subIssues.length, completed: 0, percent_completed: 0 },
  };
}

export function commentBody(bodies: Bodies, repo: Repo, issue: Issue, comment: Comment): object {
  const { api, web } = bodies;
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url: `${api}/repos/${repo.fullName}/issues/comments/${comment.id}`,
    html_url: `${web}/${repo.fullName}/issues/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/repos/${repo.fullName}/issues/${issue.number}`,
    body: comment.body,
    user: userBody(bodies, comment.author),
    author_association: associationOf(repo, comment.author),
    created_at: timeText(comment.createdAt),
    updated_at: timeText(comment.updatedAt),
  };
}

export function labelBody({ api }: Bodies, repo: Repo, name: string): object {
  const id = repo.id + repo.labels.indexOf(name) + 1;
  const url = `${api}/repos/${repo.fullName}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: `LA_${id}`, url, name, description: null, color: "ededed", default: false };
}

function milestoneBody(
  bodies: Bodies,
  repo: Repo,
  { number, title }: { readonly number: number; readonly title: string },
): object {
  const url = `${bodies.api}/repos/${repo.fullName}/milestones/${number}`;
  return {
    id: number,
    node_id: `MI_${number}`,
    url,
    html_url: `${bodies.web}/${repo.fullName}/milestone/${number}`,
    labels_url: `${url}/labels`,
    number,
    title,
    description: null,
    creator: null,
    open_issues: 0,
    closed_issues: 0,
    state: "open",
    created_at: timeText(0),
    updated_at: timeText(0),
    due_on: null,
    closed_at: null,
  };
}

export function userBody({ state, api, web }: Bodies, login: string): object {
  const { id, isBot } = userOf(state, login);
  const url = `${api}/users/${login}`;
  const links = [
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "organizations",
    "repos",
    "events",
    "received_events",
  ];
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `${web}/${login}.png`,
    gravatar_id: "",
    url,
    html_url: `${web}/${login}`,
    ...Object.fromEntries(links.map((link) => [`${link}_url`, `${url}/${link}`])),
    type: isBot ? "Bot" : "User",
    site_admin: false,
  };
}
