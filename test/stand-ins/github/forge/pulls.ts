import { addIssue, userOf } from "../state.ts";
import { protectionOf } from "./checks.ts";
import type { Ci } from "./ci.ts";
import { closedBy, closeIssues, shownText } from "./closing.ts";
import { branchTip, git, tryGit } from "./git.ts";
import { type Found, type Host, issueOfPull, liveForge, pullOf } from "./host.ts";
import { mergedCommit } from "./merge.ts";
import { type MergeabilityReader, unmet } from "./mergeability.ts";
import type { MergeMethod, Pull } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { lineAfter } from "./reviews.ts";

export interface OpenOptions {
  readonly title: string;
  readonly body: string;
  /** `branch`, or `owner:branch`. */
  readonly head: string;
  readonly base: string;
  readonly isDraft: boolean;
  readonly author: string;
}

export interface MergeOptions {
  readonly by: string;
  readonly method: MergeMethod;
  /** True if the rules of the base do not bind who merges. */
  readonly mayBypass?: boolean;
  /** The head that the caller has seen. */
  readonly sha?: string | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
}

/** Opens, moves, merges and closes pull requests. Each act is one turn: nothing else changes the repository meanwhile. */
export class Pulls {
  readonly mergeability: MergeabilityReader;
  /** Told when a pull request leaves the merge queue by itself. */
  leaveQueue: (repo: string, number: number) => void = () => undefined;
  readonly #host: Host;
  readonly #ci: Ci;

  constructor(host: Host, ci: Ci, mergeability: MergeabilityReader) {
    this.#host = host;
    this.#ci = ci;
    this.mergeability = mergeability;
  }

