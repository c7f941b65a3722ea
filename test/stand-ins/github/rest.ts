import type { Operation } from "./openapi.ts";
import { type Bodies, commentBody, issueBody, labelBody } from "./rest-bodies.ts";
import { addComment, addIssue, addLabel, type Issue, milestoneOf, type Reason, type Repo, repoOf } from "./state.ts";

/** A request to the REST API that fits GitHub's description. */
export interface RestRequest extends Bodies {
  readonly operation: Operation;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly viewer: string;
  /** False if the viewer has no right to set labels. */
  readonly canLabel: boolean;
  readonly now: number;
}

/** Its answer. `next` is the number of the next page of a list. */
export interface RestAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly next?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if it changed something. */
  readonly isWrite?: boolean;
}

const DOCS = "https://docs.github.com/rest";

/** Answers a request. */
export function answerRest(request: RestRequest): RestAnswer {
  const { operation, state } = request;
  const { owner, repo: name, issue_number: number, comment_id: commentId } = operation.parameters;
  const repo = repoOf(state, `${owner}/${name}`);
  const isMoved = state.repos.some(({ formerName }) => formerName === `${owner}/${name}`);
  if (isMoved)
    return { status: 301, body: { message: "Moved Permanently", documentation_url: DOCS, url: `${request.api}/repositories/1` } };
  if (repo === undefined || repo.hiddenFrom.includes(request.viewer)) return notFound();
  if (commentId !== undefined) return withComment(request, repo, Number(commentId));
  if (number !== undefined) {
    const issue = repo.issues.find((each) => each.number === Number(number));
    return issue === undefined ? notFound() : withIssue(request, repo, issue);
  }
  switch (`${operation.method} ${operation.path}`) {
    case "get /repos/{owner}/{repo}/issues":
      return listIssues(request, repo);
    case "get /repos/{owner}/{repo}/issues/comments":
      return listComments(request, repo);
    case "post /repos/{owner}/{repo}/issues":
      return openIssue(request, repo);
    case "post /repos/{owner}/{repo}/labels":
      return makeLabel(request, repo);
    default:
      return notFound();
  }
}

export function notFound(): RestAnswer {
  return { status: 404, body: { message: "Not Found", documentation_url: DOCS, status: "404" } };
}

export function badCredentials(): RestAnswer {
  return { status: 401, body: { message: "Bad credentials", documentation_url: DOCS, status: "401" } };
}

function listIssues(request: RestRequest, repo: Repo): RestAnswer {
  const state = request.query.get("state") ?? "open";
  const since = Date.parse(request.query.get("since") ?? "1970-01-01T00:00:00Z");
  const issues = repo.issues.filter((issue) => (state === "all" || issue.state === state) && seconds(issue.updatedAt) >= since);
  return page(request, issues, (issue) => issueBody(request, repo, issue));
}

function listComments(request: RestRequest, repo: Repo): RestAnswer {
  const since = Date.parse(request.query.get("since") ?? "1970-01-01T00:00:00Z");
  const all = repo.issues.flatMap((issue) =>
    issue.comments.map((comment) => ({ issue, comment, updatedAt: comment.updatedAt, createdAt: comment.createdAt })),
  );
  const comments = all.filter(({ updatedAt }) => seconds(updatedAt) >= since);
  return page(request, comments, ({ issue, comment }) => commentBody(request, repo, issue, comment));
}

function page<T extends { readonly updatedAt: number; readonly createdAt: number }>(
  { query }: RestRequest,
  items: readonly T[],
  bodyOf: (item: T) => object,
): RestAnswer {
  const key = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const sign = query.get("direction") === "asc" ? 1 : -1;
  const sorted = [...items].sort((a, b) => sign * (a[key] - b[key]));
  const size = Math.min(100, Number(query.get("per_page") ?? 30));
  const at = Number(query.get("page") ?? 1);
  const body = sorted.slice((at - 1) * size, at * size).map(bodyOf);
  return { status: 200, body, ...(at * size < sorted.length && { next: at + 1 }) };
}

