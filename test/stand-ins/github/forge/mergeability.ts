import { associationOf, type Repo } from "../state.ts";
import { contextState, protectionOf, rollupState } from "./checks.ts";
import { branchTip, git, isAncestor } from "./git.ts";
import { type Found, issueOfPull } from "./host.ts";
import { mergedTree } from "./merge.ts";
import type { Protection, Pull, Review } from "./model.ts";

/** GitHub's `mergeable_state`, in lower case as REST has it. */
export type MergeState = "behind" | "blocked" | "clean" | "dirty" | "draft" | "unknown" | "unstable";

/** Whether a pull request can be merged; `null` while GitHub does not know yet. */
export interface Mergeability {
  readonly isMergeable: boolean | null;
  readonly state: MergeState;
}

export type ReviewDecision = "APPROVED" | "CHANGES_REQUESTED" | "REVIEW_REQUIRED";

/** What GitHub says until it has looked. */
export const UNKNOWN: Mergeability = { isMergeable: null, state: "unknown" };

/** Tells whether pull requests can be merged, after it has told so often that it does not know. */
export class MergeabilityReader {
  /** How many readings of each head and base say "unknown" first, as GitHub computes the answer when it is asked. */
  unknownReads = 1;
  readonly #reads = new Map<string, number>();
  readonly #conflicts = new Map<string, boolean>();

  /** What a reader sees. */
  async read(found: Found, pull: Pull): Promise<Mergeability> {
    const base = await branchTip(found.folder, pull.baseRef);
    if (base === undefined || issueOfPull(found.repo, pull).state === "closed") return UNKNOWN;
    const key = `${found.repo.fullName} ${pull.number} ${base} ${pull.headSha}`;
    const reads = this.#reads.get(key) ?? 0;
    this.#reads.set(key, reads + 1);
    return reads < this.unknownReads ? UNKNOWN : this.judge(found, pull);
  }

  /** The truth, for merges. */
  async judge(found: Found, pull: Pull): Promise<Mergeability> {
    const { folder, forge } = found;
    const base = await branchTip(folder, pull.baseRef);
    if (base === undefined) return { isMergeable: false, state: "dirty" };
    if (await this.#hasConflict(folder, base, pull.headSha)) return { isMergeable: false, state: "dirty" };
    const state = await stateOf(found, pull, base);
    const rollup = rollupState(forge, pull.headSha);
    const isUnstable = state === "clean" && (rollup === "failed" || rollup === "pending");
    return { isMergeable: true, state: isUnstable ? "unstable" : state };
  }

  async #hasConflict(folder: string, base: string, head: string): Promise<boolean> {
    const key = `${base} ${head}`;
    const known = this.#conflicts.get(key);
    if (known !== undefined) return known;
    const hasConflict = (await mergedTree(folder, base, head)) === undefined;
    this.#conflicts.set(key, hasConflict);
    return hasConflict;
  }
}

async function stateOf(found: Found, pull: Pull, base: string): Promise<MergeState> {
  if (pull.isDraft) return "draft";
  const protection = protectionOf(found.forge, pull.baseRef);
  if (protection === undefined) return "clean";
  if ((await unmet(found, pull, protection)) !== undefined) return "blocked";
  return protection.isStrict && !(await isAncestor(found.folder, base, pull.headSha)) ? "behind" : "clean";
}

/** Why the base's protection forbids the merge, in GitHub's words; undefined if nothing does. */
export async function unmet({ repo, forge, folder }: Found, pull: Pull, protection: Protection): Promise<string | undefined> {
  for (const context of protection.contexts) {
    const state = contextState(forge, pull.headSha, context);
    if (state === "missing") return `Required status check "${context}" is expected.`;
    if (state === "pending") return `Required status check "${context}" is pending.`;
    if (state === "failed") return `Required status check "${context}" is failing.`;
  }
  const decision = reviewDecision(repo, pull, protection);
  if (decision === "CHANGES_REQUESTED") return "Changes have been requested.";
  if (decision === "REVIEW_REQUIRED") {
    const { approvals } = protection;
    return `At least ${approvals} approving review${approvals === 1 ? " is" : "s are"} required by reviewers with write access.`;
  }
  if (protection.resolvesThreads && pull.threads.some(({ isResolved }) => !isResolved))
    return "A conversation must be resolved before this pull request can be merged.";
  const merges = protection.hasLinearHistory
    ? await git(folder, ["rev-list", "--merges", "--max-count=1", `refs/heads/${pull.baseRef}..${pull.headSha}`])
    : "";
  return merges === "" ? undefined : "This branch must not contain merge commits.";
}

/** The newest review with an opinion of each person who may write. */
export function opinions(repo: Repo, { reviews }: Pull): readonly Review[] {
  const byAuthor = new Map<string, Review>();
  for (const review of reviews) if (review.state !== "COMMENTED") byAuthor.set(review.author, review);
  return [...byAuthor.values()].filter(({ author }) => ["OWNER", "MEMBER", "COLLABORATOR"].includes(associationOf(repo, author)));
}

/** What the reviews of a pull request come to; null if nobody has to review it and nobody has. */
export function reviewDecision(repo: Repo, pull: Pull, protection: Protection | undefined): ReviewDecision | null {
  const required = protection?.approvals ?? 0;
  const states = opinions(repo, pull).map(({ state }) => state);
  if (states.includes("CHANGES_REQUESTED")) return "CHANGES_REQUESTED";
  const approvals = states.filter((state) => state === "APPROVED").length;
  if (approvals >= Math.max(1, required)) return "APPROVED";
  return required > 0 ? "REVIEW_REQUIRED" : null;
}
