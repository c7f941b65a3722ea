import { type BranchFact, peoplesBranch } from "../../domain/run/branch-fact.ts";
import { ticketBranch } from "../../domain/run/kept-work.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { firstFewLine, plainText, plural } from "../../domain/values/text.ts";
import { utcTime } from "../../domain/values/time.ts";
import { type Commit, ENGINE_AUTHOR, type Repo } from "../../ports/vcs.ts";
import { type LoopContext, repoOf } from "./context.ts";

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
    repo = repoOf(ctx, specOf(ctx.state().plan, id)),
  }: { readonly isAtRest?: boolean; readonly ours?: string | undefined; readonly repo?: Repo } = {},
): Promise<void> {
  const branch = ticketBranch(ctx.run, id);
  await observeBranch(ctx, repo, { ticket: id, branch, isAtRest, ours });
  const { people = [] } = ticketOf(ctx.state(), id).branches ?? {};
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
  return ticketOf(state(), ticket).branches?.tips[branch];
}

/**
 * True if the engine or the agent may have moved the ticket's branch, and it is not on record yet. Without a sandbox, an agent
 * commits on this very branch: nobody can tell its commits from a person's, so they are its work.
 */
function mayBeOurs({ confined, state }: BranchContext, id: TicketId, isAtRest: boolean): boolean {
  const { attempt } = ticketOf(state(), id);
  if (attempt === undefined || attempt.change !== undefined) return false;
  if (attempt.agent === undefined) return !isAtRest;
  return !confined || (attempt.agent.endedAt !== undefined && !isAtRest);
}
