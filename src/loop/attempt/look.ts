import { ticketOf } from "../../domain/run/state.ts";
import type { PendingWork, TicketState } from "../../domain/run/ticket-state.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { AttemptScope, LoopContext } from "./context.ts";

/**
 * An attempt at a branch of which no failed check is known changes nothing: it reads them, and they may pass already. Nor does any attempt
 * if nothing is to be changed.
 */
export async function look(
  { branchChecks, state }: LoopContext,
  { ticket }: AttemptScope,
  repo: Repo,
): Promise<PendingWork | undefined> {
  const target = branchChecks.get(repo.id);
  if (target === undefined || (target.canChange && hasFailedChecks(ticketOf(state(), ticket.id)))) return undefined;
  const tip = await repo.baseTip();
  return { tip, baseSha: tip, claimed: false };
}

function hasFailedChecks({ pullRequest }: TicketState): boolean {
  return pullRequest?.seen?.checks.some(({ state }) => state === "failed") === true;
}
