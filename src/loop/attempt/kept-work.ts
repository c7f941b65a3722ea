import { copiedPaths } from "../../domain/batch/copy-spec.ts";
import { mayTake } from "../../domain/batch/remedy-spec.ts";
import type { AttemptOutcome } from "../../domain/run/attempt-fact.ts";
import { type BranchFact, peoplesBranch } from "../../domain/run/branch-fact.ts";
import { type Elsewhere, type KeptWork, keptBranch, ticketBranch } from "../../domain/run/kept-work.ts";
import { ticketById } from "../../domain/run/state.ts";
import { type Attempt, claimsDone } from "../../domain/run/ticket-state.ts";
import { hasPassedChecks, workToKeep } from "../../domain/run/work-to-keep.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorMessage, firstFewLine, plainText, plural } from "../../domain/values/text.ts";
import { utcTime } from "../../domain/values/time.ts";
import { type Change, type Commit, ENGINE_AUTHOR, type Repo } from "../../ports/vcs.ts";
import { touchedProtected } from "../steps/gates.ts";
import { type AttemptScope, type LoopContext, ticketRepo } from "./context.ts";

/** Bytes of a change that are kept as a patch, for the next attempt and the dashboard. */
const PATCH_BYTES = 1_000_000;

/** Time for the capture of a cut-off attempt, and while the run stops: a person waits for it. Milliseconds. */
const CAPTURE_MS = 30_000;
const STOPPING_MS = 10_000;

/** The services that keep the work of an attempt. */
export type KeepContext = BranchContext & Pick<LoopContext, "files" | "starts">;

/**
 * Keeps the work of an attempt that ends with this outcome and was cut off, or that a later attempt may step back to, before its
 * worktree is removed: captured as any agent's work is, in the sandbox and within bounds, and then on a branch of its own (`keptBranch`). An empty change leaves no
 * branch. Never throws: if the work cannot be kept, a fact says why, and the run goes on. True if nothing of the ticket's own
 * branch is needed any more. Its agent is no longer running, and the attempt has not been reported as ended.
 */
export async function keepWork(
  ctx: KeepContext,
  scope: Pick<AttemptScope, "ticket" | "n" | "fence">,
  repo: Repo,
  outcome: AttemptOutcome,
): Promise<boolean> {
  const { ticket, fence, n } = scope;
  const { attempt } = ticketById(ctx.state(), ticket.id);
  if (attempt?.fence !== fence) return false;
  // What an agent did instead of planning counts for nothing.
  if (attempt.isPlanning) return true;
  const branch = keptBranch(ctx.run, ticket.id, n);
  try {
    // The engine may have been lost between the fact and its effect.
    if (attempt.kept !== undefined) {
      await keepWorkBranch(repo, attempt.kept);
      return true;
    }
    const isChecked = hasPassedChecks(attempt, ticket);
    // A later attempt may step back to it.
    const keepsFailed = isChecked && mayTake(ctx.state().batch.behaviour ?? {}, "step-back");
    const what = workToKeep(attempt, outcome, { keepsFailed });
    if (what === undefined) return false;
    const change = what === "worktree" ? await captureWorktree(ctx, scope, repo, outcome) : undefined;
    const { tip, files, ...left } = whatToKeep(change ?? attempt.change);
    if (files === 0) return true;
    const from = isChecked ? attempt.worktree?.baseSha : undefined;
    const kept = { branch, sha: tip, files, ...left, checkedFrom: from };
    if (!ctx.report({ type: "work-kept", ticket: ticket.id, fence, ...kept })) return false;
    await repo.keepBranch({ branch, tip });
    if (change !== undefined) await writeAttemptPatch(ctx, scope, repo, change);
    return true;
  } catch (error) {
    const why = plainText(errorMessage(error), 300);
    ctx.report({ type: "work-not-kept", ticket: ticket.id, fence, why });
    return false;
  }
}

/** Makes the branch of work that was set aside because a person has rewritten its ticket. The run goes on without it. */
export async function keepSetAside(ctx: Pick<LoopContext, "state">, id: TicketId, repo: Repo): Promise<void> {
  const kept = ticketById(ctx.state(), id).history.at(-1)?.kept;
  if (kept === undefined) return;
  try {
    await keepWorkBranch(repo, kept);
  } catch (error) {
    process.emitWarning(`${kept.branch} could not be made: ${errorMessage(error)}`);
  }
}

/** Makes the branch of kept work, unless it is there: a person may have committed on it. */
async function keepWorkBranch(repo: Repo, { branch, sha }: KeptWork): Promise<void> {
  if ((await repo.branchTip(branch)) === undefined) await repo.keepBranch({ branch, tip: sha });
}

