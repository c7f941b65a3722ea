import { ticketBranch } from "../../domain/run/kept-work.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { repoOf } from "./context.ts";
import { type BranchContext, keepPeoplesCommits } from "./peoples-commits.ts";

/**
 * Removes the worktree of a ticket's attempt and, if wanted, the ticket's branch, after a person's commits on it were kept. Never
 * throws: it warns of what it cannot remove.
 */
export async function cleanUp(
  ctx: BranchContext,
  id: TicketId,
  options: { readonly path: string; readonly deleteBranch: boolean },
): Promise<void> {
  try {
    if (options.deleteBranch) await keepPeoplesCommits(ctx, id);
    const repo = repoOf(ctx, specOf(ctx.state().plan, id));
    await repo.removeWorktree({ ...options, branch: ticketBranch(ctx.run, id) });
  } catch (error) {
    // Harmless: the folder is the run's own, and the next attempt gets another.
    process.emitWarning(`could not remove the worktree ${options.path}: ${errorMessage(error)}`);
  }
}
