import { keptBranch } from "../../domain/run/kept-work.ts";
import { errorMessage } from "../../domain/values/text.ts";
import { type Change, type Repo, RepoUnavailable } from "../../ports/vcs.ts";
import { AttemptOver, abortedEnd } from "../programs/scope.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { keepPeoplesCommits } from "./kept-work.ts";

/** Least time for a capture if the attempt's time is used up. Milliseconds. */
const LEAST_CAPTURE_MS = 10_000;

/**
 * Captures what an agent or fixers have done since `begun`, within the time of the attempt. `before`: where an earlier capture of the attempt
 * has left the branch. An attempt that was cancelled meanwhile has not failed.
 */
export async function captureWork(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  { begun, before, ...tree }: { path: string; branch: string; from: string; begun: number; before?: string },
): Promise<Change> {
  const { ticket, signal } = scope;
  const keepAs = keptBranch(ctx.run, ticket.id, scope.n);
  const left = ctx.batch.limits.minutesPerAttempt * 60_000 - (ctx.clock.ran() - begun);
  const timeoutMs = Math.max(LEAST_CAPTURE_MS, left);
  try {
    await keepPeoplesCommits(ctx, ticket.id, { repo, ours: before });
    return await repo.capture({ ...tree, message: `${ticket.title} (${ticket.id})`, keepAs, signal, timeoutMs });
  } catch (error) {
    throw signal.aborted ? new AttemptOver(abortedEnd(scope)) : await captureFault(repo, tree.from, error);
  }
}

/** The same error, unless the repository cannot give the base any more: then that is the fault, and none of the work's. */
export async function captureFault(repo: Pick<Repo, "files">, baseSha: string, error: unknown): Promise<unknown> {
  if (error instanceof AttemptOver) return error;
  const lost = await repo.files(baseSha).then(
    () => undefined,
    (cause: unknown) => new RepoUnavailable(errorMessage(cause), { cause: error }),
  );
  return lost ?? error;
}

/** A change as the fact of its capture tells it. */
export function capturedFact({ tip, paths, additions, deletions, elsewhere }: Change) {
  return { tip, files: paths.length, additions, deletions, ...(elsewhere && { elsewhere }) };
}
