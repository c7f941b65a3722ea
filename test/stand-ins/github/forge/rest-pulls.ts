import type { RestAnswer } from "../rest.ts";
import { commentBody, userBody } from "../rest-bodies.ts";
import { addComment, associationOf, type Issue } from "../state.ts";
import { pullBody, simplePullBody } from "./bodies.ts";
import { issueOfPull } from "./host.ts";
import { UNKNOWN } from "./mergeability.ts";
import type { MergeMethod, Pull } from "./model.ts";
import { isOpen } from "./pulls.ts";
import { Refusal } from "./refusal.ts";
import { byNumber, type ForgeRequest, listAnswer, type Routes } from "./rest-request.ts";

/** Whose review can be requested. */
const REVIEWERS = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** Pull requests and their conversations. */
export const pullRoutes: Routes = {
  "get /pulls": list,
  "post /pulls": open,
  "get /pulls/{pull_number}": async (request) => show(request, requestedPull(request)),
  "patch /pulls/{pull_number}": update,
  "get /pulls/{pull_number}/merge": (request) => {
    if (requestedPull(request).mergedAt !== null) return { status: 204 };
    return { status: 404 };
  },
  "put /pulls/{pull_number}/merge": merge,
  "get /pulls/{pull_number}/requested_reviewers": (request) => ({
    status: 200,
    body: { users: requestedPull(request).reviewers.map((login) => userBody(request, login)), teams: [] },
  }),
  "post /pulls/{pull_number}/requested_reviewers": (request) => {
    const pull = requestedPull(request);
    const asked = (request.body["reviewers"] ?? []) as string[];
    const { repo } = request.found;
    if (asked.includes(issueOfPull(repo, pull).author))
      throw new Refusal(422, "Review cannot be requested from pull request author.");
    if (asked.some((login) => !REVIEWERS.has(associationOf(repo, login))))
      throw new Refusal(
        422,
        `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${repo.fullName} repository.`,
      );
    pull.reviewers = [...new Set([...pull.reviewers, ...asked])];
    return { status: 201, body: simplePullBody(request, request.found, pull), isWrite: true };
  },
  "delete /pulls/{pull_number}/requested_reviewers": (request) => {
    const pull = requestedPull(request);
    const gone = (request.body["reviewers"] ?? []) as string[];
    pull.reviewers = pull.reviewers.filter((login) => !gone.includes(login));
    return { status: 200, body: simplePullBody(request, request.found, pull), isWrite: true };
  },
  "get /issues/{issue_number}/comments": (request) => {
    const issue = requestedIssue(request);
    return listAnswer(request, issue.comments, (comment) => commentBody(request, request.found.repo, issue, comment));
  },
  "post /issues/{issue_number}/comments": (request) => {
    const issue = requestedIssue(request);
    const comment = addComment(request.state, issue, request.viewer, String(request.body["body"]), request.now);
    return { status: 201, body: commentBody(request, request.found.repo, issue, comment), isWrite: true };
  },
};

/** The pull request that the address names. */
export function requestedPull({ found, operation }: ForgeRequest): Pull {
  return byNumber(found.forge.pulls, ({ number }) => number, operation.parameters["pull_number"]);
}

function requestedIssue({ found, operation }: ForgeRequest): Issue {
  return byNumber(found.repo.issues, ({ number }) => number, operation.parameters["issue_number"]);
}

async function show(request: ForgeRequest, pull: Pull): Promise<RestAnswer> {
  const mergeability = await request.forge.mergeability.read(request.found, pull);
  return { status: 200, body: await pullBody(request, request.found, pull, mergeability) };
}

function list(request: ForgeRequest): RestAnswer {
  const { found, query } = request;
  const { repo, forge } = found;
  const state = query.get("state") ?? "open";
  const [head, base] = [query.get("head"), query.get("base")];
  const owner = repo.fullName.split("/")[0];
  const key = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const sign = query.get("direction") === "asc" ? 1 : -1;
  const order = (pull: Pull) => issueOfPull(repo, pull)[key];
  const pulls = forge.pulls
    .filter((pull) => state === "all" || (state === "open") === isOpen(found, pull))
    // GitHub ignores a head that names no owner.
    .filter(({ fork, headRef }) => head === null || !head.includes(":") || head === `${fork ?? owner}:${headRef}`)
    .filter(({ baseRef }) => base === null || base === baseRef)
    .sort((a, b) => sign * (order(a) - order(b) || a.number - b.number));
  return listAnswer(request, pulls, (pull) => simplePullBody(request, found, pull));
}

async function open(request: ForgeRequest): Promise<RestAnswer> {
  const { forge, found, body, viewer } = request;
  const pull = await forge.pulls.open(found.repo.fullName, {
    title: String(body["title"] ?? ""),
    body: String(body["body"] ?? ""),
    head: String(body["head"]),
    base: String(body["base"]),
    isDraft: body["draft"] === true,
    author: viewer,
  });
  return { status: 201, body: await pullBody(request, found, pull, UNKNOWN), isWrite: true };
}

async function update(request: ForgeRequest): Promise<RestAnswer> {
  const { forge, found, body, viewer, now } = request;
  const pull = requestedPull(request);
  const { fullName } = found.repo;
  const issue = issueOfPull(found.repo, pull);
  if (typeof body["base"] === "string" && body["base"] !== pull.baseRef)
    await forge.pulls.retarget(fullName, pull.number, body["base"]);
  if (typeof body["title"] === "string") issue.title = body["title"];
  if (typeof body["body"] === "string") issue.body = body["body"];
  if (body["state"] === "closed") forge.pulls.close(fullName, pull.number, viewer);
  if (body["state"] === "open" && issue.state === "closed") await forge.pulls.reopen(fullName, pull.number);
  issue.updatedAt = now;
  return { ...(await show(request, pull)), isWrite: true };
}

async function merge({ forge, found, body, viewer, operation }: ForgeRequest): Promise<RestAnswer> {
  const text = (name: string) => (typeof body[name] === "string" ? body[name] : undefined);
  const number = Number(operation.parameters["pull_number"]);
  byNumber(found.forge.pulls, (pull) => pull.number, operation.parameters["pull_number"]);
  const sha = await forge.pulls.merge(found.repo.fullName, number, {
    by: viewer,
    method: (text("merge_method") ?? "merge") as MergeMethod,
    sha: text("sha"),
    title: text("commit_title"),
    message: text("commit_message"),
  });
  return { status: 200, body: { sha, merged: true, message: "Pull Request successfully merged" }, isWrite: true };
}
