import type { RunState } from "../run/state.ts";
import type { TicketState } from "../run/ticket-state.ts";
import { plannedTicket } from "../schedule/plan.ts";

/**
 * The time at which loopdash pushed the head of a ticket's pull request or branch, in milliseconds since the epoch; undefined if it found that
 * commit there: nobody knows when it was pushed.
 */
export function pushTime(
  { batch, plan }: Pick<RunState, "batch" | "plan">,
  { id, pullRequest }: TicketState,
): number | undefined {
  const isBranch = batch.repos[plannedTicket(plan, id).repo]?.forge?.kind === "github-branch";
  const isFound = isBranch && pullRequest?.onto === undefined;
  return isFound ? undefined : pullRequest?.pushedAt;
}
