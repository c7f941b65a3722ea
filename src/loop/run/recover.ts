import { activeTickets, type RunState } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { Executor, ProcessId } from "../../ports/executor.ts";
import type { LoopContext } from "../attempt/context.ts";
import { repoOf } from "../attempt/context.ts";
import { cleanUp } from "../attempt/worker.ts";
import { healMarker } from "../heal/heal.ts";
import { reverifyMarker } from "./reverify.ts";

/**
 * Takes over a run whose engine is gone. Ends the processes that it left behind, finds out which announced landings did happen,
 * and ends every attempt under way as `lost`, which costs no attempt. The next attempt continues from an agent's finished work. A
 * heal that had begun is used up, and the harness stays as it was. The caller holds the run's lock.
 */
export async function recover(ctx: LoopContext): Promise<void> {
  const state = ctx.state();
  const active = activeTickets(state);
  const orphansKilled = await ctx.executor.killStrays(straysOf(state));
  ctx.report({ type: "run-resumed", orphansKilled });
  ctx.report({ type: "intervention", class: "I5", target: "run", note: "resumed" });
  const { running } = state.heals;
  if (running !== undefined) {
    const { n, reservedUsd: costUsd } = running;
    ctx.report({ type: "heal-ended", n, outcome: "lost", why: "its engine was lost", changed: [], costUsd });
  }
  for (const ticket of active) {
    if (ticket.attempt === undefined) continue;
    const { fence, merge, n } = ticket.attempt;
    const spec = specOf(state.plan, ticket.id);
    const repo = repoOf(ctx, spec);
    if (merge !== undefined && !merge.landed && (await repo.contains(merge.to))) {
      ctx.report({ type: "merge-landed", ticket: ticket.id, fence, repo: spec.repo, from: merge.from, to: merge.to });
    }
    const path = ctx.files.worktreePath(ticket.id, n);
    await cleanUp(repo, { path, branch: `loopdash/${ctx.run}/${ticket.id}`, deleteBranch: false });
    ctx.report({ type: "attempt-ended", ticket: ticket.id, fence, outcome: "lost" });
  }
  await cleanUpDone(ctx, state);
}

/** Processes of a run that may have outlived its engine: its agents by process, all others by marker. */
export function straysOf(state: RunState): Parameters<Executor["killStrays"]>[0] {
  const active = activeTickets(state);
  const { running } = state.heals;
  const agents = active.flatMap(({ attempt }) => (attempt?.agent?.endedAt === undefined ? [attempt?.agent] : []));
  return {
    processes: [...agents, running].flatMap((agent): ProcessId[] => {
      const { pid, startTime } = agent ?? {};
      return pid === undefined || startTime === undefined ? [] : [{ pid, startTime }];
    }),
    markers: [
      reverifyMarker(state.run),
      ...(running === undefined ? [] : [healMarker(state.run, running)]),
      ...active.map(({ id, attempt }) => `${state.run}/${id}/${attempt?.n}/${attempt?.fence}`),
    ],
  };
}

/** A ticket is done before its worktree and branch are removed: an engine that was lost in between left them there. */
async function cleanUpDone(ctx: LoopContext, state: RunState): Promise<void> {
  for (const { id, phase, mergedSha, history } of vecItems(state.tickets)) {
    if (phase !== "done" || mergedSha === undefined) continue;
    const path = ctx.files.worktreePath(id, history.at(-1)?.n ?? 1);
    await cleanUp(repoOf(ctx, specOf(state.plan, id)), { path, branch: `loopdash/${ctx.run}/${id}`, deleteBranch: true });
  }
}
