import type { TicketState } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { LoopContext } from "../attempt/context.ts";
import { persistentRepo } from "../programs/persistent-repo.ts";

/**
 * Finds the done tickets that an earlier run landed and whose commits are in the base's history, for the last
 * re-verification, unless a person has closed them. If
 * people have rewritten the base since, nothing is known of a change. A run for one ticket checks no other.
 */
export async function ticketsLandedEarlier(ctx: LoopContext, signal: AbortSignal): Promise<readonly TicketState[]> {
  const { checksTicket, plan, tickets } = ctx.state();
  const settled = [...vecItems(tickets)].filter(
    ({ id, phase, closedByPerson, mergedSha, landedEarlier }) =>
      (checksTicket ?? id) === id &&
      phase === "done" &&
      closedByPerson === undefined &&
      mergedSha === undefined &&
      landedEarlier !== undefined &&
      landedEarlier.closedByPerson === undefined,
  );
  const held: TicketState[] = [];
  for (const [id, repo] of ctx.repos) {
    const mine = settled.filter((ticket) => plannedTicket(plan, ticket.id).repo === id);
    if (mine.length === 0) continue;
    const commits = mine.flatMap(({ landedEarlier }) => landedEarlier?.sha ?? []);
    const lost = new Set(await persistentRepo(repo, ctx.outages, signal).missingFromBase(commits));
    held.push(...mine.filter(({ landedEarlier }) => landedEarlier !== undefined && !lost.has(landedEarlier.sha)));
  }
  return held;
}
