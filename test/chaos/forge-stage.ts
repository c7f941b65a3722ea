import { dirname, join } from "node:path";
import { createPullRequests } from "../../src/adapters/forge/github/pull-requests.ts";
import { createPushForge, withForge } from "../../src/adapters/forge/push-forge.ts";
import { openRepo } from "../../src/adapters/vcs/repository/git-repo.ts";
import { TicketId } from "../../src/domain/values/ids.ts";
import type { LoopContext } from "../../src/loop/attempt/context.ts";
import type { RemoteCredentials } from "../../src/ports/vcs.ts";
import { APP, git, write } from "../adapters/vcs/real-repo.ts";
import { ticketOf } from "../domain/simulate.ts";
import { Stage } from "../loop/stage.ts";
import type { Fault } from "../stand-ins/github/fault.ts";
import { tryGit } from "../stand-ins/github/forge/git.ts";
import { GitHubStandIn, type SeenRequest } from "../stand-ins/github/server.ts";

const REPO = "acme/app";
const TOKEN = "token-of-loopdash";
export const T1 = TicketId.parse("T-1");
/** Bounds of the engine's requests, and how late an answer comes that is too late for all of them. Milliseconds. */
const [TIMEOUT_MS, LATE_MS] = [2_000, 3_000];
const RULES = { base: "main", checks: undefined, approvals: "gate", appearMs: 4_000, stillMs: 60_000 } as const;

/** The moments of a pull request's way. The act comes before the engine learns of anything later. */
export const MOMENTS = ["before push", "after push", "opened", "checks pending", "queued", "merging", "merged"] as const;
export type Moment = (typeof MOMENTS)[number];

/** The things that a service, or people there, may do meanwhile. */
export const ACTS = [
  "never answers",
  "answers late",
  "base moved by force",
  "base moved back",
  "head branch deleted",
  "retargeted",
  "closed by a person",
  "merged by a person",
] as const;
export type Act = (typeof ACTS)[number];

const isReading = ({ body }: SeenRequest): boolean => String(body["query"]).includes("reviewThreads(last");

/** A run of one ticket on the stand-in, with one act at one moment. */
export class ForgeStage implements AsyncDisposable {
  readonly standIn: GitHubStandIn;
  readonly stage: Stage;
  readonly #moment: Moment;
  readonly #act: Act;
  readonly #acted = Promise.withResolvers<void>();
  #isTime = false;
  #readings = 0;
  #isMerged = false;
  #late = 0;
  /** The commits of the base at the start. */
  readonly first: readonly string[];

  private constructor(standIn: GitHubStandIn, stage: Stage, at: { readonly moment: Moment; readonly act: Act }) {
    this.standIn = standIn;
    this.stage = stage;
    this.#moment = at.moment;
    this.#act = at.act;
    this.first = git(stage.user, "rev-list", "main").split("\n");
    standIn.fault = (request) => this.#onRequest(request);
    standIn.forge.gate = ({ stage: step, event }) => {
      const isHeld = event === "merge_group" ? this.#moment === "queued" : this.#moment === "checks pending";
      return isHeld && step === "finish" ? this.#acted.promise : undefined;
    };
  }

  static async open(at: { readonly moment: Moment; readonly act: Act }): Promise<ForgeStage> {
    let standIn: GitHubStandIn | undefined;
    const limits = { attempts: 1, outageMinutes: 0.15 };
    const stage = await Stage.open({ tickets: [ticketOf(T1)], limits }, async (ctx) => {
      const user = ctx.batch.repos["app"]?.path ?? "";
      write(user, "b.txt", "more\n");
      git(user, "commit", "-q", "-a", "-m", "second");
      const job = { name: "ci", isRequired: true, command: ["true"] };
      const protection = at.moment === "queued" ? { protection: { main: { mergeQueue: "squash" as const } } } : {};
      const repos = { [REPO]: { forge: { from: user, jobs: [job], ...protection } } };
      standIn = await new GitHubStandIn({ seed: { repos, tokens: { [TOKEN]: "loop" } } }).open();
      standIn.forge.mergeability.unknownReads = 0;
      git(user, "remote", "add", "origin", `${standIn.url}/${REPO}.git`);
      return partsOf(user, standIn);
    });
    if (standIn === undefined) throw new Error("no stand-in");
    return new ForgeStage(standIn, stage, at);
  }