  async open(fullName: string, { title, body, head, base, isDraft, author }: OpenOptions): Promise<Pull> {
    const found = liveForge(this.#host, fullName);
    const { repo, forge, folder } = found;
    const headRef = head.replace(/^[^:]*:/, "");
    const [headSha, baseSha] = [await branchTip(folder, headRef), await branchTip(folder, base)];
    if (baseSha === undefined) throw invalid({ field: "base", code: "invalid" });
    if (headSha === undefined) throw invalid({ field: "head", code: "invalid" });
    const owner = repo.fullName.split("/")[0];
    const same = ownPulls(forge, headRef).filter(({ baseRef }) => baseRef === base);
    if (same.some((each) => isOpen(found, each)))
      throw invalid({ code: "custom", message: `A pull request already exists for ${owner}:${headRef}.` });
    if ((await git(folder, ["rev-list", "--count", `${baseSha}..${headSha}`])) === "0")
      throw invalid({ code: "custom", message: `No commits between ${base} and ${headRef}` });
    return this.#add(found, { title, body, author }, { fork: null, headRef, headSha, baseRef: base, baseSha, isDraft });
  }

  /** Opens a pull request against the default branch from a branch of the author's fork, whose commit is in this repository's store. */
  async openFromFork(
    fullName: string,
    { title, author, headRef, headSha }: Pick<OpenOptions, "title" | "author"> & Pick<Pull, "headRef" | "headSha">,
  ): Promise<Pull> {
    const found = liveForge(this.#host, fullName);
    const { defaultBranch: baseRef } = found.forge;
    const baseSha = await branchTip(found.folder, baseRef);
    if (baseSha === undefined) throw new Error(`there is no branch ${baseRef}`);
    const head = { fork: author, headRef, headSha, baseRef, baseSha, isDraft: false };
    return this.#add(found, { title, body: "", author }, head);
  }

  async #add(
    { repo, forge, folder }: Found,
    text: Pick<OpenOptions, "title" | "body" | "author">,
    head: Pick<Pull, "fork" | "headRef" | "headSha" | "baseRef" | "baseSha" | "isDraft">,
  ): Promise<Pull> {
    this.#host.remember();
    const { number } = addIssue(this.#host.state(), repo, { ...text, isPullRequest: true }, this.#host.now());
    const unmerged = { mergedAt: null, mergedBy: null, mergeSha: null };
    const pull: Pull = { number, ...head, ...unmerged, reviewers: [], reviews: [], threads: [] };
    forge.pulls.push(pull);
    await git(folder, ["update-ref", `refs/pull/${number}/head`, pull.headSha]);
    this.#host.changed();
    this.#check(repo.fullName, pull);
    return pull;
  }

  /** Follows what a push did to branches. */
  async pushed(fullName: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Promise<void> {
    for (const branch of new Set([...before.keys(), ...after.keys()])) {
      const [old, tip] = [before.get(branch), after.get(branch)];
      if (old === tip) continue;
      const found = liveForge(this.#host, fullName);
      if (tip !== undefined) this.#checkBranch(found, branch, tip);
      const open = ownPulls(found.forge, branch).filter((each) => isOpen(found, each));
      for (const pull of open) {
        if (tip === undefined) this.close(fullName, pull.number, "");
        else await this.#move(found, pull, tip);
      }
      // GitHub closes what was to be merged into a branch that is gone.
      if (tip === undefined)
        for (const pull of found.forge.pulls.filter((each) => each.baseRef === branch && isOpen(found, each)))
          this.close(fullName, pull.number, "");
    }
    this.#host.changed();
  }

  close(fullName: string, number: number, by: string): void {
    const found = liveForge(this.#host, fullName);
    const pull = pullOf(found, number);
    const issue = issueOfPull(found.repo, pull);
    if (issue.state === "closed") return;
    this.#host.remember();
    const now = this.#host.now();
    Object.assign(issue, { state: "closed", closedAt: now, updatedAt: now, closedBy: by === "" ? null : by });
    this.leaveQueue(fullName, number);
    this.#host.changed();
  }

  async reopen(fullName: string, number: number): Promise<void> {
    const found = liveForge(this.#host, fullName);
    const pull = pullOf(found, number);
    const tip = pull.fork === null ? await branchTip(found.folder, pull.headRef) : pull.headSha;
    if (pull.mergedAt !== null || tip === undefined)
      throw invalid({ field: "state", code: "custom", message: "state cannot be changed. The pull request cannot be reopened." });
    this.#host.remember();
    Object.assign(issueOfPull(found.repo, pull), { state: "open", closedAt: null, closedBy: null, updatedAt: this.#host.now() });
    if (tip !== pull.headSha) await this.#move(found, pull, tip);
    this.#host.changed();
    this.#check(fullName, pull);
  }

  async retarget(fullName: string, number: number, base: string): Promise<void> {
    const found = liveForge(this.#host, fullName);
    const tip = await branchTip(found.folder, base);
    if (tip === undefined) throw invalid({ field: "base", code: "invalid" });
    this.#host.remember();
    const pull = pullOf(found, number);
    Object.assign(pull, { baseRef: base, baseSha: tip });
    this.#touch(found, pull);
    this.leaveQueue(fullName, number);
    this.#host.changed();
  }

  /** Merges as a person's click does; the merge queue calls `land` itself. */
  async merge(fullName: string, number: number, options: MergeOptions): Promise<string> {
    const found = liveForge(this.#host, fullName);
    const { forge, repo, folder } = found;
    const pull = pullOf(found, number);
    if (!isOpen(found, pull) || pull.isDraft) throw new Refusal(405, "Pull Request is not mergeable");
    if (options.sha !== undefined && options.sha !== pull.headSha)
      throw new Refusal(409, "Head branch was modified. Review and try the merge again.");
    const { settings } = forge;
    const allowed = { merge: settings.allowMerge, squash: settings.allowSquash, rebase: settings.allowRebase };
    if (!allowed[options.method]) throw new Refusal(405, `${METHOD_WORDS[options.method]} are not allowed on this repository.`);
    const { isMergeable, state } = await this.mergeability.judge(found, pull);
    if (!isMergeable) throw new Refusal(405, "Pull Request is not mergeable");
    const protection = options.mayBypass ? undefined : protectionOf(forge, pull.baseRef);
    if (protection !== undefined) {
      if (protection.mergeQueue !== null) throw violation("Changes must be made through the merge queue");
      const why = await unmet(found, pull, protection);
      if (why !== undefined) throw violation(why);
      if (state === "behind") throw new Refusal(405, "Head branch is out of date. Review and try the merge again.");
      if (protection.hasLinearHistory && options.method === "merge")
        throw violation("Merge commits are not allowed on this branch.");
    }
    const base = await branchTip(folder, pull.baseRef);
    if (base === undefined) throw new Refusal(405, "Pull Request is not mergeable");
    const message = await messageOf(found, pull, options);
    const sha = await mergedCommit(folder, {
      base,
      head: pull.headSha,
      method: options.method,
      message,
      author: issueOfPull(repo, pull).author,
      now: this.#host.now(),
    });
    if (sha === undefined) throw new Refusal(405, "Pull Request is not mergeable");
    await this.land(found, pull, { sha, base, by: options.by });
    return sha;
  }

  /** Moves the base to a merge's commit, and closes the pull request as merged. */
  async land(
    found: Found,
    pull: Pull,
    { sha, base, by }: { readonly sha: string; readonly base: string; readonly by: string },
  ): Promise<void> {
    const { repo, forge, folder } = found;
    await git(folder, ["update-ref", `refs/heads/${pull.baseRef}`, sha, base]);
    this.#host.remember();
    const now = this.#host.now();
    userOf(this.#host.state(), by);
    Object.assign(pull, { mergedAt: now, mergedBy: by, mergeSha: sha });
    const issue = issueOfPull(repo, pull);
    Object.assign(issue, { state: "closed", closedAt: now, updatedAt: now, closedBy: by });
    this.#checkBranch(found, pull.baseRef, sha);
    if (pull.baseRef === forge.defaultBranch) {
      const messages = await git(folder, ["log", "--format=%B", `${base}..${sha}`]);
      const refs = [shownText(issue.body), messages].flatMap((text) => closedBy(repo.fullName, text));
      closeIssues(this.#host.state(), refs, { pullRequest: pull.number, by, now });
    }
    if (forge.settings.deletesBranchOnMerge && pull.fork === null) {
      const before = new Map([[pull.headRef, pull.headSha]]);
      await tryGit(folder, ["update-ref", "-d", `refs/heads/${pull.headRef}`, pull.headSha]);
      await this.pushed(repo.fullName, before, new Map());
    }
    this.#host.changed();
  }

  async #move(found: Found, pull: Pull, tip: string): Promise<void> {
    const { repo, forge, folder } = found;
    const threads = await Promise.all(pull.threads.map((thread) => lineAfter(folder, thread, pull.headSha, tip)));
    this.#host.remember();
    for (const [at, thread] of pull.threads.entries()) thread.line = threads[at] ?? null;
    pull.headSha = tip;
    pull.baseSha = (await branchTip(folder, pull.baseRef)) ?? pull.baseSha;
    if (protectionOf(forge, pull.baseRef)?.dismissesStale)
      for (const review of pull.reviews) if (review.state === "APPROVED") review.state = "DISMISSED";
    await git(folder, ["update-ref", `refs/pull/${pull.number}/head`, tip]);
    this.#touch(found, pull);
    this.leaveQueue(repo.fullName, pull.number);
    this.#check(repo.fullName, pull);
  }

  #touch({ repo }: Found, pull: Pull): void {
    issueOfPull(repo, pull).updatedAt = this.#host.now();
  }

  /** Starts the jobs that run on pushes: those of the default branch alone. */
  #checkBranch({ repo, forge }: Found, branch: string, sha: string): void {
    if (branch === forge.defaultBranch && forge.jobs.some(({ on }) => on?.includes("push")))
      this.#ci.start(repo.fullName, { sha, branch, event: "push" });
  }

  #check(fullName: string, { headSha, headRef }: Pull): void {
    this.#ci.start(fullName, { sha: headSha, branch: headRef, event: "pull_request" });
  }
}

const METHOD_WORDS = { merge: "Merge commits", squash: "Squash merges", rebase: "Rebase merges" };

/** The pull requests of a branch of the repository itself. */
function ownPulls({ pulls }: Found["forge"], branch: string): readonly Pull[] {
  return pulls.filter(({ fork, headRef }) => fork === null && headRef === branch);
}

export function isOpen({ repo }: Found, pull: Pull): boolean {
  return issueOfPull(repo, pull).state === "open";
}

/** The message of a merge that has none of its own, by GitHub's defaults. */
export async function messageOf(
  { repo, folder }: Found,
  pull: Pull,
  { method, title, message }: Pick<MergeOptions, "method" | "title" | "message">,
): Promise<string> {
  const issue = issueOfPull(repo, pull);
  const owner = repo.fullName.split("/")[0];
  const subject =
    title ??
    (method === "merge"
      ? `Merge pull request #${pull.number} from ${owner}/${pull.headRef}`
      : `${issue.title} (#${pull.number})`);
  const subjects =
    method === "squash" ? await git(folder, ["log", "--reverse", "--format=* %s", `${pull.baseSha}..${pull.headSha}`]) : "";
  const body = message ?? (method === "merge" ? issue.title : subjects.includes("\n") ? subjects : "");
  return body === "" ? subject : `${subject}\n\n${body}`;
}

function invalid(error: Readonly<Record<string, string>>): Refusal {
  return new Refusal(422, "Validation Failed", [{ resource: "PullRequest", ...error }]);
}

function violation(why: string): Refusal {
  return new Refusal(405, `Repository rule violations found\n\n${why}\n\n`);
}
