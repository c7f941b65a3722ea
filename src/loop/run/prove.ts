import type { Remark } from "@loopdash/test-evidence";
import { proofLine } from "@loopdash/test-evidence";
import type { Check } from "../../domain/batch/step-spec.ts";
import { type LandedCommit, type Origin, upTo, wholeParts } from "../../domain/run/landings.ts";
import type { ProofFact } from "../../domain/run/proof-fact.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import { ticketById } from "../../domain/run/state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { unprovenCommits } from "../../domain/schedule/proofs.ts";
import type { RepoId, RunId } from "../../domain/values/ids.ts";
import { boundedList, errorMessage, plainText, plural } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import { type LoopContext, waitingRepo } from "../attempt/context.ts";
import { pause } from "../concurrency/wait.ts";
import { deepProof, shareProven } from "../steps/deep-proof.ts";
import type { ProofOutcome } from "../steps/proof.ts";
import { verifyScope } from "./live-check.ts";

type Ended = Omit<Extract<ProofFact, { type: "proof-ended" }>, "type" | "repo" | "sha" | "commits">;

/** Waits before a proof that could not run is tried again. Milliseconds. */
const WAITS_MS = [5_000, 30_000];

/** Found in the environment of every process of a proof. */
export function proofMarker(run: RunId, repo: string): string {
  return `${run}/proof/${repo}`;
}