  /** Runs it to its end, and gives what came of it. */
  async play() {
    this.stage.start();
    const { end } = await this.stage.ended();
    const there = (await this.#git("log", "--first-parent", "--format=%H %cn", "main"))
      .split("\n")
      .map((line) => line.split(" "));
    const files = (await this.#git("ls-tree", "--name-only", "main")).split("\n");
    const here = git(this.stage.user, "rev-list", "main").split("\n");
    return {
      end: end?.kind,
      ticket: this.stage.ticket(T1),
      hasActed: this.#isTime,
      /** Who made the commits that the base there has more than at the start. */
      committers: there.filter(([sha = ""]) => !this.first.includes(sha)).map(([, committer]) => committer),
      isThere: files.includes("T-1.txt"),
      lostHere: this.first.filter((sha) => !here.includes(sha)),
    };
  }

  /** The waits that people were told, each with its end; outages too. */
  waits(): readonly { readonly why: string; readonly until: number | undefined }[] {
    const { stage } = this;
    return [
      ...stage.of("pull-request-read").flatMap(({ waits, waitsUntil }) => (waits ? [{ why: waits, until: waitsUntil }] : [])),
      ...stage.of("merge-waiting").map(({ reason, until }) => ({ why: reason, until })),
      ...stage.of("outage-started").map(({ why, until }) => ({ why, until })),
    ];
  }

  async #onRequest(request: SeenRequest): Promise<Fault | undefined> {
    if (!this.#isTime && this.#isMoment(request)) {
      this.#isTime = true;
      await this.#perform();
      this.#acted.resolve();
    }
    if (request.method === "PUT" && request.path.endsWith("/merge")) this.#isMerged = true;
    if (!this.#isTime) return undefined;
    if (this.#act === "never answers") return "hang";
    this.#late += 1;
    return this.#act === "answers late" && this.#late <= 3 ? { lateMs: LATE_MS } : undefined;
  }

  #isMoment(request: SeenRequest): boolean {
    const { method, path, query } = request;
    if (isReading(request)) this.#readings += 1;
    switch (this.#moment) {
      case "before push":
        return query.includes("git-receive-pack");
      case "after push":
        return method === "GET" && path.endsWith("/pulls");
      case "opened":
        return isReading(request);
      case "checks pending":
        return this.#readings === 3;
      case "queued":
        return isReading(request) && this.#forge.queue.some(({ groupSha }) => groupSha !== null);
      case "merging":
        return method === "PUT" && path.endsWith("/merge");
      case "merged":
        return this.#isMerged;
    }
  }

  async #perform(): Promise<void> {
    const ann = this.standIn.forge.person("ann");
    const { number = 0, headRef = "" } = this.#forge.pulls[0] ?? {};
    switch (this.#act) {
      case "never answers":
      case "answers late":
        return;
      case "base moved by force": {
        const name = ["-c", "user.name=ann", "-c", "user.email=ann@acme.test"];
        const rewritten = await this.#git(
          ...name,
          "commit-tree",
          "main^{tree}",
          "-p",
          this.first.at(-1) ?? "",
          "-m",
          "rewritten",
        );
        return ann.forcePush(REPO, "main", rewritten);
      }
      case "base moved back":
        return ann.forcePush(REPO, "main", this.first.at(-1) ?? "");
      case "head branch deleted":
        return ann.deleteBranch(REPO, headRef === "" ? `loopdash/${this.stage.state.run}/T-1` : headRef);
      case "retargeted":
        await ann.push(REPO, "dev", {});
        return ann.retarget(REPO, number, "dev");
      case "closed by a person":
        return ann.close(REPO, number);
      case "merged by a person":
        await ann.merge(REPO, number, "squash", "bypasses");
    }
  }

  get #forge() {
    const found = this.standIn.state.repos.find(({ fullName }) => fullName === REPO)?.forge;
    if (found === undefined) throw new Error("the repository has no git");
    return found;
  }

  async #git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await tryGit(join(this.standIn.forge.root, `${REPO}.git`), args);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stage[Symbol.dispose]();
    await this.standIn[Symbol.asyncDispose]();
    if (this.standIn.mistakes.length > 0) throw new Error(this.standIn.mistakes.join("\n"));
  }
}

/** The engine's own forge, with short bounds. */
async function partsOf(user: string, standIn: GitHubStandIn): Promise<Partial<LoopContext>> {
  const repo = await openRepo({ id: APP, path: user, base: "main", scratch: dirname(user) });
  const credentials: RemoteCredentials = {
    user: "x-access-token",
    token: () => Promise.resolve(TOKEN),
    renew: () => Promise.resolve(TOKEN),
  };
  const bounds = { answerMs: TIMEOUT_MS, silentMs: TIMEOUT_MS, transferMs: 2 * TIMEOUT_MS };
  const remote = await repo.remote({ name: "origin", credentials, bounds });
  const token = { get: credentials.token, renew: credentials.renew };
  const access = { repo: REPO, baseUrl: standIn.enterpriseUrl, token, now: Date.now, timeoutMs: TIMEOUT_MS };
  const pulls = createPullRequests({ ...access, base: "main", remote });
  return {
    repos: new Map([["app", withForge(repo, createPushForge({ repo, remote }))]]),
    pullRequests: new Map([["app", { pulls, rules: RULES, histories: new Map() }]]),
  };
}
