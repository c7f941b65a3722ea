import { onTestFinished } from "vitest";
import { GitHubStandIn } from "../stand-ins/github/server.ts";
import { anEmptyWorld, aTeam, uuidOf } from "../stand-ins/linear/model.ts";
import { LinearStandIn } from "../stand-ins/linear/stand-in.ts";
import { eventsOf, HONEST, Stage } from "./stage.ts";

/** A ticket of a test: its number, and the numbers of those that block it. */
export type Wanted = readonly [number: number, blockedBy?: readonly number[]];

/** A ticket as people see it in the service. */
export interface Shown {
  readonly id: string;
  readonly state: "open" | "started" | "done" | "canceled";
  readonly labels: readonly string[];
  readonly comments: readonly string[];
}

/** What people do in a service, and what they see there. */
export interface People {
  retitle(number: number, title: string): void;
  close(number: number): void;
  reopen(number: number): void;
  cancel(number: number): void;
  comment(number: number, body: string): void;
  /** As somebody who has no say: an integration in Linear, any user on GitHub. */
  commentAsStranger(number: number, body: string): void;
  /** Gives the ticket another text. */
  write(number: number, body: string): void;
  label(number: number, label: string): void;
  assign(number: number, login: string): void;
  remove(number: number): void;
}

/** A service with the tickets of a batch. */
export interface Service {
  readonly kind: "linear" | "github";
  /** The id of the ticket with this number. */
  readonly id: (number: number) => string;
  readonly tracker: Readonly<Record<string, unknown>>;
  /** The variable that holds the token. */
  readonly env: Readonly<Record<string, string>>;
  readonly people: People;
  readonly shown: () => readonly Shown[];
  /** While it is true, the service answers no request. */
  away: boolean;
  /** The number of requests so far. */
  readonly requests: () => number;
  /** The queries and addresses of all requests so far. */
  readonly asked: () => readonly string[];
}

/** Registers what is to be done once the service is not needed any more. */
type AtEnd = (end: () => Promise<void>) => void;

const OPENERS: Readonly<Record<Service["kind"], (tickets: readonly Wanted[], atEnd: AtEnd) => Promise<Service>>> = {
  linear: openLinear,
  github: openGitHub,
};

/** Opens a service with these tickets. */
export function openService(kind: Service["kind"], tickets: readonly Wanted[], atEnd: AtEnd): Promise<Service> {
  return OPENERS[kind](tickets, atEnd);
}

/** The services, each opened with these tickets and closed after the test. */
export const SERVICES = Object.keys(OPENERS) as readonly Service["kind"][];

/** A stage whose tickets are in a service, with an honest agent. The sandbox is on, as it must be. */
export async function stagedIn(
  kind: Service["kind"],
  tickets: readonly Wanted[],
  over: { readonly tracker?: Readonly<Record<string, unknown>>; readonly [key: string]: unknown } = {},
  program?: string,
) {
  const service = await openService(kind, tickets, onTestFinished);
  const stage = new Stage(program);
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app");
  stage.agent(HONEST);
  const tracker = { ...service.tracker, ...over.tracker };
  const batch = stage.batch([], { sandbox: "required", ...over, tracker });
  const run = async (...args: string[]) => {
    const ended = await stage.run([batch, "--json", ...args], service.env);
    return { ...ended, events: eventsOf(ended.stdout) };
  };
  return { stage, service, batch, run };
}

