import { failingStep } from "../../domain/run/reduce-base-check.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import { errorMessage } from "../../domain/values/error-text.ts";
import type { RepoId, RunId } from "../../domain/values/ids.ts";
import { plainText } from "../../domain/values/text.ts";
import { type LoopContext, waitingRepoOf } from "../attempt/context.ts";
import { pause } from "../concurrency/wait.ts";
import { verifyScope } from "./live-check.ts";

/** Found in the environment of every process of a check on a base. */
export function baseCheckMarker(run: RunId, repo: string): string {
  return `${run}/base/${repo}`;
}

/** Waits before a check that could not be finished is tried again. Milliseconds. */
const WAITS_MS = [5_000, 30_000, 120_000];

/** Repeats the failed check of a base that has moved on. Never throws: what keeps it from a result is reported as a stop. */
export async function recheckBase(ctx: LoopContext, repo: RepoId, signal: AbortSignal): Promise<void> {
  for (const wait of [...WAITS_MS, undefined]) {
    const reason = await checkBase(ctx, repo, signal);
    if (reason === undefined) return;
    const isLast = signal.aborted || wait === undefined;
    const why = signal.aborted ? {} : { reason: plainText(reason, 300) };
    ctx.report({ type: "base-check-stopped", repo, ...why, ...(isLast ? {} : { nextAt: ctx.clock.now() + wait }) });
    if (isLast) return;
    await pause(ctx.clock, wait, signal);
  }
}

/** Runs the check once and reports its result. Otherwise gives the reason, in words. */
async function checkBase(ctx: LoopContext, repo: RepoId, signal: AbortSignal): Promise<string | undefined> {
  try {
    const failing = ctx.state().failingChecks[repo];
    if (failing === undefined) return undefined;
    const { foundBy, step: index } = failing;
    const ticket = ticketOf(ctx.state(), foundBy);
    const spec = specOf(ctx.state().plan, foundBy);
    const step = failingStep(ctx.state(), failing);
    if (step?.step !== "check") throw new Error(`${foundBy} has no such check`);
    const scope = await verifyScope(ctx, ticket, { signal, marker: baseCheckMarker(ctx.run, repo) });
    const waiting = waitingRepoOf(ctx, spec, signal);
    const tip = await waiting.baseTip();
    const result = await ctx.commandPermits.run(() => ctx.baseHealth.checkAgain(ctx, scope, waiting, { step, tip }), signal);
    if (result.as === "unknown") return result.summary;
    const isOk = result.as === "passed";
    const summary = isOk ? "" : result.summary;
    ctx.report({ type: "base-check-ended", repo, sha: tip, foundBy, step: index, ok: isOk, summary });
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
