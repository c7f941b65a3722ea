import type { StepSpec } from "../domain/batch/step-spec.ts";
import type { Unfinished } from "../domain/state.ts";
import type { Candidate, Change, Repo } from "../ports/vcs.ts";
import { type AttemptEnd, AttemptOver, abortedEnd, type OpenAttempt, type StepResult } from "./attempt-scope.ts";
import { type LoopContext, repoOf } from "./context.ts";
import { runAdversaryStep } from "./steps/adversary-step.ts";
import { assertTracker } from "./steps/assert.ts";
import { runCheckStep } from "./steps/check-step.ts";
import { gates } from "./steps/gates.ts";
import { conflictEvidence, type MergeNeeds, merge } from "./steps/merge.ts";
import { runReviewStep } from "./steps/review-step.ts";
import { runVerifyStep } from "./steps/verify-step.ts";

type Built = Extract<Candidate, { ok: true }>;

/** Whether a human step is left, by an upheld blocker: what was built lands, and nothing after that can hold yet. */
interface Gated {
  readonly gated: boolean;
}

/** A step with its place in the ticket's finish line. */
interface Placed {
  readonly index: number;
  readonly spec: StepSpec;
}

/**
 * Takes a captured change from "the agent stopped" to Done, step by step. Everything before `merge` is judged on a
 * candidate at once, beside other tickets; the landing itself is one at a time per repository.
 */
export async function runFinishLine(
  ctx: LoopContext,
  scope: OpenAttempt,
  change: Change,
  { gated }: Gated = { gated: false },
): Promise<AttemptEnd> {
  const repo = repoOf(ctx, scope.ticket);
  const placed = scope.ticket.finish.map((spec, index): Placed => ({ index, spec }));
  const at = placed.findIndex(({ spec }) => spec.step === "merge");
  const before = placed.slice(0, at);
  const judgeAgain = () => judgeCandidate(ctx, scope, repo, before, change);
  const needs: MergeNeeds = { repo, judged: await judgeAgain(), judgeAgain };
  const land = () => runStep(ctx, scope, placed[at] as Placed, () => merge(ctx, scope, needs));
  const landed = await ctx.merges.run(repo.id, land, scope.signal).catch(overIfAborted(scope));
  return gated ? { outcome: "gated" } : runAfterMerge(ctx, scope, repo, landed);
}

/** Goes on after a landing that a stop or a lost engine cut off. The landing is repeated first: it finishes what it began. */
export async function finishLanded(
  ctx: LoopContext,
  scope: OpenAttempt,
  landed: NonNullable<Unfinished["landed"]>,
  { gated }: Gated = { gated: false },
): Promise<AttemptEnd> {
  const repo = repoOf(ctx, scope.ticket);
  const of = { ticket: scope.ticket.id, fence: scope.fence, repo: repo.id, ...landed };
  await ctx.merges.run(repo.id, async () => {
    ctx.report({ type: "merge-intended", ...of });
    await repo.land(landed);
    ctx.report({ type: "merge-landed", ...of });
  });
  return gated ? { outcome: "gated" } : runAfterMerge(ctx, scope, repo, landed.to);
}

async function runAfterMerge(ctx: LoopContext, scope: OpenAttempt, repo: Repo, landed: string): Promise<AttemptEnd> {
  const after = scope.ticket.finish.map((spec, index): Placed => ({ index, spec }));
  for (const step of after.slice(after.findIndex(({ spec }) => spec.step === "merge") + 1)) {
    await runJudge(ctx, scope, step, () => judgeAfter(ctx, scope, repo, step.spec, landed));
  }
  return { outcome: "done" };
}

