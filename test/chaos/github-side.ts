import { createGitHubService } from "../../src/adapters/tracker/github/github-service.ts";
import type { GitHubSpec } from "../../src/domain/batch/tracker-spec.ts";
import { RepoId, TicketId } from "../../src/domain/values/ids.ts";
import type { Fault } from "../stand-ins/github/fault.ts";
import { GitHubStandIn } from "../stand-ins/github/server.ts";
import type { Mishap } from "./faults.ts";
import { type RealIssue, type ServiceSide, type SideOptions, stepIn, Tokens, withLists } from "./service-side.ts";

const REPO = "acme/app";
const [LOOPDASH, JO, GATE] = ["loop", "jo", "human-gated"];

/** GitHub: a repository acme/app with the batch's issues. */
export async function openGitHub(options: SideOptions): Promise<ServiceSide> {
  const { clock, weather, issues } = options;
  const now = () => clock.now() + weather.climate.skewMs;
  const seed = {
    repos: {
      [REPO]: {
        associations: { [JO]: "COLLABORATOR", [LOOPDASH]: "COLLABORATOR" },
        issues: issues.map(({ title, body, blockedBy }) => ({ title, body, blockedBy })),
      },
    },
    tokens: {},
  };
  const standIn = await new GitHubStandIn({ seed, now }).open();
  const tokens = tokensOf(standIn, options);
  standIn.fault = ({ method, path, body }) => {
    const isWrite = method !== "GET" && path !== "/graphql";
    const name = path === "/graphql" ? "query" : `${method} ${path.replace(`/repos/${REPO}`, "")} ${String(body["state"] ?? "")}`;
    const mishap = options.onRequest({ name: name.trim(), isWrite });
    standIn.staleMs = isWrite ? 0 : weather.age();
    return faultOf(mishap);
  };
  const spec: GitHubSpec = { kind: "github", repo: REPO, baseUrl: standIn.enterpriseUrl };
  const ids = issues.map((_, at) => TicketId.parse(`app-${at + 1}`));
  const { page } = weather.climate;
  return {
    spec,
    ids,
    repos: { app: REPO },
    access: {
      url: `${standIn.url}/api/graphql`,
      authorization: async (refused) =>
        `Bearer ${refused === undefined ? await tokens.get() : await tokens.renew(refused.replace(/^Bearer /, ""))}`,
    },
    open: () => {
      const repos = [RepoId.parse("app")];
      return createGitHubService({ spec, listed: ids, repos, token: tokens, now: () => clock.now(), wait: options.wait });
    },
    act: (id, act) => actOn(standIn, Number(id.split("-")[1]), act),
    issues: () => issuesOf(standIn),
    mistakes: () => standIn.mistakes,
    outgoing: (address, body) => ({
      address: address.replace("per_page=100", `per_page=${page}`),
      body: body.replaceAll("issues(first: 100,", `issues(first: ${page},`),
    }),
    incoming: (body) => withLists(body, listsOf, (items) => weather.shuffle(items)),
    close: () => standIn[Symbol.asyncDispose](),
  };
}

function tokensOf(standIn: GitHubStandIn, { clock, weather }: SideOptions): Tokens {
  const until = weather.climate.tokenMs;
  return new Tokens(
    "token-",
    (token, ms) => {
      const known = { login: LOOPDASH, isRevoked: false, canLabel: true };
      standIn.tokens.set(token, known);
      if (ms !== undefined) clock.after(ms, () => Object.assign(known, { isRevoked: true }));
    },
    until,
  );
}

/** The lists of an answer whose items are issues or comments: a REST list, the nodes that were asked for, the discovered issues. */
function listsOf(root: unknown): readonly unknown[] {
  if (Array.isArray(root)) return [root];
  const { data } = root as { data?: Readonly<Record<string, unknown>> | null };
  const repositories = Object.values(data ?? {}).filter((each) => typeof each === "object" && each !== null);
  return [
    data?.["nodes"],
    ...repositories.flatMap((each) => Object.values(each).map((list) => (list as { nodes?: unknown })?.nodes)),
  ];
}

function faultOf(mishap: Mishap): Fault | undefined {
  if (mishap.kind === "none") return undefined;
  if (mishap.kind === "limit")
    return {
      status: 403,
      headers: { "retry-after": String(mishap.seconds) },
      body: { message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again." },
    };
  const broken = { status: 200, body: { data: null, errors: [{ message: "Something went wrong while executing your query." }] } };
  const failed = { status: mishap.status, body: { message: "Server Error" } };
  const fault = mishap.kind === "5xx" ? failed : mishap.kind === "half" ? broken : mishap.kind;
  return mishap.after ? { after: fault } : fault;
}

function actOn(standIn: GitHubStandIn, number: number, act: Parameters<ServiceSide["act"]>[1]): void {
  const jo = standIn.person(JO);
  switch (act.do) {
    case "retitle":
      return jo.retitle(REPO, number, act.text);
    case "rewrite":
      return jo.write(REPO, number, act.text);
    case "comment":
      return void jo.comment(REPO, number, act.text);
    case "close":
      return jo.close(REPO, number);
    case "reopen":
      jo.unlabel(REPO, number, GATE);
      return jo.reopen(REPO, number);
    case "gate":
      jo.comment(REPO, number, `Human step: ${act.step}`);
      jo.label(REPO, number, GATE);
      return jo.reopen(REPO, number);
  }
}

function issuesOf({ state }: GitHubStandIn): ReadonlyMap<number, RealIssue> {
  const [repo] = state.repos;
  return new Map(
    (repo?.issues ?? []).map((issue) => {
      const isGated = issue.labels.includes(GATE) && issue.comments.some(({ body }) => stepIn(body) !== undefined);
      const isDone = issue.state === "closed" && issue.stateReason === "completed";
      return [
        issue.number,
        {
          title: issue.title,
          body: issue.body,
          state: isDone ? "done" : issue.state === "open" && isGated ? "human-gated" : "open",
          own: issue.comments.filter(({ author }) => author === LOOPDASH).map(({ body }) => body),
          others: issue.comments.filter(({ author }) => author !== LOOPDASH).map(({ body }) => body),
          isWithdrawn: issue.state === "closed" && issue.stateReason === "not_planned",
        },
      ];
    }),
  );
}