/** The work of a change; of one that is empty, what was left elsewhere first. */
function whatToKeep(change: Change | Attempt["change"]): Pick<KeptWork, "files"> & Elsewhere & { readonly tip: string } {
  if (change === undefined) return { tip: "", files: 0 };
  if (!("paths" in change)) return { tip: change.tip, files: change.files };
  const { tip, paths, elsewhere } = change;
  const [first] = elsewhere ?? [];
  const left = elsewhere && { elsewhere };
  return paths.length === 0 && first !== undefined
    ? { tip: first.sha, files: first.files, ...left }
    : { tip, files: paths.length, ...left };
}

/** Captures a worktree on the ticket's own branch. Throws if that fails or takes too long. */
async function captureWorktree(
  ctx: KeepContext,
  { ticket, n }: Pick<AttemptScope, "ticket" | "n">,
  repo: Repo,
  outcome: AttemptOutcome,
): Promise<Change> {
  const state = ctx.state();
  const { agent, worktree } = ticketById(state, ticket.id).attempt ?? {};
  if (worktree === undefined) throw new Error("its worktree is not known");
  if (!(await ctx.files.hasRoom())) throw new Error("the disk that holds the run is full");
  await ctx.starts.over();
  // A lost engine, or a capture that was cancelled, may have moved the branch without a record.
  const isAtRest = agent?.endedAt === undefined || (outcome !== "lost" && !claimsDone(agent));
  await keepPeoplesCommits(ctx, ticket.id, { isAtRest });
  const { path, baseSha: from } = worktree;
  return repo.capture({
    path,
    branch: ticketBranch(ctx.run, ticket.id),
    from,
    message: `${ticket.title} (${ticket.id}), attempt ${n}, cut off`,
    keepAs: keptBranch(ctx.run, ticket.id, n),
    timeoutMs: state.stage === "stopping" ? STOPPING_MS : CAPTURE_MS,
  });
}

/** Writes the patch for the next attempt and the dashboard. The work is kept without it. */
async function writeAttemptPatch(
  ctx: KeepContext,
  { ticket, n }: Pick<AttemptScope, "ticket" | "n">,
  repo: Repo,
  change: Change,
): Promise<void> {
  const from = ticketById(ctx.state(), ticket.id).attempt?.worktree?.baseSha;
  if (from === undefined) return;
  try {
    const { patch } = await ctx.files.attempt(ticket.id, n);
    await keepPatch(ctx, repo, { from, change, patch });
  } catch (error) {
    process.emitWarning(`the patch of attempt ${n} at ${ticket.id} could not be written: ${errorMessage(error)}`);
  }
}

/** Writes the change of an attempt as a patch file, unless it is empty or has a copied file, whose content is shown nowhere. */
export async function keepPatch(
  { state }: Pick<LoopContext, "state">,
  repo: Repo,
  { from, change, patch }: { readonly from: string; readonly change: Change; readonly patch: string },
): Promise<void> {
  if (touchedProtected(change, copiedPaths(state().batch.repos[repo.id]?.copy)).length > 0) return;
  if (change.paths.length > 0) await repo.writePatch({ from, tip: change.tip, file: patch, maxBytes: PATCH_BYTES });
}

/** Commits of others that one look reads, and those that its line names. */
export const MOST_COMMITS = 200;
const NAMED = 3;

/** The services that notice people's commits on the branches of tickets. */
export type BranchContext = Pick<LoopContext, "confined" | "report" | "repos" | "run" | "state">;

/** Commits on a branch, as they describe themselves: nobody has checked it. */
export function describeCommits(commits: readonly Commit[], branch: string): string {
  const named = commits.map(({ sha, author, at, subject }) => {
    return `${sha.slice(0, 7)} by ${plainText(author, 60)} at ${utcTime(at)} UTC "${plainText(subject, 80)}"`;
  });
  return `${plural(commits.length, "commit")} on ${branch}: ${firstFewLine(named, NAMED)}`;
}

/**
 * Notices commits of people on the branch of a ticket, and puts them on a branch of their own. Called right before the engine
 * moves or deletes the ticket's branch, so that nothing of theirs is lost. `isAtRest`: the engine is not moving it at the moment. `ours`: where
 * it has moved the branch, if that is not on record yet. `repo` may be one whose calls wait out an outage.
 */
