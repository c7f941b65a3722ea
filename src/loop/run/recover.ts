import { activeTickets, type RunState, ticketById } from "../../domain/run/state.ts";
import { isToldDone } from "../../domain/run/ticket-state.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { vecAt, vecItems } from "../../domain/values/vec.ts";
import type { Executor, ProcessId } from "../../ports/executor.ts";
import type { LoopContext } from "../attempt/context.ts";
import { ticketRepo } from "../attempt/context.ts";
import { cleanUp, type KeepContext, keepWork } from "../attempt/kept-work.ts";
import { healMarker } from "../heal/heal.ts";
import { allMarkers } from "../programs/scope.ts";
import { caughtUp } from "./lagging.ts";
import { baseCheckMarker, liveCheckMarker, settleToldDone } from "./live-check.ts";
import { measureMarker } from "./measure-bases.ts";
import { proofMarker } from "./prove.ts";
import { reverifyMarker } from "./reverify.ts";
import { revertMarker } from "./revert.ts";

/**
 * Takes over a run whose engine is gone. Ends the processes that it left behind, finds out which announced landings did happen,
 * keeps what agents under way left in their worktrees, and ends every attempt under way as `lost`, which costs no attempt. The
 * next attempt continues from an agent's finished work. An attempt whose engine had told the tracker that its ticket is done, is
 * done. A heal that had begun is used up, and the harness stays as it was. `readTracker` reconciles the run with the tracker.
 * `by`: the engine resumes its own run, which is no intervention. `keepsChecksOnly`: a run that starts no agent still starts none. The
 * caller holds the run's lock.
 */
export async function recover(
  ctx: LoopContext,
  readTracker: () => Promise<void>,
  { by, keepsChecksOnly = false }: { readonly by?: "engine"; readonly keepsChecksOnly?: boolean } = {},
): Promise<void> {
  const state = ctx.state();
  const active = activeTickets(state);
  const orphansKilled = await ctx.executor.killStrays(findStrays(state));
  const how = { checksOnly: keepsChecksOnly || undefined, ...(by === undefined ? {} : { by }) };
  ctx.report({ type: "run-resumed", orphansKilled, ...how });
  if (by === undefined) ctx.report({ type: "intervention", class: "I5", target: "run", note: "resumed" });
  const { running } = state.heals;
  if (running !== undefined) {
    const { n, reservedUsd: costUsd } = running;
    ctx.report({ type: "heal-ended", n, outcome: "lost", why: "its engine was lost", changed: [], costUsd });
  }
  ctx.files.removeSetAside().catch((error: unknown) => process.emitWarning(`old worktrees: ${errorMessage(error)}`));
  // A reading that lags behind would tell that the lost engine's last writes never happened.
  await caughtUp(ctx, state.lastEventAt, new AbortController().signal);
  await readTracker();
  const kept = new Map(await Promise.all(active.map(async ({ id }) => [id, await keepLostWork(ctx, id)] as const)));
  for (const ticket of active) {
    if (ticket.attempt === undefined) continue;
    const { fence, merge, n } = ticket.attempt;
    const spec = plannedTicket(state.plan, ticket.id);
    const repo = ticketRepo(ctx, spec);
    if (merge !== undefined && !merge.landed && (await repo.contains(merge.to))) {
      ctx.report({ type: "merge-landed", ticket: ticket.id, fence, repo: spec.repo, from: merge.from, to: merge.to });
    }
    const path = ctx.files.worktreePath(ticket.id, n);
    await cleanUp(ctx, ticket.id, { path, deleteBranch: kept.get(ticket.id) === true });
    const now = ticketById(ctx.state(), ticket.id);
    const outcome = now.attempt?.merge?.landed === true && isToldDone(now) ? "done" : "lost";
    ctx.report({ type: "attempt-ended", ticket: ticket.id, fence, outcome });
  }
  settleToldDone(ctx);
  await cleanUpDone(ctx);
}

/** Keeps the work of an attempt whose engine is gone. Its agent was ended before. True if its own branch is not needed any more. */
export async function keepLostWork(ctx: KeepContext, id: TicketId): Promise<boolean> {
  const { attempt } = ticketById(ctx.state(), id);
  if (attempt === undefined) return false;
  const { fence, n } = attempt;
  const ticket = plannedTicket(ctx.state().plan, id);
  return keepWork(ctx, { ticket, fence, n }, ticketRepo(ctx, ticket), "lost");
}

/** Processes of a run that may have outlived its engine: its agents by process, all others by marker. */
export function findStrays(state: RunState): Parameters<Executor["killStrays"]>[0] {
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
      ...[...vecItems(state.tickets)].filter(({ live }) => live?.checking).map(({ id }) => liveCheckMarker(state.run, id)),
      ...Object.keys(state.failingChecks).map((repo) => baseCheckMarker(state.run, repo)),
      ...Object.keys(state.baseMeasures ?? {}).map((repo) => measureMarker(state.run, repo)),
      ...Object.keys(state.proofs).map((repo) => proofMarker(state.run, repo)),
      ...state.reverting.map((index) => revertMarker(state.run, vecAt(state.tickets, index).id)),
      ...active.map(({ id, attempt }) => `${state.run}/${id}/${attempt?.n}/${attempt?.fence}`),
    ].flatMap(allMarkers),
  };
}

/** A ticket is done before its worktree and branch are removed: an engine that was lost in between left them there. */
async function cleanUpDone(ctx: LoopContext): Promise<void> {
  for (const { id, phase, mergedSha, history } of vecItems(ctx.state().tickets)) {
    if (phase !== "done" || mergedSha === undefined) continue;
    const path = ctx.files.worktreePath(id, history.at(-1)?.n ?? 1);
    await cleanUp(ctx, id, { path, deleteBranch: true });
  }
}
