import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { landedAs } from "../../domain/run/commit-page.ts";
import { isBeingReverted, isLandedNotLive, type LiveCheckFact } from "../../domain/run/live-check.ts";
import { failingStep } from "../../domain/run/reduce-base.ts";
import { ticketById } from "../../domain/run/state.ts";
import { isToldDone, type TicketState } from "../../domain/run/ticket-state.ts";
import { heldByEnvironment } from "../../domain/schedule/environments.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import type { RepoId, RunId, TicketId } from "../../domain/values/ids.ts";
import { errorMessage, plainText, plural } from "../../domain/values/text.ts";
import { vecItems } from "../../domain/values/vec.ts";
import { type LoopContext, waitingRepo } from "../attempt/context.ts";
import { cleanUp } from "../attempt/kept-work.ts";
import { pause } from "../concurrency/wait.ts";
import { whyGone } from "../programs/landed-change.ts";
import type { StepScope } from "../programs/scope.ts";
import { assertTracker } from "../steps/assert.ts";
import { runVerifyStep } from "../steps/verify-step.ts";

/** A `verify` step of a finish line. */
export type Verify = Extract<StepSpec, { step: "verify" }>;

/** Found in the environment of every process of a ticket's live check. */
export function liveCheckMarker(run: RunId, ticket: TicketId): string {
  return `${run}/${ticket}/live`;
}

/** The result of a live check: it passed, it failed with this evidence, or it neither passed nor failed. */
type LiveResult =
  | { readonly ok: true; readonly summary: string }
  | {
      readonly ok: false;
      readonly evidence: Evidence;
      readonly problem?: Extract<LiveCheckFact, { type: "live-check-ended" }>["problem"];
    };

/**
 * Repeats the `verify` steps of a landed ticket on the base as it is now, without an agent. If all pass, the tracker is set to
 * Done. Never throws: what keeps it from a result is reported, and the check is repeated later.
 */
export async function checkLive(ctx: LoopContext, id: TicketId, signal: AbortSignal): Promise<void> {
  try {
    const result = await liveResult(ctx, id, signal);
    await endLiveCheck(ctx, id, signal.aborted && !result.ok ? stoppedCheck() : result);
  } catch (error) {
    await endLiveCheck(ctx, id, signal.aborted ? stoppedCheck() : inconclusiveCheck(errorMessage(error)));
  }
}

/** Records the result, and removes what a done ticket no longer needs. */
export async function endLiveCheck(ctx: LoopContext, ticket: TicketId, result: LiveResult): Promise<void> {
  if (!result.ok) {
    const { evidence, problem } = result;
    const { summary, detail, name: check, refusedSecret } = evidence;
    const why = problem === undefined ? { check, refusedSecret } : { problem };
    ctx.report({ type: "live-check-ended", ticket, ok: false, summary, detail, ...why });
    return;
  }
  ctx.report({ type: "live-check-ended", ticket, ok: true, summary: result.summary, detail: "" });
  const { history } = ticketById(ctx.state(), ticket);
  const path = ctx.files.worktreePath(ticket, history.at(-1)?.n ?? 1);
  await cleanUp(ctx, ticket, { path, deleteBranch: true });
}

/**
 * Settles landed tickets that the tracker calls done because an engine told it so, and was lost before it could record that their
 * check had passed. The last re-verification checks them as it does all others. Called once the tracker has been read, before
 * any decision.
 */
export function settleToldDone(ctx: LoopContext): void {
  for (const ticket of vecItems(ctx.state().tickets)) {
    const { id, live, gate, attempt } = ticket;
    if (!isLandedNotLive(ticket) || attempt !== undefined || gate !== undefined) continue;
    if (live === undefined || isBeingReverted(live) || !isToldDone(ticket)) continue;
    ctx.report({ type: "live-check-started", ticket: id, why: "due" });
    const summary = "it had passed, and the tracker says done";
    ctx.report({ type: "live-check-ended", ticket: id, ok: true, summary, detail: "" });
  }
}