export async function keepPeoplesCommits(
  ctx: BranchContext,
  id: TicketId,
  {
    isAtRest = true,
    ours,
    repo = ticketRepo(ctx, plannedTicket(ctx.state().plan, id)),
  }: { readonly isAtRest?: boolean; readonly ours?: string | undefined; readonly repo?: Repo } = {},
): Promise<void> {
  const branch = ticketBranch(ctx.run, id);
  await observeBranch(ctx, repo, { ticket: id, branch, isAtRest, ours });
  const { people = [] } = ticketById(ctx.state(), id).branches ?? {};
  const tip = people.length === 0 ? undefined : await repo.branchTip(branch);
  // An engine may have been lost between the fact and its effect.
  const kept = people.find(({ sha }) => sha === tip);
  if (kept !== undefined) await repo.keepBranch({ branch: kept.branch, tip: kept.sha });
}

/** Reports commits of people on a branch of a ticket, and puts them on a branch of their own unless theirs is one already. */
export async function observeBranch(
  ctx: BranchContext,
  repo: Repo,
  { ticket, branch, isAtRest = false, ours }: { ticket: TicketId; branch: string; isAtRest?: boolean; ours?: string | undefined },
): Promise<void> {
  const { report, run } = ctx;
  const seen = seenTip(ctx, ticket, branch);
  const tip = seen === undefined ? undefined : await repo.branchTip(branch);
  if (seen === undefined || tip === undefined || tip === seen || tip === ours) return;
  const isOwn = branch === ticketBranch(run, ticket);
  const isMaybeOurs = () => isOwn && mayBeOurs(ctx, ticket, isAtRest);
  if (isMaybeOurs() || (await repo.contains(tip))) return;
  // Commits that change nothing hold nothing that could be lost.
  if ((await repo.has(seen)) && (await repo.change({ from: seen, tip })).paths.length === 0) return;
  const commits = await repo.commitsSince({ from: seen, to: tip, most: MOST_COMMITS });
  // An engine that was lost may have moved it last.
  if (commits?.every(({ author }) => author === ENGINE_AUTHOR)) return;
  const note = commits === undefined ? `moved ${branch} aside, to ${tip.slice(0, 7)}` : describeCommits(commits, branch);
  // The engine may have moved it meanwhile.
  const isStill = (await repo.branchTip(branch)) === tip && seenTip(ctx, ticket, branch) === seen;
  if (!isStill || isMaybeOurs()) return;
  const kept = isOwn ? peoplesBranch(run, ticket, tip) : branch;
  const fact: BranchFact = { type: "branch-commits-observed", ticket, branch, sha: tip, kept, note };
  if (report(fact) && isOwn) await repo.keepBranch({ branch: kept, tip });
}

function seenTip({ state }: BranchContext, ticket: TicketId, branch: string): string | undefined {
  return ticketById(state(), ticket).branches?.tips[branch];
}

/**
 * True if the engine or the agent may have moved the ticket's branch, and it is not on record yet. Without a sandbox, an agent
 * commits on this very branch: nobody can tell its commits from a person's, so they are its work.
 */
function mayBeOurs({ confined, state }: BranchContext, id: TicketId, isAtRest: boolean): boolean {
  const { attempt } = ticketById(state(), id);
  if (attempt === undefined || attempt.change !== undefined) return false;
  if (attempt.agent === undefined) return !isAtRest;
  return !confined || (attempt.agent.endedAt !== undefined && !isAtRest);
}

/** The removal of a worktree's files, which nobody has to wait for. Never rejects. */
interface Removal {
  readonly gone: Promise<void>;
}

/**
 * Removes the worktree of a ticket's attempt and, if wanted, the ticket's branch, after a person's commits on it were kept. The files go in
 * the background: installed packages may take minutes. Never throws: it warns of what it cannot remove.
 */
export async function cleanUp(
  ctx: BranchContext & Pick<LoopContext, "files">,
  id: TicketId,
  options: { readonly path: string; readonly deleteBranch: boolean },
): Promise<Removal> {
  // Harmless: the folder is the run's own, and the next attempt gets another.
  const warn = (error: unknown): void =>
    process.emitWarning(`could not remove the worktree ${options.path}: ${errorMessage(error)}`);
  let gone: Promise<void> = Promise.resolve();
  try {
    if (options.deleteBranch) await keepPeoplesCommits(ctx, id);
    const aside = await ctx.files.setAside(options.path);
    if (aside !== undefined) gone = ctx.files.remove(aside).catch(warn);
    const repo = ticketRepo(ctx, plannedTicket(ctx.state().plan, id));
    await repo.removeWorktree({ ...options, branch: ticketBranch(ctx.run, id) });
  } catch (error) {
    warn(error);
  }
  return { gone };
}
