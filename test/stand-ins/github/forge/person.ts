import { addComment, newId, userOf } from "../state.ts";
import { runState } from "./checks.ts";
import type { Ci } from "./ci.ts";
import { branches, git } from "./git.ts";
import { type Host, issueOfPull, liveForge, pullOf } from "./host.ts";
import type { Job, MergeMethod, Pull, Status, Thread, WorkflowRun } from "./model.ts";
import type { Pulls } from "./pulls.ts";
import type { MergeQueue, Turn } from "./queue.ts";
import { commitFiles } from "./repositories.ts";
import { addReply, addReview, addThread } from "./reviews.ts";

/** Someone who works on pull requests by hand, or a bot that does. Reviews count only of people who may write: see a seed's `associations`. */
export class ForgePerson {
  readonly #login: string;
  readonly #host: Host;
  readonly #ci: Ci;
  readonly #pulls: Pulls;
  readonly #queue: MergeQueue;
  readonly #turn: Turn;

  constructor(
    login: string,
    {
      host,
      ci,
      pulls,
      queue,
      turn,
    }: { readonly host: Host; readonly ci: Ci; readonly pulls: Pulls; readonly queue: MergeQueue; readonly turn: Turn },
  ) {
    this.#login = login;
    this.#host = host;
    this.#ci = ci;
    this.#pulls = pulls;
    this.#queue = queue;
    this.#turn = turn;
    userOf(host.state(), login);
  }

  approve(repo: string, number: number, body = ""): Promise<void> {
    return this.#review(repo, number, { state: "APPROVED", body });
  }

  requestChanges(repo: string, number: number, body: string): Promise<void> {
    return this.#review(repo, number, { state: "CHANGES_REQUESTED", body });
  }

