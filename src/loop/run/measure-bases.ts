import type { MeasuredCheck } from "../../domain/run/base-measure.ts";
import { checksToMeasure } from "../../domain/run/reduce-base-measure.ts";
import type { RepoId, RunId } from "../../domain/values/ids.ts";
import { errorMessage, plainText } from "../../domain/values/text.ts";
import { type LoopContext, waitingRepo } from "../attempt/context.ts";
import { resultsKey } from "../steps/base-results.ts";
import { measureCheck, measuringScope } from "../steps/measure-base.ts";

/** Found in the environment of every process that measures a base. */
export function measureMarker(run: RunId, repo: string): string {
  return `${run}/measure/${repo}`;
}

/** Runs the usual checks of a repository on its base, one after the other, and reports what they show. Never throws. */
export async function measureBase(ctx: LoopContext, repo: RepoId, signal: AbortSignal): Promise<void> {
  const [first, ...others] = checksToMeasure(ctx.state(), repo);
  if (first === undefined) return void ctx.report({ type: "base-measured", repo, sha: "", checks: [] });
  try {
    const preparations = { made: 0, reused: 0 };
    const scope = await measuringScope(ctx, repo, {
      marker: measureMarker(ctx.run, repo),
      signal,
      onPrepared({ reused }) {
        preparations[reused ? "reused" : "made"] += 1;
      },
    });
    const waiting = waitingRepo(ctx, scope.ticket, signal);
    const sha = await waiting.baseTip();
    const checks: MeasuredCheck[] = [];
    for (const step of [first, ...others]) {
      const checked = { step, commit: sha };
      const expectedMs = await ctx.manifests.expectedMs(resultsKey(ctx, scope, waiting, checked));
      ctx.report({ type: "base-measure-started", repo, check: step.name, expectedMs });
      checks.push(await ctx.commandPermits.run(() => measureCheck(ctx, scope, waiting, checked), signal));
    }
    if (signal.aborted) return void ctx.report({ type: "base-measure-stopped", repo });
    ctx.report({ type: "base-measured", repo, sha, checks, preparations });
  } catch (error) {
    if (signal.aborted) return void ctx.report({ type: "base-measure-stopped", repo });
    const says = plainText(errorMessage(error), 300);
    ctx.report({ type: "base-measured", repo, sha: "", checks: [{ check: first.name, as: "cannot-run", says }] });
  }
}
