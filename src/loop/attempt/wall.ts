import { ticketById } from "../../domain/run/state.ts";
import type { TicketState } from "../../domain/run/ticket-state.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { type AttemptEnd, AttemptOver } from "../programs/scope.ts";
import { adjudicateBlocker } from "./blocker.ts";
import { type AttemptScope, createAnnouncer, type LoopContext, type OpenAttempt } from "./context.ts";

/** The heal whose wall the next attempt at a ticket rules on; undefined if there is none, or if it was upheld already. */
export function wallToRuleOn({ wall, pendingWork }: TicketState): number | undefined {
  return pendingWork?.humanStep === undefined ? wall : undefined;
}

/**
 * An attempt without an agent, which rules on a wall that a healer claims before this ticket. It is a claim like a worker's
 * blocker: its commands run again, on the base, and the reviewer rules (law 2, S5.11). Upheld, it becomes a human gate; rejected,
 * the ticket is as it was before the heal. Throws AttemptOver if the attempt is cancelled.
 */
export async function ruleOnWall(
  ctx: LoopContext,
  scope: AttemptScope,
  repo: Repo,
  tree: { readonly path: string; readonly branch: string },
): Promise<AttemptEnd> {
  const at = { ticket: scope.ticket.id, fence: scope.fence };
  const { heals } = ctx.state();
  const n = wallToRuleOn(ticketById(ctx.state(), scope.ticket.id));
  const claim = heals.past.find((heal) => heal.n === n)?.wall;
  if (claim === undefined) throw new Error(`heal ${n} claims no wall`);
  const files = await ctx.files.attempt(scope.ticket.id, scope.n);
  const open: OpenAttempt = { ...scope, files, retried: new Set(), announce: createAnnouncer(ctx, scope) };
  const baseSha = await repo.baseTip();
  ctx.report({ type: "worktree-ready", ...at, ...tree, baseSha, continues: true });
  const change: Change = { tip: baseSha, paths: [], additions: 0, deletions: 0 };
  // The slot and the money of an agent are free from here on.
  if (!ctx.report({ type: "change-captured", ...at, tip: baseSha, files: 0, additions: 0, deletions: 0 }))
    throw new AttemptOver({ outcome: "stopped" });
  const ruled = await adjudicateBlocker(ctx, open, repo, { claim, change, baseSha });
  // No agent has failed here.
  return "humanStep" in ruled ? { outcome: "gated" } : { outcome: "stopped", evidence: ruled.evidence };
}
