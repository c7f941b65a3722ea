import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import { landingMessage } from "../../domain/forge/pull-request-text.ts";
import { landedAs } from "../../domain/run/commit-page.ts";
import { ticketById, ticketIndex } from "../../domain/run/state.ts";
import { isToldDone, type PendingWork } from "../../domain/run/ticket-state.ts";
import { heldByEnvironment } from "../../domain/schedule/environments.ts";
import { isRepair } from "../../domain/schedule/freeze.ts";
import type { Change, Repo } from "../../ports/vcs.ts";
import { takesBackAllLanded } from "../programs/landed-change.ts";
import { type AttemptEnd, AttemptOver, abortedEnd } from "../programs/scope.ts";
import { assertTracker } from "../steps/assert.ts";
import { type BranchTarget, landOnBranch } from "../steps/branch-checks.ts";
import { merge, repairLane } from "../steps/merge.ts";
import { findMerged, landByPullRequest, removeLandedBranch } from "../steps/pull-request.ts";
import type { StepResult } from "../steps/step.ts";
import { runVerifyStep } from "../steps/verify-step.ts";
import { CandidateChecks } from "./candidate-checks.ts";
import { candidateBody, candidateMessage } from "./candidate-text.ts";
import { type LoopContext, type OpenAttempt, waitingRepo } from "./context.ts";
import { failed, type Placed, runInTurn, runStep } from "./run-step.ts";

/** The effect of an upheld blocker: the change lands and leaves a human step, and no later step can pass yet. */
interface Gated {
  readonly gated: boolean;
}

/**
 * Takes a captured change from "the agent stopped" to done, step by step. Every step before `merge` checks a candidate, in
 * parallel with other tickets. Landings run one at a time per repository.
 */
export async function runFinishLine(
  ctx: LoopContext,
  scope: OpenAttempt,
  change: Change,
  { gated }: Gated = { gated: false },
): Promise<AttemptEnd> {
  const repo = waitingRepo(ctx, scope.ticket, scope.signal);
  const placed = scope.ticket.finish.map((spec, index): Placed => ({ index, spec }));
  const at = placed.findIndex(({ spec }) => spec.step === "merge");
  await refuseReversal(ctx, scope, repo, change.tip);
  const checks = new CandidateChecks(ctx, scope, repo, { steps: placed.slice(0, at), change, gated });
  const way = { repo, checks, step: placed[at] as Placed };
  const landed = await landBy(ctx, scope, { ...way, change });
  return gated ? { outcome: "gated" } : runAfterMerge(ctx, scope, repo, landed);
}

/** Lands the change in the way of its repository, and gives the commit. */
async function landBy(
  ctx: LoopContext,
  scope: OpenAttempt,
  { change, ...way }: LandingWay & { readonly change: Change },
): Promise<string> {
  const { repo, checks, step } = way;
  const branch = ctx.branchChecks.get(repo.id);
  if (branch !== undefined) return landByBranch(ctx, scope, { repo, checks, step, change, branch });
  if (ctx.pullRequests.has(repo.id)) return landByPullRequestStep(ctx, scope, way);
  return landByTrain(ctx, scope, way);
}

/** What a landing needs, however it is made. */
interface LandingWay {
  readonly repo: Repo;
  readonly checks: CandidateChecks;
  readonly step: Placed;
}

/** Lands the change on a branch whose checks decide. One without a change reads them as they are, and costs no attempt. */
async function landByBranch(
  ctx: LoopContext,
  scope: OpenAttempt,
  options: {
    readonly repo: Repo;
    readonly checks: CandidateChecks;
    readonly step: Placed;
    readonly change: Change;
    readonly branch: BranchTarget;
  },
): Promise<string> {
  const { repo, checks, step, change, branch } = options;
  const isReadOnly = change.paths.length === 0 && ticketById(ctx.state(), scope.ticket.id).attempt?.agent === undefined;
  const needs = { ...branch, repo, change, isReadOnly, check: () => checks.check() };
  try {
    return (await runStep(ctx, scope, step, () => landOnBranch(ctx, scope, needs))).commit;
  } catch (error) {
    if (!isReadOnly || !(error instanceof AttemptOver) || error.end.outcome !== "failed") throw error;
    const isRead = ticketById(ctx.state(), scope.ticket.id).ci?.iterations.at(-1)?.attempt === scope.n;
    // Without checks there is nothing to read.
    if (!isRead && error.end.evidence?.cause !== "infrastructure") throw error;
    throw new AttemptOver({ ...error.end, readOnly: true });
  }
}

/** Refuses a repair of a landed ticket that only takes back what the ticket has landed, unless a person has rewritten it since. */
async function refuseReversal(ctx: LoopContext, { ticket }: OpenAttempt, repo: Repo, tip: string): Promise<void> {
  const { live, attempt } = ticketById(ctx.state(), ticket.id);
  const baseSha = attempt?.worktree?.baseSha;
  if (live === undefined || live.rewritten || baseSha === undefined) return;
  if (!(await takesBackAllLanded(repo, live, { baseSha, tip }))) return;
  const summary = `it only takes back what the ticket has landed (${live.sha.slice(0, 7)})`;
  const detail = "The live check would pass with nothing of the ticket in the base. Repair the change, or change nothing.";
  throw failed({ ok: false, evidence: { step: "gates", name: "gates", summary, detail } });
}

