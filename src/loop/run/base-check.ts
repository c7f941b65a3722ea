import { ticketOf } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RepoId, RunId } from "../../domain/values/ids.ts";
import { type LoopContext, waitingRepoOf } from "../attempt/context.ts";
import { verifyScope } from "./live-check.ts";

/** Found in the environment of every process of a check on a base. */
export function baseCheckMarker(run: RunId, repo: string): string {
  return `${run}/base/${repo}`;
}

/** Repeats the failed check of a base that has moved on. Never throws: what keeps it from a result is reported as a stop. */
export async function recheckBase(ctx: LoopContext, repo: RepoId, signal: AbortSignal): Promise<void> {
  try {
    const failing = ctx.state().failingChecks[repo];
    if (failing === undefined) return;
    const { foundBy, step: index } = failing;
    const ticket = ticketOf(ctx.state(), foundBy);
    const spec = specOf(ctx.state().plan, foundBy);
    const step = spec.finish[index];
    if (step?.step !== "check") throw new Error(`${foundBy} has no such check`);
    const scope = await verifyScope(ctx, ticket, { signal, marker: baseCheckMarker(ctx.run, repo) });
    const waiting = waitingRepoOf(ctx, spec, signal);
    const tip = await waiting.baseTip();
    const result = await ctx.commandPermits.run(() => ctx.baseHealth.checkTip(ctx, scope, waiting, { step, tip }), signal);
    const summary = result.ok ? "" : result.summary;
    ctx.report({ type: "base-check-ended", repo, sha: tip, foundBy, step: index, ok: result.ok, summary });
  } catch (error) {
    if (!signal.aborted) process.emitWarning(`the check of the base of ${repo} could not be finished: ${errorMessage(error)}`);
    ctx.report({ type: "base-check-stopped", repo });
  }
}