/** Builds the candidate on the base tip and runs every step before the merge on it. */
async function judgeCandidate(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  before: readonly Placed[],
  change: Change,
): Promise<Built> {
  const { ticket, n } = scope;
  const trailers = `Loopdash-Ticket: ${ticket.id}\nLoopdash-Run: ${ctx.run}\nLoopdash-Attempt: ${n}`;
  const candidate = await repo.candidate({ tip: change.tip, message: `${ticket.title} (${ticket.id})\n\n${trailers}\n` });
  for (const step of before) await runJudge(ctx, scope, step, () => judgeBefore(ctx, scope, repo, step.spec, change, candidate));
  if (!candidate.ok) throw failed(conflictEvidence(candidate));
  return candidate;
}

function judgeBefore(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  spec: StepSpec,
  change: Change,
  candidate: Candidate,
): Promise<StepResult> {
  if (spec.step === "gates") return Promise.resolve(gates(change, ctx.batch.protect));
  if (!candidate.ok) return Promise.resolve(conflictEvidence(candidate));
  switch (spec.step) {
    case "check":
      return runCheckStep(ctx, scope, repo, spec, candidate);
    case "review":
      return runReviewStep(ctx, scope, repo, { spec, candidate, change });
    case "adversary":
      return runAdversaryStep(ctx, scope, repo, { spec, candidate, change });
    default:
      throw new Error(`${spec.step} cannot stand before merge`);
  }
}

function judgeAfter(ctx: LoopContext, scope: OpenAttempt, repo: Repo, spec: StepSpec, landed: string): Promise<StepResult> {
  if (spec.step === "verify") return runVerifyStep(ctx, scope, repo, spec, landed);
  if (spec.step !== "assert") throw new Error(`${spec.step} cannot stand after merge`);
  const note = `landed as ${landed} by run ${ctx.run}, attempt ${scope.n}`;
  return assertTracker(ctx, { ticket: scope.ticket.id, state: { as: "done" }, note, signal: scope.signal });
}

/** Runs a step that is not the merge. One that runs a command waits for its turn: a command may need a whole machine. */
async function runJudge(ctx: LoopContext, scope: OpenAttempt, placed: Placed, run: () => Promise<StepResult>): Promise<void> {
  const step = () => runStep(ctx, scope, placed, run);
  if (placed.spec.step !== "check" && placed.spec.step !== "verify") return void (await step());
  await ctx.judges.run(step, scope.signal).catch(overIfAborted(scope));
}

/** Who is called off while waiting for a turn ends as one who is called off at work. */
function overIfAborted(scope: OpenAttempt): (error: unknown) => never {
  return (error) => {
    throw error === scope.signal.reason ? new AttemptOver(abortedEnd(scope)) : error;
  };
}

/** Runs one step between its two facts. A failed step ends the attempt with its evidence. */
async function runStep<R extends StepResult & { landed?: string }>(
  ctx: LoopContext,
  scope: OpenAttempt,
  { index, spec }: Placed,
  run: () => Promise<R>,
): Promise<string> {
  if (scope.signal.aborted) throw new AttemptOver(abortedEnd(scope));
  const of = { ticket: scope.ticket.id, fence: scope.fence, step: index };
  const name = "name" in spec ? spec.name : spec.step;
  if (!ctx.report({ type: "step-started", ...of, kind: spec.step, name })) throw new AttemptOver({ outcome: "stopped" });
  const result = await run();
  const summary = result.ok ? result.summary : result.evidence.summary;
  const judged = result.ok && result.judged !== undefined ? { judged: result.judged } : {};
  const strength = result.ok && result.strength !== undefined ? { strength: result.strength } : {};
  ctx.report({ type: "step-ended", ...of, ok: result.ok, summary, ...judged, ...strength });
  // What was called off in the middle is not evidence against the work.
  if (!result.ok) throw scope.signal.aborted ? new AttemptOver(abortedEnd(scope)) : failed(result);
  return result.landed ?? "";
}

function failed(result: StepResult): AttemptOver {
  return new AttemptOver(result.ok ? { outcome: "failed" } : { outcome: "failed", evidence: result.evidence });
}