  /** A comment of the conversation. */
  comment(repo: string, number: number, body: string): Promise<void> {
    return this.#change(repo, (found) => {
      const issue = issueOfPull(found.repo, pullOf(found, number));
      addComment(this.#host.state(), issue, this.#login, body, this.#host.now());
    });
  }

  /** Opens a review thread about a line of the head. */
  openThread(
    repo: string,
    number: number,
    { path, line, body }: { readonly path: string; readonly line: number; readonly body: string },
  ): Promise<Thread> {
    return this.#change(repo, (found) =>
      addThread(this.#host, found, pullOf(found, number), { author: this.#login, path, line, body }),
    );
  }

  reply(repo: string, number: number, threadId: number, body: string): Promise<void> {
    return this.#change(repo, (found) => {
      const pull = pullOf(found, number);
      const thread = threadOf(pull, threadId);
      const { id } = addReview(this.#host, found, pull, { author: this.#login, state: "COMMENTED", body: "" });
      addReply(this.#host, thread, { author: this.#login, body, reviewId: id });
    });
  }

  resolve(repo: string, number: number, threadId: number): Promise<void> {
    return this.#change(repo, (found) => {
      threadOf(pullOf(found, number), threadId).isResolved = true;
    });
  }

  /** Sets a status of a commit, as a service outside of Actions does. */
  setStatus(repo: string, sha: string, { context, state }: Pick<Status, "context" | "state">): Promise<void> {
    return this.#change(repo, ({ forge }) => {
      const by = { creator: this.#login, createdAt: this.#host.now(), description: null, targetUrl: null };
      forge.statuses.push({ id: newId(this.#host.state()), sha, context, state, ...by });
    });
  }

  /** Starts the failed jobs of a commit again, as a click on "Re-run failed jobs" does. */
  rerunFailed(repo: string, sha: string): Promise<void> {
    return this.#rerun(repo, sha, ({ attempt, conclusion }, run) => attempt === run.attempt && conclusion === "failure");
  }

  /** Starts all jobs of a commit again, as a click on "Re-run all jobs" does. */
  rerunAll(repo: string, sha: string): Promise<void> {
    return this.#rerun(repo, sha, () => true);
  }

  close(repo: string, number: number): Promise<void> {
    return this.#turn(async () => this.#pulls.close(repo, number, this.#login));
  }

  reopen(repo: string, number: number): Promise<void> {
    return this.#turn(() => this.#pulls.reopen(repo, number));
  }

  retarget(repo: string, number: number, base: string): Promise<void> {
    return this.#turn(() => this.#pulls.retarget(repo, number, base));
  }

  merge(repo: string, number: number, method: MergeMethod = "merge", rules: "keeps" | "bypasses" = "keeps"): Promise<string> {
    const options = { by: this.#login, method, mayBypass: rules === "bypasses" };
    return this.#turn(() => this.#pulls.merge(repo, number, options));
  }

  enqueue(repo: string, number: number): Promise<void> {
    return this.#turn(async () => {
      await this.#queue.enqueue(repo, number, { by: this.#login, expectedHead: undefined });
    });
  }

  dequeue(repo: string, number: number): Promise<void> {
    return this.#turn(async () => {
      this.#queue.dequeue(repo, number);
    });
  }

  /** Commits files on a branch, protected or not, which is made from the default branch if there is none. Gives the commit. */
  push(repo: string, branch: string, files: Readonly<Record<string, string | null>>, message = "A change"): Promise<string> {
    return this.#turn(async () => {
      const { folder, forge } = liveForge(this.#host, repo);
      const before = await branches(folder);
      const [author, now] = [this.#login, this.#host.now()];
      const sha = await commitFiles(folder, { branch, from: forge.defaultBranch, files, message, author, now });
      await this.#pulls.pushed(repo, before, await branches(folder));
      return sha;
    });
  }

  /** Opens a pull request from a branch of a fork of the person's: this repository has its commit, and no such branch. */
  openFromFork(repo: string, headRef: string, files: Readonly<Record<string, string | null>>): Promise<Pull> {
    return this.#turn(async () => {
      const { folder, forge } = liveForge(this.#host, repo);
      const [author, now] = [this.#login, this.#host.now()];
      const branch = `fork-of-${author}/${headRef}`;
      const commit = { branch, from: forge.defaultBranch, files, message: "A change", author, now };
      const headSha = await commitFiles(folder, commit);
      const pull = await this.#pulls.openFromFork(repo, { title: "From a fork", author, headRef, headSha });
      await git(folder, ["update-ref", "-d", `refs/heads/${branch}`]);
      return pull;
    });
  }

  deleteBranch(repo: string, branch: string): Promise<void> {
    return this.#move(repo, ["-d", `refs/heads/${branch}`]);
  }

  /** Moves a branch to a commit, forward or not. */
  forcePush(repo: string, branch: string, sha: string): Promise<void> {
    return this.#move(repo, [`refs/heads/${branch}`, sha]);
  }

  #move(repo: string, update: readonly string[]): Promise<void> {
    return this.#turn(async () => {
      const { folder } = liveForge(this.#host, repo);
      const before = await branches(folder);
      await git(folder, ["update-ref", ...update]);
      await this.#pulls.pushed(repo, before, await branches(folder));
    });
  }

  #rerun(repo: string, sha: string, isMeant: (job: Job, run: WorkflowRun) => boolean): Promise<void> {
    return this.#turn(async () => {
      const { forge } = liveForge(this.#host, repo);
      for (const run of forge.runs.filter((each) => each.sha === sha && runState(forge, each).status === "completed")) {
        const jobs = forge.ciJobs.filter((job) => job.runId === run.id && isMeant(job, run));
        const names = [...new Set(jobs.map(({ name }) => name))];
        if (names.length > 0) this.#ci.rerun(repo, run, names);
      }
    });
  }

  #review(repo: string, number: number, review: { readonly state: "APPROVED" | "CHANGES_REQUESTED"; readonly body: string }) {
    return this.#change(repo, (found) => {
      addReview(this.#host, found, pullOf(found, number), { author: this.#login, ...review });
    });
  }

  #change<T>(repo: string, change: (found: ReturnType<typeof liveForge>) => T): Promise<T> {
    return this.#turn(async () => {
      this.#host.remember();
      const result = change(liveForge(this.#host, repo));
      this.#host.changed();
      return result;
    });
  }
}

function threadOf({ threads }: Pull, id: number): Thread {
  const found = threads.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no thread ${id}`);
  return found;
}
