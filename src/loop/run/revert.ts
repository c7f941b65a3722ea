import type { Allowance } from "@loopdash/test-evidence";
import { commitMessage, teamKeys } from "../../domain/batch/commit-message.ts";
import type { Ticket } from "../../domain/batch/schema.ts";
import { isCriterion, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { FailingCheck } from "../../domain/run/base-check.ts";
import type { LiveState, RevertedChange } from "../../domain/run/live-check.ts";
import { failingStep } from "../../domain/run/reduce-base.ts";
import { ticketById } from "../../domain/run/state.ts";
import { heldByEnvironment } from "../../domain/schedule/environments.ts";
import { plannedTicket } from "../../domain/schedule/plan.ts";
import { delays } from "../../domain/values/delays.ts";
import type { RunId, TicketId } from "../../domain/values/ids.ts";
import { boundedList, errorMessage, plainText } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import { type LoopContext, waitingRepo } from "../attempt/context.ts";
import { pause } from "../concurrency/wait.ts";
import type { StepScope } from "../programs/scope.ts";
import { assertTracker } from "../steps/assert.ts";
import { proveFault, repairsBase } from "../steps/base-fault.ts";
import { runCheckStep } from "../steps/check-step.ts";
import { gates, protectedFor } from "../steps/gates.ts";
import { repairLane } from "../steps/merge.ts";
import type { Built } from "../steps/step.ts";
import { runVerifyStep } from "../steps/verify-step.ts";
import { verifyScope } from "./live-check.ts";

/** Times that a moving base is followed. */
const CHASES = 5;
/** Wait before a checkout that cannot be updated is checked again: the first, and the longest. Milliseconds. */
const LOOK_AGAIN_MS = { first: 500, most: 5_000 } as const;

/**
 * A revert brings back what was in the base before, written by no agent: so it may remove the tests, suppressions and settings that
 * came with the change. Tests that are in both trees must still pass as on the base.
 */
const RESTORES: Allowance = {
  testsRemoved: ["*"],
  testsSkipped: ["*"],
  suppressions: true,
  scripts: true,
  attributes: true,
  configuration: true,
  judge: ["**"],
};

/** Found in the environment of every process of a revert. */
export function revertMarker(run: RunId, ticket: TicketId): string {
  return `${run}/${ticket}/revert`;
}

/** The change cannot be taken back; the base stays frozen. */
class RevertImpossible extends Error {
  override readonly name = "RevertImpossible";
  readonly detail: string;
  constructor(reason: string, detail = "") {
    super(reason);
    this.detail = detail;
  }
}

interface Revert {
  readonly ctx: LoopContext;
  readonly spec: Ticket;
  readonly live: LiveState;
  readonly repo: Repo;
  readonly scope: StepScope;
  readonly signal: AbortSignal;
}

/**
 * Reverts the landed change of a ticket that has broken its base: builds the change in reverse on the base's tip, runs the
 * ticket's gates and `check` steps on it, lands it by compare-and-swap, and runs the `verify` steps on the base without the
 * change. What others have landed or committed since stays. A revert that an earlier engine had announced is recognised in the
 * base, and not repeated. Never throws: it reports that it has ended, failed or stopped.
 */
export async function revertLanded(ctx: LoopContext, id: TicketId, signal: AbortSignal): Promise<void> {
  try {
    const ticket = ticketById(ctx.state(), id);
    const { live } = ticket;
    if (live === undefined) throw new RevertImpossible("the ticket has not landed");
    const spec = plannedTicket(ctx.state().plan, id);
    const marker = revertMarker(ctx.run, id);
    const plain = await verifyScope(ctx, ticket, { signal, marker });
    const { fixes: _, ...restored } = spec;
    const scope: StepScope = { ...plain, ticket: { ...restored, allow: RESTORES } };
    const revert: Revert = { ctx, spec, live, repo: waitingRepo(ctx, spec, signal), scope, signal };
    if (!(await completeLanding(revert))) {
      const { byPerson, byProof, failedCheck } = live.revert ?? {};
      if (failedCheck !== undefined && !byProof && !byPerson) await proveSuspicion(revert);
      await ctx.merges.run(repairLane(revert.repo.id), () => landRevert(revert), signal);
    }
    const after = await verifyWithout(revert);
    await noteInTracker(revert);
    ctx.report({ type: "revert-ended", ticket: id, ...after });
  } catch (error) {
    if (signal.aborted || ctx.state().fatalOutage !== undefined) return void ctx.report({ type: "revert-stopped", ticket: id });
    const reason = plainText(errorMessage(error), 300);
    const hasLanded = ticketById(ctx.state(), id).live?.revert?.hasLanded === true;
    if (hasLanded) return void ctx.report({ type: "revert-ended", ticket: id, ok: false, summary: `not checked: ${reason}` });
    const detail = error instanceof RevertImpossible ? error.detail : "";
    ctx.report({ type: "revert-failed", ticket: id, reason, detail });
  }
}

/** The check that fails on the base with the change. It may be none of the ticket's own. */
function suspectedCheck({ ctx, live, repo }: Revert): FailingCheck | undefined {
  const { failedCheck, byPerson, byProof } = live.revert ?? {};
  return failedCheck === undefined || byProof || byPerson ? undefined : ctx.state().failingChecks[repo.id];
}

/**
 * Throws RevertImpossible unless the suspected change is at fault: the check fails on the tip, and passes on the base before the
 * change.
 */
async function proveSuspicion(revert: Revert): Promise<void> {
  const { ctx, live, repo, scope, signal } = revert;
  const failing = suspectedCheck(revert);
  const step = failing && failingStep(ctx.state(), failing);
  if (failing === undefined || step?.step !== "check") throw new RevertImpossible("the check passes on the base again");
  const tip = await repo.baseTip();
  const at = atStep(scope, failing.step, step);
  const prove = () => proveFault(ctx, at, repo, { step, tip, before: live.from });
  const fault = await ctx.commandPermits.run(prove, signal);
  const { foundBy, step: index } = failing;
  if (fault.as === "passes")
    ctx.report({ type: "base-check-ended", repo: repo.id, sha: tip, foundBy, step: index, ok: true, summary: "" });
  if (fault.as !== "proven") throw new RevertImpossible(fault.why);
}

/** Completes a landing that an earlier engine had announced, if it has reached the base. */
async function completeLanding({ ctx, spec, live, repo }: Revert): Promise<boolean> {
  const { from, to, hasLanded } = live.revert ?? {};
  if (from === undefined || to === undefined || !(await repo.contains(to))) return false;
  if (!hasLanded) ctx.report({ type: "revert-landed", ticket: spec.id, repo: repo.id, from, to });
  await repo.land({ from, to });
  return true;
}

async function landRevert(revert: Revert): Promise<void> {
  for (let chase = 0; chase < CHASES; chase += 1) {
    const candidate = await build(revert);
    await runChecks(revert, candidate);
    if (await landCandidate(revert, candidate)) return;
  }
  throw new RevertImpossible(`the base moved ${CHASES} times while the change was being reverted`);
}

async function build({ ctx, spec, live, repo, signal }: Revert): Promise<Built> {
  const { sha, from } = live;
  if (!(await repo.contains(sha))) throw new RevertImpossible(`${sha.slice(0, 7)} is no longer in ${repo.base}`);
  const message = revertMessage(ctx, spec, live);
  const tip = await repo.reverse({ from, tip: sha, message });
  const lands = { at: live.revert?.since ?? ctx.clock.now() };
  const candidate = await repo.candidate({ tip, message, signal, lands });
  if (!candidate.ok) {
    const paths = candidate.conflicts.map((path) => plainText(path, 200));
    const where = paths.length === 1 ? paths[0] : `${paths.length} files`;
    throw new RevertImpossible(`its revert conflicts with later changes in ${where}`, boundedList(paths));
  }
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  if (paths.length === 0) throw new RevertImpossible("the base holds nothing of its change any more");
  ctx.proofs.noteBuilt(candidate.commit, { from: candidate.base, allow: spec.allow });
  return candidate;
}

/** The message of the commit that reverts a landed change, as the batch's settings shape it. */
function revertMessage({ batch, run, state }: LoopContext, ticket: Ticket, { sha, attempt, revert }: LiveState): string {
  const { failedCheck, byPerson, byProof } = revert ?? {};
  const failing = byProof ? "is not proven" : "fails on the base";
  const found =
    failedCheck === undefined ? "whose live checks kept failing" : `with which the check ${failedCheck.name} ${failing}`;
  const why = byPerson ? "as a person asked" : found;
  const reverts = { sha, why };
  const teams = teamKeys(batch, state().plan.tickets);
  return commitMessage({ commit: batch.commit, ticket, run, attempt, agent: batch.agent, reverts, teams });
}

/**
 * Runs the ticket's gates and checks on its revert, and the check that failed on the base with the change, which must pass now. The
 * gates allow what they allow the ticket.
 */
async function runChecks(revert: Revert, candidate: Built): Promise<void> {
  const { ctx, spec, repo, scope, signal } = revert;
  if (spec.finish.some(({ step }) => step === "gates")) {
    const change = await repo.change({ from: candidate.base, tip: candidate.commit });
    const result = gates(change, protectedFor(ctx.batch.protect, spec));
    if (!result.ok) throw new RevertImpossible(`gates refuse its revert: ${result.evidence.summary}`, result.evidence.detail);
  }
  const failing = suspectedCheck(revert);
  const suspicion = failing && failingStep(ctx.state(), failing);
  // A contract's demands on the change are gone with the change.
  const own = spec.finish.flatMap((step) => (step.step === "check" && !isCriterion(step) ? [step] : []));
  const isOwn = own.some((step) => JSON.stringify(step) === JSON.stringify(suspicion));
  const checks = suspicion?.step === "check" && !isOwn ? [...own, suspicion] : own;
  for (const [index, step] of checks.entries()) {
    const turned = atStep(scope, index, step);
    // No agent wrote it, and the trees that it joins have been proven.
    const check = () => runCheckStep(ctx, turned, repo, step, candidate, { proof: "never" });
    const result = await ctx.commandPermits.run(check, signal);
    if (result.ok) continue;
    const { name, summary, detail } = result.evidence;
    throw new RevertImpossible(`check ${name} fails without the change: ${summary}`, detail);
  }
  if (suspicion?.step === "check" && !(await repairsBase(ctx, scope, repo, { step: suspicion, candidate })))
    throw new RevertImpossible(`tests that broke on the base fail without the change too (check ${suspicion.name})`);
}

/** Lands the checked revert; waits while a checkout of the base cannot follow. False if the base has moved. */
async function landCandidate(revert: Revert, { base: from, commit: to }: Built): Promise<boolean> {
  const { ctx, spec, repo, signal } = revert;
  const deadline = ctx.clock.ran() + ctx.batch.limits.minutesPerAttempt * 60_000;
  const refUpdate = { ticket: spec.id, repo: repo.id, from, to };
  for (const waits = delays(LOOK_AGAIN_MS.first, LOOK_AGAIN_MS.most); ; ) {
    signal.throwIfAborted();
    await reopenInTracker(revert);
    if (!ctx.report({ type: "revert-intended", ...refUpdate }))
      throw new RevertImpossible("a person has settled the ticket meanwhile");
    const landing = await repo.land({ from, to });
    if (landing.as === "landed") {
      ctx.report({ type: "revert-landed", ...refUpdate });
      return true;
    }
    if (landing.as === "moved") return false;
    const reason = plainText(landing.reason, 300);
    if (landing.as === "refused" || ctx.clock.ran() >= deadline)
      throw new RevertImpossible(`its revert could not land: ${reason}`);
    ctx.report({ type: "revert-waiting", ticket: spec.id, reason });
    await pause(ctx.clock, waits.next().value, signal);
  }
}

/** Reopens a done ticket in the tracker, before its change is taken back: the oracle must not find it done without its change. */
async function reopenInTracker({ ctx, spec, live, signal }: Revert): Promise<void> {
  if (ticketById(ctx.state(), spec.id).phase !== "done") return;
  const note = `run ${ctx.run} reverts ${live.sha.slice(0, 12)}: ${live.revert?.failedCheck?.summary ?? "no reason given"}`;
  const result = await assertTracker(ctx, { ticket: spec.id, state: { as: "open" }, note, signal });
  if (!result.ok) throw new RevertImpossible(result.evidence.summary);
}

/** The live check on the base without the change. It decides nothing: the check may ask for the very thing that was taken back. */
async function verifyWithout(revert: Revert): Promise<RevertedChange["after"]> {
  const { ctx, spec, repo, scope, signal } = revert;
  const tip = await repo.baseTip();
  const verify = async (): Promise<RevertedChange["after"]> => {
    for (const [index, step] of spec.finish.entries()) {
      if (step.step !== "verify") continue;
      const held = heldByEnvironment(ctx.state(), spec.id, step);
      if (held !== undefined) return { ok: false, summary: held };
      const result = await runVerifyStep(ctx, atStep(scope, index, step), repo, step, tip);
      if (!result.ok) return { ok: false, summary: `${stepName(step)}: ${plainText(result.evidence.summary, 300)}` };
    }
    return { ok: true, summary: passedWithout(spec, revert.live) };
  };
  return ctx.commandPermits.run(verify, signal);
}

/** What passes on the base without the change. */
function passedWithout({ finish }: Ticket, { revert }: LiveState): string {
  const { byPerson, failedCheck } = revert ?? {};
  if (failedCheck === undefined || finish.some(({ step }) => step === "verify"))
    return "the live check passes without the change";
  if (!byPerson) return `the check ${failedCheck.name} passes without the change`;
  const checks = finish.filter((step) => step.step === "check" && !isCriterion(step)).length;
  if (checks === 0) return "no check ran: its finish line has none";
  return `${checks === 1 ? "its check passes" : `its ${checks} checks pass`} without the change`;
}

/** Writes the reason into the tracker, where the ticket is open, for people to read. */
async function noteInTracker({ ctx, spec, live, signal }: Revert): Promise<void> {
  const by = ticketById(ctx.state(), spec.id).live?.revert?.to?.slice(0, 12) ?? "";
  const last = live.history.at(-1)?.summary ?? "no reason given";
  const why = live.revert?.failedCheck?.summary ?? `its live checks kept failing; the last: ${last}`;
  const note = `run ${ctx.run} reverted ${live.sha.slice(0, 12)} by ${by}: ${why}`;
  // A person's words stay, and the note is for people only, so a refusal changes nothing.
  await assertTracker(ctx, { ticket: spec.id, state: { as: "open" }, note, signal });
  signal.throwIfAborted();
}

function atStep(scope: StepScope, index: number, step: StepSpec): StepScope {
  return { ...scope, turn: { step: index, name: stepName(step), rest: (idle) => idle() } };
}
