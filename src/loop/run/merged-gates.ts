import { isLeftByForge } from "../../domain/run/reduce-merge-observed.ts";
import { ticketOf } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { endOfTime } from "../../domain/schedule/run-time.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { ForgeUnavailable } from "../../ports/forge.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoopContext } from "../attempt/context.ts";

/** The context of the look at pull requests that were left to people. */
export type MergedGatesContext = Pick<LoopContext, "clock" | "pullRequests" | "report" | "state">;

/** A pull request that was merged after its ticket was left to a person. `isOurs`: at the head that was checked. */
export interface MergedGate {
  readonly ticket: TicketState["id"];
  readonly number: number;
  readonly head: string;
  readonly mergeCommit: string;
  readonly isOurs: boolean;
}

/** Finds them. A forge that is away has nothing to tell: the next look asks again. */
export async function mergedGates(ctx: MergedGatesContext, repo: Repo): Promise<readonly MergedGate[]> {
  const target = ctx.pullRequests.get(repo.id);
  const { plan, tickets } = ctx.state();
  // An attempt has to take the steps behind the merge.
  if (target === undefined || ctx.clock.now() >= (endOfTime(ctx.state()) ?? Number.POSITIVE_INFINITY)) return [];
  const merged: MergedGate[] = [];
  for (const ticket of vecItems(tickets)) {
    const { number, head = "" } = ticket.pullRequest ?? {};
    if (number === undefined || !isLeftByForge(ticket) || specOf(plan, ticket.id).repo !== repo.id) continue;
    const read = await target.pulls.read(number).catch((error: unknown) => {
      if (error instanceof ForgeUnavailable) return undefined;
      throw error;
    });
    if (read?.state !== "merged" || read.mergeCommit === undefined || read.base !== target.rules.base) continue;
    merged.push({ ticket: ticket.id, number, head, mergeCommit: read.mergeCommit, isOurs: read.head === head });
  }
  return merged;
}

/**
 * Withdraws the gate of a ticket whose merge the base at the forge holds. Another head than the checked one counts only if the base holds
 * that, too. Runs in the turn of the repository's landings.
 */
export async function withdrawGate(ctx: MergedGatesContext, repo: Repo, merged: MergedGate): Promise<void> {
  const { ticket, number, head, mergeCommit: to, isOurs } = merged;
  const landing = await repo.land({ from: await repo.baseTip(), to, isMerged: true });
  if (landing.as !== "landed" || !(isOurs || (await repo.contains(head)))) return;
  const from = (await repo.parent(to)) ?? to;
  const now = ticketOf(ctx.state(), ticket);
  if (isLeftByForge(now) && now.pullRequest?.head === head)
    ctx.report({ type: "merge-observed", ticket, repo: repo.id, number, from, to });
}
