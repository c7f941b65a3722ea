import { notFound, type RestAnswer, type RestRequest } from "../rest.ts";
import { repoOf } from "../state.ts";
import { Refusal } from "./refusal.ts";
import { branchRoutes } from "./rest-branches.ts";
import { checkRoutes } from "./rest-checks.ts";
import { pullRoutes } from "./rest-pulls.ts";
import { DOCS, type ForgeRequest, type Route, type Routes } from "./rest-request.ts";
import { reviewRoutes } from "./rest-reviews.ts";

const ROUTES: Routes = { ...branchRoutes, ...checkRoutes, ...pullRoutes, ...reviewRoutes };

/** True if the forge answers a request: it has the route, and the repository has git. */
export function isForgeRequest(request: RestRequest): boolean {
  return routeOf(request) !== undefined && repoOf(request.state, nameOf(request))?.forge !== undefined;
}

function routeOf({ operation }: RestRequest): Route | undefined {
  return ROUTES[`${operation.method} ${operation.path.slice("/repos/{owner}/{repo}".length)}`];
}

function nameOf({ operation }: RestRequest): string {
  return `${operation.parameters["owner"]}/${operation.parameters["repo"]}`;
}

/** Answers a request of the forge. */
export async function answerForge(request: Omit<ForgeRequest, "found">): Promise<RestAnswer> {
  const { operation, forge, state, viewer } = request;
  const route = routeOf(request);
  const found = forge.find(state, nameOf(request));
  if (route === undefined || found === undefined || found.repo.hiddenFrom.includes(viewer)) return notFound();
  if (operation.method !== "get" && !request.canWrite)
    return {
      status: 403,
      body: { message: "Resource not accessible by personal access token", documentation_url: DOCS, status: "403" },
    };
  try {
    const answer = await route({ ...request, found });
    if (answer.isWrite) forge.host.changed();
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, message, errors } = error;
    const more = errors === undefined ? { status: String(status) } : { errors };
    return { status, body: { message, documentation_url: DOCS, ...more } };
  }
}
