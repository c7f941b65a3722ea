import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { GitHubStandIn, type StandInOptions } from "../server.ts";
import { type GitResult, tryGit } from "./git.ts";
import type { Job, Pull, SeedForge } from "./model.ts";

/** The repository of these tests. */
export const REPO = "acme/app";

/** A job that passes if `ok.txt` says "yes". */
export const CHECK = {
  name: "test",
  command: ["node", "-e", 'process.exit(require("fs").readFileSync("ok.txt", "utf8") === "yes\\n" ? 0 : 3)'],
  isRequired: true,
} as const;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the answers are checked against GitHub's description
  readonly body: any;
}

/** A stand-in with one repository, and a clone of it. */
export class Stage {
  readonly standIn: GitHubStandIn;
  readonly clone: string;

  constructor(standIn: GitHubStandIn, clone: string) {
    this.standIn = standIn;
    this.clone = clone;
  }

  async ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { authorization: "Bearer token", "content-type": "application/json", ...init.headers };
    const response = await fetch(`${this.standIn.url}${path}`, { redirect: "manual", ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }

  get(path: string): Promise<Answer> {
    return this.ask(`/repos/${REPO}${path}`);
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    return this.ask(`/repos/${REPO}${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  async query(query: string, variables: object = {}): Promise<Answer["body"]> {
    return (await this.ask("/graphql", { method: "POST", body: JSON.stringify({ query, variables }) })).body;
  }

  /** Runs git in the clone, with the token unless another is given. */
  git(args: readonly string[], token = "token"): Promise<GitResult> {
    const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
    const config = [
      "-c",
      `http.extraHeader=Authorization: Basic ${basic}`,
      "-c",
      "user.name=Jo",
      "-c",
      "user.email=jo@acme.test",
    ];
    return tryGit(this.clone, [...config, ...args]);
  }

  /** Commits a file on a branch and pushes it. Gives the commit. */
  async push(branch: string, files: Readonly<Record<string, string>>, from = "origin/main"): Promise<string> {
    expect((await this.git(["checkout", "-q", "-B", branch, from])).code).toBe(0);
    for (const [path, text] of Object.entries(files)) await writeFile(join(this.clone, path), text);
    await this.git(["add", "-A"]);
    expect((await this.git(["commit", "-q", "-m", `Change ${Object.keys(files).join(", ")}`])).code).toBe(0);
    expect(await this.git(["push", "-q", "origin", branch])).toMatchObject({ code: 0 });
    return (await this.git(["rev-parse", "HEAD"])).stdout.trim();
  }

  /** Pushes a branch and opens a pull request for it. */
  async open(branch: string, files: Readonly<Record<string, string>>): Promise<Pull> {
    await this.push(branch, files);
    const { status, body } = await this.send("POST", "/pulls", { title: `Add ${branch}`, head: branch, base: "main" });
    expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
    return this.pull(body.number);
  }

  pull(number: number): Pull {
    const found = this.forge.pulls.find((each) => each.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  get forge() {
    const found = this.standIn.state.repos.find(({ fullName }) => fullName === REPO)?.forge;
    if (found === undefined) throw new Error("the repository has no git");
    return found;
  }

  jobs(sha: string): readonly Job[] {
    return this.forge.ciJobs.filter((job) => job.sha === sha);
  }
}

export async function aStage(forge: SeedForge = {}, options: StandInOptions = {}): Promise<Stage> {
  const associations = { ann: "MEMBER", ben: "COLLABORATOR" };
  const seed = { repos: { [REPO]: { forge, associations } }, tokens: { token: "loop", reader: "eve" } };
  const standIn = await new GitHubStandIn({ seed, ...options }).open();
  const folder = mkdtempSync(join(tmpdir(), "loopdash-forge-clone-"));
  onTestFinished(async () => {
    await standIn[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
    expect(standIn.mistakes).toEqual([]);
  });
  const stage = new Stage(standIn, folder);
  const cloned = await stage.git(["clone", "-q", `${standIn.url}/${REPO}.git`, "."]);
  expect(cloned).toMatchObject({ code: 0 });
  return stage;
}
