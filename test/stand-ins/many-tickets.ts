import { createGitHubService } from "../../src/adapters/tracker/github/github-service.ts";
import { createLinearService } from "../../src/adapters/tracker/linear/linear-service.ts";
import type { TicketService } from "../../src/adapters/tracker/service/ticket-service.ts";
import { RepoId } from "../../src/domain/values/ids.ts";
import { GitHubStandIn } from "./github/server.ts";
import { anEmptyWorld, aTeam, uuidOf } from "./linear/model.ts";
import { LinearStandIn } from "./linear/stand-in.ts";

const DAY_MS = 86_400_000;
const REPO = "acme/app";
const TOKEN = "token-of-loopdash";

/** The smallest limits of an hour that each service has ever documented for a token of a user: requests, and points of queries. */
const SMALLEST = { linear: { requests: 1_500, complexity: 250_000 }, github: { core: 5_000, graphql: 5_000 } } as const;

/** Many tickets in a stand-in, which nobody has touched for a day. A label, two comments each, and a third of them have a blocker. */
export interface ManyTickets extends AsyncDisposable {
  readonly name: "Linear" | "GitHub";
  /** The time by which the server and `service` go. Milliseconds since the epoch. */
  readonly clock: { now: number };
  /** The address of the GraphQL API, and what a request to it must carry. */
  readonly api: { readonly url: string; readonly authorization: string };
  /** The batch's name of its repository. */
  readonly repo: RepoId;
  /** A service over them that has not read anything. GitHub's issues can be found by a search instead of a label. */
  service(query?: "search"): TicketService;
  /** The requests since the last call. */
  asked(): readonly string[];
  /** The shares of the limits that the server has counted in its present hour, in per cent. */
  shares(): Readonly<Record<"requests" | "points", number>>;
  /** A person gives a ticket another title, and comments on it. */
  retitle(number: number, title: string): void;
  comment(number: number, body: string): void;
}

/** So many tickets in Linear. */
export async function inLinear(count: number): Promise<ManyTickets> {
  const clock = { now: Date.UTC(2026, 10, 26, 12) };
  const { team, states } = aTeam("ENG");
  const labels = [{ id: uuidOf("label batch"), name: "batch", teamId: null }];
  const world = { ...anEmptyWorld(), teams: [team], states: [...states], labels };
  const standIn = await LinearStandIn.start({ world, budget: SMALLEST.linear, now: () => clock.now });
  const jo = { actor: uuidOf("user jo") };
  const { people } = standIn;
  const uuid = (number: number) => uuidOf(`ticket ${number}`);
  for (let number = 1; number <= count; number += 1) {
    const id = uuid(number);
    people.createIssue({
      id,
      teamId: team.id,
      number,
      title: `Do ${number}`,
      description: "Words.",
      labelIds: [uuidOf("label batch")],
    });
    for (const body of ["First words.", "Last words."])
      people.createComment({ id: uuidOf(`${id} ${body}`), issueId: id, body }, jo);
    if (number % 3 === 0) people.relate(uuid(number - 1), id, { type: "blocks" });
  }
  clock.now += DAY_MS;
  const { requests, complexity } = SMALLEST.linear;
  return {
    name: "Linear",
    repo: RepoId.parse("app"),
    clock,
    api: { url: standIn.url, authorization: LinearStandIn.TOKEN },
    service: () =>
      createLinearService({
        spec: { kind: "linear", team: "ENG", label: "batch", apiUrl: standIn.url },
        listed: [],
        repos: [RepoId.parse("app")],
        token: tokenOf(LinearStandIn.TOKEN),
        now: () => clock.now,
      }),
    asked: () => standIn.asked(),
    shares: () => ({
      requests: (standIn.spent.requests / requests) * 100,
      points: (standIn.spent.complexity / complexity) * 100,
    }),
    retitle: (number, title) => void standIn.people.updateIssue(uuid(number), { title }, jo),
    comment: (number, body) => void standIn.people.createComment({ issueId: uuid(number), body }, jo),
    [Symbol.asyncDispose]: () => standIn.stop(),
  };
}

/** So many tickets on GitHub. */
export async function onGitHub(count: number): Promise<ManyTickets> {
  const clock = { now: Date.UTC(2026, 10, 26, 12) };
  const comments = ["First words.", "Last words."].map((body) => ({ author: "jo", body }));
  const issues = Array.from({ length: count }, (_, at) => ({
    title: `Do ${at + 1}`,
    body: "Words.",
    labels: ["batch"],
    comments,
    blockedBy: at % 3 === 2 ? [at] : [],
  }));
  const seed = { repos: { [REPO]: { issues } }, tokens: { [TOKEN]: "loop" } };
  const standIn = await new GitHubStandIn({ seed, limits: SMALLEST.github, now: () => clock.now }).open();
  clock.now += DAY_MS;
  const { core, graphql } = SMALLEST.github;
  return {
    name: "GitHub",
    repo: RepoId.parse("app"),
    clock,
    api: { url: `${standIn.url}/graphql`, authorization: `Bearer ${TOKEN}` },
    service: (query) =>
      createGitHubService({
        spec: {
          kind: "github",
          repo: REPO,
          baseUrl: standIn.enterpriseUrl,
          ...(query === "search" ? { search: "label:batch" } : { labels: ["batch"] }),
        },
        listed: [],
        repos: [RepoId.parse("app")],
        token: tokenOf(TOKEN),
        now: () => clock.now,
      }),
    asked: () => standIn.log.splice(0).map(({ method, path, status }) => `${method} ${path} ${status}`),
    shares: () => ({
      requests: (standIn.budgets.used.core / core) * 100,
      points: (standIn.budgets.used.graphql / graphql) * 100,
    }),
    retitle: (number, title) => standIn.person("jo").retitle(REPO, number, title),
    comment: (number, body) => void standIn.person("jo").comment(REPO, number, body),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}

function tokenOf(token: string) {
  return { get: async () => token, renew: async () => token };
}
