import { ticketBranch } from "../../domain/run/kept-work.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { type LoopContext, repoOf } from "./context.ts";
import { type BranchContext, keepPeoplesCommits } from "./peoples-commits.ts";

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
    const repo = repoOf(ctx, specOf(ctx.state().plan, id));
    await repo.removeWorktree({ ...options, branch: ticketBranch(ctx.run, id) });
  } catch (error) {
    warn(error);
  }
  return { gone };
}