/** A proof of one commit of a base. */
interface TreeProof {
  readonly ctx: LoopContext;
  readonly repo: Repo;
  readonly commit: LandedCommit;
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

/**
 * Proves what has landed on a base since its last proof, all of it by one tree. If the proof fails, bisection over the landed commits
 * finds the change that is to blame. Never throws: it reports how it ended, or that it was stopped.
 */
export async function proveBase(
  ctx: LoopContext,
  { repo, sha }: { readonly repo: RepoId; readonly sha: string },
  signal: AbortSignal,
): Promise<void> {
  const all = unprovenCommits(ctx.state(), repo);
  const covered = all.slice(0, all.findIndex((commit) => commit.sha === sha) + 1);
  for (const wait of [...WAITS_MS, undefined]) {
    const ended = await proveCommits(ctx, repo, covered, signal).catch((error: unknown) => errorMessage(error));
    if (signal.aborted) return void ctx.report({ type: "proof-stopped", repo });
    if (typeof ended !== "string") return void ctx.report({ type: "proof-ended", repo, sha, commits: covered.length, ...ended });
    const problem = plainText(ended, 300);
    // A proof that cannot run proves nothing (law 4).
    if (wait === undefined)
      return void ctx.report({ type: "proof-ended", repo, sha, commits: covered.length, ok: false, summary: problem });
    await pause(ctx.clock, wait, signal);
  }
}

/** The end of a proof, or the reason why it could not run. */
async function proveCommits(
  ctx: LoopContext,
  id: RepoId,
  covered: readonly LandedCommit[],
  signal: AbortSignal,
): Promise<Ended | string> {
  const last = covered.at(-1);
  if (last === undefined) return { ok: true, summary: "nothing has landed since the last proof" };
  const repo = waitingRepo(ctx, plannedTicket(ctx.state().plan, last.ticket), signal);
  const proveFirst = (first: number): Promise<TreeOutcome> =>
    proveTree(
      { ctx, repo, commit: covered[first - 1] ?? last, origin: originAt(ctx, id, covered, first - 1), signal },
      covered.slice(0, first),
    );
  let found = await proveFirst(covered.length);
  if (found.outcome.as === "proven") {
    const { newTests } = found.outcome;
    return { ok: true, summary: `${plural(covered.length, "change")} proven: ${found.says}`, ...(newTests && { newTests }) };
  }
  // A change that was taken back makes every tree fail that has it and not its revert.
  const parts = [0, ...wholeParts(covered)];
  let [proven, failing] = [0, parts.length - 1];
  while (failing - proven > 1) {
    const middle = Math.floor((proven + failing) / 2);
    const next = await proveFirst(parts[middle] ?? covered.length);
    if (next.outcome.as === "broken") return next.outcome.evidence.summary;
    if (next.outcome.as === "proven") proven = middle;
    else [failing, found] = [middle, next];
  }
  const { outcome, says: check } = found;
  if (outcome.as === "broken") return outcome.evidence.summary;
  if (outcome.as === "proven") throw new Error("a proof that failed is proven");
  const suspects = covered.slice(parts[proven], parts[failing]);
  return failedProof(ctx, suspects.findLast((each) => isInBase(ctx, each)) ?? suspects.at(-1) ?? last, {
    check,
    finding: outcome.finding,
  });
}

/** True for the change of a ticket that was not taken back. */
function isInBase({ state }: Pick<LoopContext, "state">, { sha, ticket }: LandedCommit): boolean {
  return ticketById(state(), ticket).mergedSha === sha;
}

/** A failed proof of a commit. A commit that is not the ticket's own change, but its revert, is nobody's fault. */
function failedProof(
  ctx: LoopContext,
  commit: LandedCommit,
  { check, finding }: { readonly check: string; readonly finding: Remark },
): Ended {
  const { sha, ticket } = commit;
  const summary = plainText(`the check ${check} is not proven with ${sha.slice(0, 7)} of ${ticket}: ${finding.says}`, 300);
  const detail = boundedList(finding.ids.map((one) => plainText(one, 300)));
  return { ok: false, summary, check, detail, blamed: isInBase(ctx, commit) ? ticket : undefined };
}

/** The outcome of a tree: what its proofs say, or the name of the check that is not proven. */
interface TreeOutcome {
  readonly outcome: ProofOutcome;
  readonly says: string;
}

/** Proves a tree by each check of the tickets that landed in it. */
async function proveTree(proof: TreeProof, covered: readonly LandedCommit[]): Promise<TreeOutcome> {
  const { ctx, repo, commit, origin, signal } = proof;
  const scope = await verifyScope(ctx, ticketById(ctx.state(), commit.ticket), { signal, marker: proofMarker(ctx.run, repo.id) });
  const candidate = { ok: true as const, commit: commit.sha, base: origin.first };
  const says: string[] = [];
  const newTests: string[] = [];
  for (const step of distinctChecks(ctx, covered)) {
    const prove = () => deepProof(ctx, scope, repo, { step, candidate, origin, allow: {} });
    const outcome = await ctx.commandPermits.run(prove, signal);
    if (outcome.as !== "proven") return { outcome, says: step.name };
    await shareProven(ctx, scope, repo, { step, outcome });
    says.push(proofLine(outcome));
    if (outcome.newTests !== undefined) newTests.push(outcome.newTests);
  }
  const told = newTests.length > 0 && { newTests: newTests.join("; ") };
  return { outcome: { as: "proven", commit: commit.sha, planted: 0, ...told }, says: says.join("; ") };
}

/** The distinct checks of the tickets of these commits. */
function distinctChecks({ state }: LoopContext, commits: readonly LandedCommit[]): readonly Check[] {
  const checks = new Map<string, Check>();
  for (const { ticket } of commits)
    for (const step of plannedTicket(state().plan, ticket).finish)
      if (step.step === "check") checks.set(JSON.stringify(step), step);
  return [...checks.values()];
}

/** The trusted origin of a landed commit: without what was trusted only after it. */
function originAt({ state }: LoopContext, repo: RepoId, covered: readonly LandedCommit[], at: number): Origin {
  const landings = repoLandings(state(), repo);
  if (landings === undefined) throw new Error(`nothing has landed on ${repo}`);
  const later = new Set(covered.slice(at + 1).map(({ sha }) => sha));
  const own = covered[at]?.sha;
  const { first, trusted } = upTo(landings, landings.last);
  return { first, trusted: trusted.filter(({ from, to }) => !later.has(to) && !later.has(from) && from !== own) };
}
