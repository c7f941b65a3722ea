import { onTestFinished } from "vitest";
import { createGitHubService } from "../../../../src/adapters/tracker/github/github-service.ts";
import type { ServiceTicket, TicketService } from "../../../../src/adapters/tracker/service/ticket-service.ts";
import type { GitHubSpec } from "../../../../src/domain/batch/tracker-spec.ts";
import { RepoId, TicketId } from "../../../../src/domain/values/ids.ts";
import { GitHubStandIn, type LoggedRequest, type StandInOptions } from "../../../stand-ins/github/server.ts";
import type { SeedIssue } from "../../../stand-ins/github/state.ts";

/** What most tests ask: the issues of acme/app with the label "batch". */
const QUERY: Partial<GitHubSpec> = { repo: "acme/app", labels: ["batch"] };

export interface ServiceOptions {
  readonly spec?: Partial<GitHubSpec>;
  readonly listed?: readonly string[];
  readonly repos?: readonly string[];
  readonly token?: { get(): Promise<string>; renew(refused: string): Promise<string> };
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** A stand-in for the time of a test, with these issues in acme/app. A test fails if the stand-in itself did something wrong. */
export async function aStandIn(issues: readonly SeedIssue[] = [], options: StandInOptions = {}): Promise<GitHubStandIn> {
  const { seed = {}, ...rest } = options;
  const associations = { jo: "MEMBER", ann: "COLLABORATOR" };
  const repos = { "acme/app": { issues: issues.map((issue) => ({ labels: ["batch"], ...issue })), associations }, ...seed.repos };
  const users = { jo: { name: "Jo Doe" }, ann: {}, stranger: {}, "ci-bot": { isBot: true }, ...seed.users };
  const standIn = await new GitHubStandIn({ seed: { ...seed, repos, users }, ...rest }).open();
  onTestFinished(async () => {
    await standIn[Symbol.asyncDispose]();
    if (standIn.mistakes.length > 0) throw new Error(standIn.mistakes.join("\n"));
  });
  return standIn;
}

export function aService(standIn: GitHubStandIn, options: ServiceOptions = {}): TicketService {
  const { spec = {}, listed = [], repos = ["app"], now, timeoutMs } = options;
  const query = spec.repos === undefined ? QUERY : {};
  return createGitHubService({
    spec: { kind: "github", baseUrl: standIn.enterpriseUrl, ...query, ...spec } as GitHubSpec,
    listed: listed.map((id) => TicketId.parse(id)),
    repos: repos.map((repo) => RepoId.parse(repo)),
    token: options.token ?? { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
    ...(now !== undefined && { now }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** The tickets of a whole reading by a service of its own, by their ids. */
export async function read(
  standIn: GitHubStandIn,
  options: ServiceOptions = {},
): Promise<Readonly<Record<string, ServiceTicket>>> {
  return Object.fromEntries(await aService(standIn, options).snapshot("whole"));
}

export function ticket(id: string): TicketId {
  return TicketId.parse(id);
}

/** The requests that the stand-in got since the last call, as `METHOD /path`. */
export function requests(standIn: GitHubStandIn): readonly string[] {
  return takeLog(standIn).map(({ method, path }) => `${method} ${path.replace("/repos/acme/app", "")}`);
}

/** The requests that change something, since the last call. */
export function writes(standIn: GitHubStandIn): readonly string[] {
  return requests(standIn).filter((request) => !request.startsWith("GET ") && request !== "POST /graphql");
}

export function takeLog(standIn: GitHubStandIn): readonly LoggedRequest[] {
  return standIn.log.splice(0);
}

/** A clock that stands still until a test moves it. */
export class Clock {
  ms = Date.parse("2026-11-26T12:00:00Z");
  readonly now = (): number => this.ms;
}