function openIssue(request: RestRequest, repo: Repo): RestAnswer {
  const { body, viewer, now, canLabel } = request;
  const labels = canLabel ? ((body["labels"] ?? []) as string[]) : [];
  const issue = addIssue(
    request.state,
    repo,
    { title: String(body["title"]), body: String(body["body"] ?? ""), author: viewer, labels },
    now,
  );
  return { status: 201, body: issueBody(request, repo, issue), isWrite: true };
}

function makeLabel({ body, canLabel, ...request }: RestRequest, repo: Repo): RestAnswer {
  const name = String(body["name"]);
  if (!canLabel) return notFound();
  if (repo.labels.some((each) => each.toLowerCase() === name.toLowerCase()))
    return {
      status: 422,
      body: {
        message: "Validation Failed",
        errors: [{ resource: "Label", code: "already_exists", field: "name" }],
        documentation_url: DOCS,
      },
    };
  repo.labels.push(name);
  return { status: 201, body: labelBody(request, repo, name), isWrite: true };
}

function withIssue(request: RestRequest, repo: Repo, issue: Issue): RestAnswer {
  const { operation, body, now, viewer, state, canLabel } = request;
  const labels = () => issue.labels.map((name) => labelBody(request, repo, name));
  switch (`${operation.method} ${operation.path.slice("/repos/{owner}/{repo}/issues/{issue_number}".length)}`) {
    case "patch ":
      update(issue, body, { viewer, now });
      if (typeof body["milestone"] === "string") issue.milestone = milestoneOf(repo, body["milestone"]);
      return { status: 200, body: issueBody(request, repo, issue), isWrite: true };
    case "post /comments": {
      const comment = addComment(state, issue, viewer, String(body["body"]), now);
      return { status: 201, body: commentBody(request, repo, issue, comment), isWrite: true };
    }
    case "post /labels":
      if (!canLabel) return notFound();
      for (const label of (body["labels"] ?? []) as string[]) addLabel(repo, issue, label);
      issue.updatedAt = now;
      return { status: 200, body: labels(), isWrite: true };
    case "delete /labels/{name}": {
      const found = issue.labels.find((each) => each.toLowerCase() === operation.parameters["name"]?.toLowerCase());
      if (found === undefined)
        return { status: 404, body: { message: "Label does not exist", documentation_url: DOCS, status: "404" } };
      issue.labels = issue.labels.filter((each) => each !== found);
      issue.updatedAt = now;
      return { status: 200, body: labels(), isWrite: true };
    }
    default:
      return notFound();
  }
}

function update(
  issue: Issue,
  body: Readonly<Record<string, unknown>>,
  { viewer, now }: { readonly viewer: string; readonly now: number },
): void {
  if (typeof body["title"] === "string") issue.title = body["title"];
  if (typeof body["body"] === "string") issue.body = body["body"];
  const state = body["state"] as Issue["state"] | undefined;
  // GitHub ignores the reason unless the state changes.
  if (state !== undefined && state !== issue.state) {
    issue.state = state;
    issue.stateReason = (body["state_reason"] as Reason | undefined) ?? (state === "closed" ? "completed" : "reopened");
    issue.closedAt = state === "closed" ? now : null;
    issue.closedBy = state === "closed" ? viewer : null;
    if (state === "closed") issue.closings.push(null);
  }
  issue.updatedAt = now;
}

/** An edited comment leaves its issue's time of update alone: the worst that may be. */
function withComment(request: RestRequest, repo: Repo, id: number): RestAnswer {
  const issue = repo.issues.find((each) => each.comments.some((comment) => comment.id === id));
  const comment = issue?.comments.find((each) => each.id === id);
  if (issue === undefined || comment === undefined) return notFound();
  if (comment.author !== request.viewer)
    return { status: 403, body: { message: "Must have admin rights to Repository.", documentation_url: DOCS } };
  if (request.operation.method === "delete") {
    issue.comments = issue.comments.filter((each) => each !== comment);
    return { status: 204, isWrite: true };
  }
  comment.body = String(request.body["body"]);
  comment.updatedAt = request.now;
  return { status: 200, body: commentBody(request, repo, issue, comment), isWrite: true };
}

function seconds(time: number): number {
  return Math.floor(time / 1000) * 1000;
}
