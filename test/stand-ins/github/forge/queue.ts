import { newId } from "../state.ts";
import { contextState, protectionOf } from "./checks.ts";
import type { Ci } from "./ci.ts";
import { branchTip, git, tryGit } from "./git.ts";
import { type Found, type Host, issueOfPull, liveForge, pullOf } from "./host.ts";
import { mergedCommit } from "./merge.ts";
import { unmet } from "./mergeability.ts";
import type { Pull, QueueEntry } from "./model.ts";
import { isOpen, messageOf, type Pulls } from "./pulls.ts";
import { Refusal } from "./refusal.ts";

/** Runs an act when no other changes the repository. */
export type Turn = <T>(act: () => Promise<T>) => Promise<T>;

/**
 * The merge queue: takes pull requests in their order, builds each on its base in a branch of its own, waits for the required checks of
 * that commit, and merges it. One that fails leaves the queue.
 */
export class MergeQueue {
  readonly #host: Host;
  readonly #ci: Ci;
  readonly #pulls: Pulls;
  readonly #turn: Turn;
  /** Repositories that may have branches of groups which are over. */
  readonly #toClean = new Set<string>();
  #lastGroupAt = 0;

  constructor(host: Host, { ci, pulls, turn }: { readonly ci: Ci; readonly pulls: Pulls; readonly turn: Turn }) {
    this.#host = host;
    this.#ci = ci;
    this.#pulls = pulls;
    this.#turn = turn;
  }

  async enqueue(
    fullName: string,
    number: number,
    { by, expectedHead }: { readonly by: string; readonly expectedHead: string | undefined },
  ): Promise<QueueEntry> {
    const found = liveForge(this.#host, fullName);
    const pull = pullOf(found, number);
    const protection = protectionOf(found.forge, pull.baseRef);
    if (protection === undefined || protection.mergeQueue === null)
      throw new Refusal(422, "Merge queue is not enabled for this branch");
    if (expectedHead !== undefined && expectedHead !== pull.headSha)
      throw new Refusal(422, "Head branch was modified. Review and try the merge again.");
    if (!isOpen(found, pull) || pull.isDraft) throw new Refusal(422, "Pull request is not open");
    if (found.forge.queue.some((entry) => entry.pull === number)) throw new Refusal(422, "Pull request is already in the queue");
    const { isMergeable } = await this.#pulls.mergeability.judge(found, pull);
    const why = isMergeable ? await unmet(found, pull, protection) : "Pull request has merge conflicts";
    if (why !== undefined) throw new Refusal(422, why);
    this.#host.remember();
    const entry: QueueEntry = {
      id: newId(this.#host.state()),
      pull: number,
      headSha: pull.headSha,
      enqueuedAt: this.#host.now(),
      enqueuedBy: by,
      state: "QUEUED",
      groupSha: null,
    };
    found.forge.queue.push(entry);
    this.#host.changed();
    return entry;
  }

  /** Takes a pull request out of the queue, and ends the checks of its group. */
  dequeue(fullName: string, number: number, reason = "manual"): QueueEntry | undefined {
    const { forge } = liveForge(this.#host, fullName);
    const entry = forge.queue.find(({ pull }) => pull === number);
    if (entry === undefined) return undefined;
    this.#host.remember();
    forge.queue = forge.queue.filter((each) => each !== entry);
    const pull = forge.pulls.find((each) => each.number === number);
    if (pull !== undefined) pull.letGo = { id: `RFMQE_${entry.id}`, reason };
    this.#toClean.add(fullName);
    if (entry.groupSha !== null) this.#ci.cancel(fullName, { sha: entry.groupSha, branch: "", event: "merge_group" });
    this.#host.changed();
    return entry;
  }

  /** True if there is something that `advance` could do. */
  isWaiting(fullName: string): boolean {
    return liveForge(this.#host, fullName).forge.queue.length > 0 || this.#toClean.has(fullName);
  }

  /** Does what can be done now for the first of the queue; called after each change. */
  advance(fullName: string): Promise<void> {
    return this.#turn(async () => {
      for (;;) {
        const found = liveForge(this.#host, fullName);
        const entry = found.forge.queue[0];
        if (this.#toClean.delete(fullName)) await clean(found);
        if (entry === undefined) return;
        if (!isOpen(found, pullOf(found, entry.pull))) {
          this.dequeue(fullName, entry.pull);
          continue;
        }
        const isOver = entry.groupSha === null ? await this.#build(found, entry) : await this.#finish(found, entry);
        if (!isOver) return;
      }
    });
  }

  /** True if there is more to do at once. */
  async #build(found: Found, entry: QueueEntry): Promise<boolean> {
    const { repo, forge, folder } = found;
    const pull = pullOf(found, entry.pull);
    const base = await branchTip(folder, pull.baseRef);
    const method = protectionOf(forge, pull.baseRef)?.mergeQueue;
    const sha =
      base === undefined || method === null || method === undefined
        ? undefined
        : await mergedCommit(folder, {
            base,
            head: pull.headSha,
            method,
            message: await messageOf(found, pull, { method, title: undefined, message: undefined }),
            author: issueOfPull(repo, pull).author,
            now: this.#groupTime(),
          });
    if (sha === undefined) {
      this.dequeue(repo.fullName, entry.pull);
      return true;
    }
    const branch = groupBranch(pull, base ?? "");
    await git(folder, ["update-ref", `refs/heads/${branch}`, sha]);
    this.#host.remember();
    Object.assign(entry, { state: "AWAITING_CHECKS", groupSha: sha });
    this.#ci.start(repo.fullName, { sha, branch, event: "merge_group" });
    this.#host.changed();
    return true;
  }

  async #finish(found: Found, entry: QueueEntry): Promise<boolean> {
    const { repo, forge, folder } = found;
    const pull = pullOf(found, entry.pull);
    const sha = entry.groupSha ?? "";
    const contexts = protectionOf(forge, pull.baseRef)?.contexts ?? [];
    const states = contexts.map((context) => contextState(forge, sha, context));
    const hasFailed = states.includes("failed");
    if (!hasFailed && states.some((state) => state !== "passed")) return false;
    const base = await git(folder, ["rev-parse", `refs/heads/${pull.baseRef}`]);
    const isStale = (await tryGit(folder, ["merge-base", "--is-ancestor", base, sha])).code !== 0;
    if (isStale) {
      // The base has moved: a new group.
      this.#host.remember();
      Object.assign(entry, { state: "QUEUED", groupSha: null });
      this.#toClean.add(repo.fullName);
      return true;
    }
    if (!hasFailed) {
      this.#host.remember();
      forge.queue = forge.queue.filter((each) => each !== entry);
      await this.#pulls.land(found, pull, { sha, base, by: entry.enqueuedBy });
    } else this.dequeue(repo.fullName, entry.pull, "failed_checks");
    this.#toClean.add(repo.fullName);
    return true;
  }

  /** A second of its own for each group, so that one which is built again is another commit with checks of its own. */
  #groupTime(): number {
    this.#lastGroupAt = Math.max(this.#host.now(), this.#lastGroupAt + 1000);
    return this.#lastGroupAt;
  }
}

/** Deletes the branches of groups that are over. */
async function clean({ folder, forge }: Found): Promise<void> {
  const text = await git(folder, ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/gh-readonly-queue"]);
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [sha, ref = ""] = line.split(" ");
    if (!forge.queue.some(({ groupSha }) => groupSha === sha)) await git(folder, ["update-ref", "-d", ref]);
  }
}

function groupBranch({ baseRef, number }: Pull, base: string): string {
  return `gh-readonly-queue/${baseRef}/pr-${number}-${base}`;
}
