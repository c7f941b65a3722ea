import type { PullRequestWait } from "../../domain/forge/next-move.ts";
import { heldSince, type TicketPullRequest } from "../../domain/forge/pull-request-fact.ts";
import type { Rerun } from "../../domain/forge/rerun.ts";
import { JobsStillRun, RerunRefused } from "../../ports/forge.ts";
import type { StepScope } from "../programs/scope.ts";
import { ask, knownPullRequest, mustAnnounce, type PullRequestContext } from "./pull-request-scope.ts";

/** The time for which the forge may put off a re-run: an optional job of the same workflow run may take long. Milliseconds. */
const RERUN_MS = 60 * 60_000;

/** A re-run that the forge has put off, and the jobs that have to end first, as far as they are known. */
export interface HeldRerun {
  readonly open: readonly string[];
  readonly wait: PullRequestWait;
}

/** The re-run that the forge had put off when the engine before this one looked last. */
export function heldBefore(known: TicketPullRequest | undefined): HeldRerun | undefined {
  const { waits, waitsOn } = known?.seen ?? {};
  return waits === undefined || waitsOn !== "rerun" ? undefined : { open: [], wait: { why: waits, on: waitsOn } };
}

/** True if the forge has put off the re-run for as long as it may, by the journal. */
export function isHeldTooLong(ctx: Pick<PullRequestContext, "state" | "clock">, scope: StepScope): boolean {
  const since = heldSince(knownPullRequest(ctx, scope), "rerun");
  return since !== undefined && ctx.clock.now() - since >= RERUN_MS;
}

/**
 * Starts failed checks again, announced once. Tells if the forge does that only after other jobs. If it refuses it for good, they count as asked
 * for: they stay failed.
 */
export async function rerun(
  ctx: PullRequestContext,
  scope: StepScope,
  again: Rerun,
  start: (signal: AbortSignal) => Promise<unknown>,
): Promise<HeldRerun | undefined> {
  const unseen = new Set(knownPullRequest(ctx, scope)?.unseenReruns);
  if (!again.names.every((name) => unseen.has(name))) mustAnnounce(scope, { type: "pull-request-rerun", ...again });
  return ask(ctx, scope, async (signal) => {
    try {
      await start(signal);
      return undefined;
    } catch (error) {
      if (error instanceof JobsStillRun) return { open: error.open, wait: { why: error.message, on: "rerun" } };
      if (error instanceof RerunRefused) return undefined;
      throw error;
    }
  });
}