/** Continues after a landing that a stop or a lost engine interrupted. It repeats the landing first, which completes it. */
export async function finishLanded(
  ctx: LoopContext,
  scope: OpenAttempt,
  landed: NonNullable<PendingWork["landed"]>,
  { gated }: Gated = { gated: false },
): Promise<AttemptEnd> {
  const repo = waitingRepo(ctx, scope.ticket, scope.signal);
  const refUpdate = { ticket: scope.ticket.id, fence: scope.fence, repo: repo.id, ...landed };
  const target = ctx.pullRequests.get(repo.id);
  await ctx.merges.run(repairLane(repo.id), async () => {
    ctx.report({ type: "merge-intended", ...refUpdate });
    await repo.land({ ...landed, isMerged: target !== undefined });
    ctx.report({ type: "merge-landed", ...refUpdate });
  });
  if (target !== undefined) await removeLandedBranch(ctx, scope, { ...target, branch: forgeBranch(ctx, scope) });
  if (gated) return { outcome: "gated" };
  return isToldDone(ticketById(ctx.state(), scope.ticket.id)) ? { outcome: "done" } : runAfterMerge(ctx, scope, repo, landed.to);
}

async function runAfterMerge(ctx: LoopContext, scope: OpenAttempt, repo: Repo, landed: string): Promise<AttemptEnd> {
  const after = scope.ticket.finish.map((spec, index): Placed => ({ index, spec }));
  for (const step of after.slice(after.findIndex(({ spec }) => spec.step === "merge") + 1)) {
    const held = heldByEnvironment(ctx.state(), scope.ticket.id, step.spec);
    if (held !== undefined) {
      const evidence = { step: "verify", name: stepName(step.spec), summary: held, detail: "" } as const;
      throw new AttemptOver({ outcome: "landed", evidence, held: true });
    }
    await runInTurn(ctx, scope, step, (open) => runAfter(ctx, open, repo, step.spec, landed));
  }
  return { outcome: "done" };
}

/** Lands the change through a pull request of its repository. */
async function landByPullRequestStep(
  ctx: LoopContext,
  scope: OpenAttempt,
  { repo, checks, step }: { readonly repo: Repo; readonly checks: CandidateChecks; readonly step: Placed },
): Promise<string> {
  const target = ctx.pullRequests.get(repo.id);
  if (target === undefined) throw new Error(`${repo.id} has no pull requests`);
  const needs = {
    ...target,
    repo,
    branch: forgeBranch(ctx, scope),
    message: () => landingMessage(candidateMessage(ctx, scope)),
    text: (baseSha: string, template: string | undefined) => candidateBody(ctx, scope, { base: repo.base, baseSha, template }),
    isOutdated: () => checks.isOutdated,
  };
  // Only an attempt that continues another one's work can find that merged: an agent's change is a new one.
  const isContinued = ticketById(ctx.state(), scope.ticket.id).attempt?.agent === undefined;
  const merged = isContinued ? await findMerged(ctx, scope, needs) : undefined;
  if (merged !== undefined) return (await runStep(ctx, scope, step, () => Promise.resolve(merged))).commit;
  const checked = await checks.check();
  const land = () => landByPullRequest(ctx, scope, { ...needs, checked, checkAgain: () => checks.check() });
  return (await runStep(ctx, scope, step, land)).commit;
}

/** The branch of the ticket at its forge. */
function forgeBranch({ run }: LoopContext, { ticket }: OpenAttempt): string {
  return `loopdash/${run}/${ticket.id}`;
}

function mergeLane(ctx: LoopContext, { ticket }: OpenAttempt, repo: Repo): string {
  return isRepair(ctx.state(), ticketIndex(ctx.state(), ticket.id)) ? repairLane(repo.id) : repo.id;
}

/** Lands the change as a car of a merge train. If the base has moved since its check, it is checked again. */
async function landByTrain(ctx: LoopContext, scope: OpenAttempt, { repo, checks, step }: LandingWay): Promise<string> {
  const lane = mergeLane(ctx, scope, repo);
  const car = ctx.trains.enter(lane, checks.car());
  try {
    const checked = await checks.checkInTrain(car);
    const needs = {
      ...{ repo, checked, isOutdated: () => checks.isOutdated, checkAgain: () => checks.checkInTrain(car) },
      landedProof: (commit: string) => checks.landedProof(commit),
      inTurn: <T>(land: () => Promise<T>) => ctx.merges.run(lane, land, scope.signal),
    };
    const { commit } = await runStep(ctx, scope, step, () => merge(ctx, scope, needs));
    car.landed();
    return commit;
  } finally {
    car.leave();
  }
}

async function runAfter(ctx: LoopContext, scope: OpenAttempt, repo: Repo, spec: StepSpec, landed: string): Promise<StepResult> {
  if (spec.step === "verify") return runVerifyStep(ctx, scope, repo, spec, landed);
  if (spec.step !== "assert") throw new Error(`${spec.step} cannot stand after merge`);
  const note = `${landedAs(ctx.state(), scope.ticket.id, landed)} by run ${ctx.run}, attempt ${scope.n}`;
  const result = await assertTracker(ctx, { ticket: scope.ticket.id, state: { as: "done" }, note, signal: scope.signal });
  if (result.ok) return result;
  // A tracker that is away says nothing about the work, which keeps its place.
  throw new AttemptOver(scope.signal.aborted ? abortedEnd(scope) : { outcome: "stopped", evidence: result.evidence });
}