async function openLinear(tickets: readonly Wanted[], atEnd: AtEnd): Promise<Service> {
  const { team, states } = aTeam("ENG");
  const world = { ...anEmptyWorld(), teams: [team], states: [...states] };
  const standIn = await LinearStandIn.start({ world });
  atEnd(() => standIn.stop());
  const jo = { actor: uuidOf("user jo") };
  for (const [number] of tickets)
    standIn.people.createIssue({ teamId: team.id, number, title: `Do ${number}`, description: `The words of ENG-${number}.` });
  const find = (number: number) => standIn.people.find(`ENG-${number}`);
  for (const [number, blockers = []] of tickets)
    for (const other of blockers) standIn.people.relate(find(other).id, find(number).id, { type: "blocks" });
  const update = (number: number, change: Parameters<typeof standIn.people.updateIssue>[1]) =>
    void standIn.people.updateIssue(find(number).id, change, jo);
  const to = (type: string) => ({ stateId: standIn.people.stateOf(team.id, type) });
  const service: Service = {
    kind: "linear",
    id: (number) => `ENG-${number}`,
    tracker: { kind: "linear", team: "ENG", apiUrl: standIn.url },
    env: { LINEAR_API_KEY: LinearStandIn.TOKEN },
    people: {
      retitle: (number, title) => update(number, { title }),
      close: (number) => update(number, to("completed")),
      reopen: (number) => update(number, to("unstarted")),
      cancel: (number) => update(number, to("canceled")),
      comment: (number, body) => void standIn.people.createComment({ issueId: find(number).id, body }, jo),
      commentAsStranger: (number, body) =>
        void standIn.people.createComment({ issueId: find(number).id, body }, { actor: null, bot: "github" }),
      write: (number, description) => update(number, { description }),
      label: (number, name) => {
        const id = uuidOf(`label ${name}`);
        if (!standIn.world.labels.some((each) => each.id === id)) standIn.world.labels.push({ id, name, teamId: null });
        update(number, { addedLabelIds: [id] });
      },
      assign: (number, login) => update(number, { assigneeId: uuidOf(`user ${login}`) }),
      remove: (number) => update(number, { trashed: true }),
    },
    shown: () =>
      standIn.world.issues.map((issue) => {
        const type = standIn.world.states.find(({ id }) => id === issue.stateId)?.type ?? "";
        const words = { completed: "done", canceled: "canceled", started: "started" } as const;
        return {
          id: `ENG-${issue.number}`,
          state: words[type as keyof typeof words] ?? "open",
          labels: issue.labelIds.map((id) => standIn.world.labels.find((each) => each.id === id)?.name ?? ""),
          comments: standIn.world.comments.filter(({ issueId }) => issueId === issue.id).map(({ body }) => body),
        };
      }),
    away: false,
    requests: () => standIn.log.length,
    asked: () => standIn.log.map(({ name, query, variables }) => `${name || query} ${JSON.stringify(variables)}`),
  };
  standIn.fault = () => (service.away ? { status: 503 } : undefined);
  return service;
}

async function openGitHub(tickets: readonly Wanted[], atEnd: AtEnd): Promise<Service> {
  const issues = tickets.map(([number, blockedBy = []]) => ({
    number,
    title: `Do ${number}`,
    body: `The words of app-${number}.`,
    labels: ["batch"],
    blockedBy,
  }));
  const standIn = await new GitHubStandIn({
    seed: { repos: { "acme/app": { issues } }, tokens: { "token-of-loopdash": "loop" } },
  }).open();
  atEnd(() => standIn[Symbol.asyncDispose]());
  const jo = () => standIn.person("jo");
  const repo = "acme/app";
  const service: Service = {
    kind: "github",
    id: (number) => `app-${number}`,
    tracker: { kind: "github", repo, labels: ["batch"], baseUrl: standIn.enterpriseUrl },
    env: { GITHUB_TOKEN: "token-of-loopdash" },
    people: {
      retitle: (number, title) => jo().retitle(repo, number, title),
      close: (number) => jo().close(repo, number),
      reopen: (number) => jo().reopen(repo, number),
      cancel: (number) => jo().close(repo, number, { reason: "not_planned" }),
      comment: (number, body) => void standIn.person("acme").comment(repo, number, body),
      commentAsStranger: (number, body) => void standIn.person("mallory").comment(repo, number, body),
      write: (number, body) => jo().write(repo, number, body),
      label: (number, label) => jo().label(repo, number, label),
      assign: (number, login) => jo().assign(repo, number, login),
      remove: (number) => void jo().remove(repo, number),
    },
    shown: () =>
      (standIn.state.repos[0]?.issues ?? []).map((issue) => ({
        id: `app-${issue.number}`,
        state: issue.state === "open" ? "open" : issue.stateReason === "completed" ? "done" : "canceled",
        labels: issue.labels,
        comments: issue.comments.map(({ body }) => body),
      })),
    away: false,
    requests: () => standIn.log.length,
    asked: () => standIn.log.map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`),
  };
  standIn.isAway = () => service.away;
  return service;
}
