import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createPullRequests, type PullRequestsOptions } from "../../../../src/adapters/forge/github/pull-requests.ts";
import { openRepo } from "../../../../src/adapters/vcs/repository/git-repo.ts";
import { RepoId } from "../../../../src/domain/values/ids.ts";
import { ForgeUnavailable, type Proposed, type PullRequests } from "../../../../src/ports/forge.ts";
import type { Fault } from "../../../stand-ins/github/fault.ts";
import type { Pull, SeedForge } from "../../../stand-ins/github/forge/model.ts";
import { aStage, REPO, type Stage } from "../../../stand-ins/github/forge/stage.ts";
import type { SeenRequest, StandInOptions } from "../../../stand-ins/github/server.ts";

/** The branch of the one ticket of these tests. */
export const BRANCH = "loopdash/run/T-1";

type More = Partial<Pick<PullRequestsOptions, "method" | "now" | "remote" | "timeoutMs" | "token">>;

/** The adapter before a stand-in of GitHub, with a clone whose remote is the stand-in's git. */
export class ForgeStage {
  readonly github: Stage;
  readonly pullRequests: PullRequests;

  constructor(github: Stage, pullRequests: PullRequests) {
    this.github = github;
    this.pullRequests = pullRequests;
  }

  get standIn() {
    return this.github.standIn;
  }

  get forge() {
    return this.github.standIn.forge;
  }

  /** Commits files here, on no branch of the forge. */
  async commit(files: Readonly<Record<string, string>>, parent = "origin/main"): Promise<string> {
    expect((await this.github.git(["checkout", "-q", "--detach", parent])).code).toBe(0);
    for (const [path, text] of Object.entries(files)) await writeFile(join(this.github.clone, path), text);
    await this.github.git(["add", "-A"]);
    expect((await this.github.git(["commit", "-q", "-m", "A change"])).code).toBe(0);
    return (await this.github.git(["rev-parse", "HEAD"])).stdout.trim();
  }

  propose(
    head: string,
    more: { readonly previous?: string; readonly title?: string; readonly body?: string } = {},
  ): Promise<Proposed> {
    return this.pullRequests.propose({ branch: BRANCH, head, title: "T-1: A change", body: "Why.", ...more });
  }

  /** Proposes a commit of these files. */
  async opened(files: Readonly<Record<string, string>>): Promise<Pull> {
    const proposed = await this.propose(await this.commit(files));
    if (proposed.as !== "open") throw new Error(JSON.stringify(proposed));
    return this.github.pull(proposed.number);
  }

  merge({ number, headSha }: Pull, head = headSha) {
    return this.pullRequests.merge({ number, head, title: "T-1: A change", body: "Why.\n\nLoopdash-Ticket: T-1" });
  }

  /** The next request of this kind meets a mishap; the ones after it do not. */
  once(isMeant: (request: SeenRequest) => boolean, fault: Fault): void {
    let isOver = false;
    this.standIn.fault = (request) => {
      if (isOver || !isMeant(request)) return undefined;
      isOver = true;
      return fault;
    };
  }

  /** The requests since the last call, as `METHOD /path`, without those of git. */
  requests(): readonly string[] {
    const seen = this.standIn.log.splice(0).map(({ method, path }) => `${method} ${path}`);
    return seen.filter((request) => !/info\/refs|git-(?:upload|receive)-pack/.test(request));
  }
}

export async function aForgeStage(
  seed: SeedForge = {},
  { more = {}, ...options }: StandInOptions & { readonly more?: More } = {},
): Promise<ForgeStage> {
  const github = await aStage(seed, options);
  const scratch = mkdtempSync(join(tmpdir(), "loopdash-forge-scratch-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const repo = await openRepo({ id: RepoId.parse("app"), path: github.clone, base: "main", scratch, env: process.env });
  const credentials = { user: "x-access-token", token: async () => "token", renew: async () => "token" };
  const pullRequests = createPullRequests({
    repo: REPO,
    base: "main",
    baseUrl: github.standIn.enterpriseUrl,
    remote: await repo.remote({ name: "origin", credentials }),
    token: { get: async () => "token", renew: () => Promise.reject(new Error("there is no other token")) },
    now: Date.now,
    ...more,
  });
  return new ForgeStage(github, pullRequests);
}

export function isRequest(method: string, path: RegExp): (request: SeenRequest) => boolean {
  return (request) => request.method === method && path.test(request.path);
}

export function isMutation(name: string): (request: SeenRequest) => boolean {
  return ({ path, body }) => path === "/graphql" && String(body["query"]).includes(`${name}(`);
}

/** The ForgeUnavailable with which something ended. */
export async function unavailable(asked: Promise<unknown>): Promise<ForgeUnavailable> {
  const error: unknown = await asked.then(
    (value) => new Error(`it was answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ForgeUnavailable)) throw error;
  return error;
}