async function liveResult(ctx: LoopContext, id: TicketId, signal: AbortSignal): Promise<LiveResult> {
  const ticket = ticketById(ctx.state(), id);
  const { live } = ticket;
  if (live === undefined) return inconclusiveCheck("the ticket has not landed");
  if (isBeingReverted(live)) return inconclusiveCheck("its change is being reverted");
  const spec = plannedTicket(ctx.state().plan, id);
  const repo = waitingRepo(ctx, spec, signal);
  const gone = await whyGone(ctx.state(), repo, live);
  if (gone !== undefined) return { ...inconclusiveCheck(gone), problem: "gone" };
  const tip = await repo.baseTip();
  const verify = async (): Promise<LiveResult | undefined> => {
    for (const step of spec.finish) {
      if (step.step !== "verify") continue;
      const held = heldByEnvironment(ctx.state(), id, step);
      if (held !== undefined) return waitingCheck(step, held);
      const scope = await verifyScope(ctx, ticket, { signal, marker: liveCheckMarker(ctx.run, id) });
      const result = await runVerifyStep(ctx, scope, repo, step, tip);
      if (!result.ok) return { ok: false, evidence: result.evidence };
    }
    return undefined;
  };
  // A tracker or a repository that is away is waited for without a permit.
  const failed = await ctx.commandPermits.run(verify, signal);
  return failed ?? assertLive(ctx, ticket, signal);
}

/** A check that waits for an earlier environment of the base. */
export function waitingCheck(step: Verify, summary: string): Extract<LiveResult, { ok: false }> {
  return { ok: false, evidence: { step: "verify", name: stepName(step), summary, detail: "" }, problem: "waits" };
}

/** Sets the tracker to Done once every `verify` of a landed ticket has passed. */
export async function assertLive(ctx: LoopContext, { id, live }: TicketState, signal: AbortSignal): Promise<LiveResult> {
  const failed = live?.failed ?? 0;
  const landed = live === undefined ? "landed as an unknown commit" : landedAs(ctx.state(), id, live.sha);
  const note = `${landed} by run ${ctx.run}; its live check passed${failed === 0 ? "" : ` after ${plural(failed, "failed one")}`}`;
  const result = await assertTracker(ctx, { ticket: id, state: { as: "done" }, note, signal });
  if (!result.ok) return { ...inconclusiveCheck(result.evidence.summary), problem: "untold" };
  return { ok: true, summary: "the live check passed" };
}

/** A live check that was stopped before it had a result. */
function stoppedCheck(): LiveResult {
  return inconclusiveCheck("the live check was stopped");
}

/** A check that neither passed nor failed. */
export function inconclusiveCheck(summary: string): Extract<LiveResult, { ok: false }> {
  return {
    ok: false,
    evidence: { step: "verify", name: "verify", summary: plainText(summary, 500), detail: "" },
    problem: "inconclusive",
  };
}

/** A scope for `verify` steps outside an attempt. With `step`, a transient earns its retry, which the caller counts. */
export async function verifyScope(
  ctx: LoopContext,
  { id, history }: TicketState,
  { signal, marker, step }: { readonly signal: AbortSignal; readonly marker: string; readonly step?: Verify },
): Promise<StepScope> {
  const spec = plannedTicket(ctx.state().plan, id);
  return {
    ticket: spec,
    marker,
    signal,
    ending: () => "stopped",
    files: await ctx.files.afterAttempt(id, history.at(-1)?.n ?? 0),
    // No attempt could own the fact.
    announce: () => true,
    retried: new Set(),
    ...(step === undefined
      ? {}
      : { turn: { step: spec.finish.indexOf(step), name: stepName(step), rest: (idle: () => Promise<void>) => idle() } }),
  };
}

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
    ctx.report({ type: "base-check-stopped", repo, ...why, nextAt: isLast ? undefined : ctx.clock.now() + wait });
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
    const ticket = ticketById(ctx.state(), foundBy);
    const spec = plannedTicket(ctx.state().plan, foundBy);
    const step = failingStep(ctx.state(), failing);
    if (step?.step !== "check") throw new Error(`${foundBy} has no such check`);
    const scope = await verifyScope(ctx, ticket, { signal, marker: baseCheckMarker(ctx.run, repo) });
    const waiting = waitingRepo(ctx, spec, signal);
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
