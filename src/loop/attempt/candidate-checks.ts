import { commitMessage, teamKeys } from "../../domain/batch/commit-message.ts";
import { runsCommand, type StepSpec } from "../../domain/batch/step-spec.ts";
import type { Complexity } from "../../domain/complexity/classes.ts";
import { appliesTo } from "../../domain/complexity/review-steps.ts";
import { routeOf } from "../../domain/complexity/route.ts";
import { type LandingMessage, landingMessage, pullRequestBody } from "../../domain/forge/pull-request-text.ts";
import { describeAwaited, isApproved } from "../../domain/run/approval.ts";
import { ticketOf } from "../../domain/run/state.ts";
import { specOf, textOf } from "../../domain/schedule/plan.ts";
import type { Candidate, Change, Repo } from "../../ports/vcs.ts";
import { AttemptOver } from "../programs/scope.ts";
import { runAdversaryStep, runSmoke } from "../steps/adversary-step.ts";
import { type BaseCheckResult, repairsTests } from "../steps/base-health.ts";
import { approvalNeededFor, boundGate } from "../steps/bound-gate.ts";
import { runCheckStep } from "../steps/check-step.ts";
import { gates, protectedFor } from "../steps/gates.ts";
import type { Built } from "../steps/landing.ts";
import { conflictEvidence } from "../steps/merge.ts";
import { refuseUnapproved } from "../steps/prove-alone.ts";
import { runReviewStep } from "../steps/review-step.ts";
import type { StepResult } from "../steps/step.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { keepPatch } from "./kept-work.ts";
import { atStep, failed, type Placed, runInTurn, runStep } from "./run-step.ts";
import type { SpeculativeCheck } from "./speculative-checks.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** The results of silent checks, step by step, up to the first that failed. */
export type SpeculativeResult = readonly { readonly placed: Placed; readonly result: StepResult }[];

/** Checks one change by the steps before the merge, again each time its base moves. */
export class CandidateChecks {
  readonly #ctx: LoopContext;
  readonly #scope: OpenAttempt;
  readonly #repo: Repo;
  readonly #steps: readonly Placed[];
  readonly #change: Change;
  /** Changes that the reviewer has passed, and the ticket's text at that time, by step index. */
  readonly #passed = new Map<number, { readonly candidate: Built; readonly text: string }>();

  constructor(
    ctx: LoopContext,
    scope: OpenAttempt,
    repo: Repo,
    { steps, change }: { readonly steps: readonly Placed[]; readonly change: Change },
  ) {
    this.#ctx = ctx;
    this.#scope = scope;
    this.#repo = repo;
    this.#steps = steps;
    this.#change = change;
  }

  /** True if a person has rewritten the ticket since the reviewer passed the change: it judged another ticket. */
  get isOutdated(): boolean {
    return [...this.#passed.values()].some(({ text }) => text !== this.#text);
  }

  /** The class of the ticket by now; undefined without routing by complexity. */
  get #class(): Complexity | undefined {
    return ticketOf(this.#ctx.state(), this.#scope.ticket.id).complexity?.class;
  }

  #applies({ spec }: Placed): boolean {
    return appliesTo(spec, this.#class);
  }

  get #text(): string {
    return textOf(specOf(this.#ctx.state().plan, this.#scope.ticket.id));
  }

  /** The title of the pull request, and the message of the commit by which it lands. */
  landingMessage(): LandingMessage {
    return landingMessage(this.#message);
  }

  /** The text of the pull request of a candidate on this base, in the form of the repository's template if that is given. */
  pullRequestBody(baseSha: string, template: string | undefined): string {
    const { batch, run, state } = this.#ctx;
    const { ticket, n } = this.#scope;
    const { attempt } = ticketOf(state(), ticket.id);
    const passed = (attempt?.passed ?? []).map(({ index, kind, name, ms, notNeeded }) => {
      const spec = ticket.finish[index];
      const by = spec?.step === "review" && spec.by === "second" ? ", by the second reviewer" : "";
      return { step: `${kind === name ? kind : `${kind} ${name}`}${by}`, ms, ...(notNeeded && { notNeeded }) };
    });
    const teams = teamKeys(batch, state().plan.tickets);
    const origin = { run, attempt: n, base: this.#repo.base, baseSha };
    return pullRequestBody({ ticket, teams, passed, origin, template });
  }

  get #message(): string {
    const { ticket, n } = this.#scope;
    const { batch, run, state } = this.#ctx;
    const teams = teamKeys(batch, state().plan.tickets);
    return commitMessage({ commit: batch.commit, ticket, run, attempt: n, agent: batch.agent, teams });
  }

  /** The change as one commit on the base's tip, or on `onto`. */
  async build(onto?: string): Promise<Candidate> {
    const { ticket, signal } = this.#scope;
    const { state, clock } = this.#ctx;
    const message = this.#message;
    const lands = { at: ticketOf(state(), ticket.id).attempt?.startedAt ?? clock.now() };
    const where = onto === undefined ? {} : { onto };
    const built = await this.#repo.candidate({ tip: this.#change.tip, message, signal, lands, ...where });
    if (built.ok) this.#ctx.proofs.noteBuilt(built.commit, { from: built.base, allow: ticket.allow });
    return built;
  }

  /** Builds the candidate on the base's tip and runs every step on it. Throws AttemptOver if one fails. */
  async check(built: (commit: string | undefined) => void): Promise<Built> {
    this.#holdBounds();
    const candidate = await this.build();
    built(candidate.ok ? candidate.commit : undefined);
    for (const placed of this.#steps)
      await runInTurn(this.#ctx, this.#scope, placed, (open) => this.#run(placed, candidate, open));
    if (!candidate.ok) throw failed(conflictEvidence(candidate));
    await this.#awaitApproval(candidate);
    return candidate;
  }

  /** Throws AttemptOver if the change touches the rules of its repository, or a zone that nobody may change. */
  #holdBounds(): void {
    const { batch } = this.#ctx;
    const isReadOnly = batch.bound?.zones === "read-only";
    const refused = boundGate(this.#change, { bound: batch.bounds?.[this.#repo.id], isReadOnly });
    if (refused !== undefined) throw failed(refused);
  }

  /**
   * Throws AttemptOver if the candidate changes zones, or its class needs a person, and no person has approved exactly this change. The work is kept: once it is
   * approved, the next attempt continues it without an agent.
   */
  async #awaitApproval(candidate: Built): Promise<void> {
    const { batch, state } = this.#ctx;
    const ticket = ticketOf(state(), this.#scope.ticket.id);
    const gatedClass = routeOf(batch, ticket).gate === undefined ? undefined : ticket.complexity?.class;
    const needed = await approvalNeededFor(this.#repo, candidate, { bound: batch.bounds?.[this.#repo.id], gatedClass });
    if (needed === undefined || isApproved(ticket, needed.change)) return;
    await keepPatch(this.#repo, { from: candidate.base, change: this.#change, patch: this.#scope.files.patch });
    if (!this.#scope.announce({ type: "approval-awaited", ...needed })) throw new AttemptOver({ outcome: "stopped" });
    const summary = `waits for a person's approval of ${describeAwaited(needed)}`;
    throw new AttemptOver({ outcome: "stopped", evidence: { step: "gates", name: "bound", summary, detail: "" } });
  }

  /**
   * Runs every step on a candidate that may never land, and reports nothing. Undefined if that is impossible now: no permit is
   * free, the reviewer would have to be asked, or a step has something to report.
   */
  async checkSilently(candidate: Built, signal: AbortSignal): Promise<SpeculativeResult | undefined> {
    // Refusing a fact ends the step that announces it.
    const scope: OpenAttempt = { ...this.#scope, signal, announce: () => false };
    const results: { placed: Placed; result: StepResult }[] = [];
    try {
      for (const placed of this.#steps) {
        if (asks(placed) && this.#applies(placed) && (hasSmoke(placed) || !(await this.#stands(placed, candidate))))
          return undefined;
        const run = () => this.#run(placed, candidate, atStep(scope, placed));
        const result = runsCommand(placed.spec) ? await this.#ctx.commandPermits.tryRun(run) : await run();
        if (result === undefined) return undefined;
        results.push({ placed, result });
        if (!result.ok) break;
      }
    } catch (error) {
      if (error instanceof AttemptOver && !this.#scope.signal.aborted) return undefined;
      throw error;
    }
    return results;
  }

  /** Reports the results of silent checks. Throws AttemptOver if a step had failed. */
  async tell({ candidate, result: results }: SpeculativeCheck<SpeculativeResult>): Promise<Built> {
    for (const { placed, result } of results) await runStep(this.#ctx, this.#scope, placed, () => Promise.resolve(result));
    await this.#awaitApproval(candidate);
    return candidate;
  }

  async #run(placed: Placed, candidate: Candidate, scope: OpenAttempt): Promise<StepResult> {
    const { spec } = placed;
    const ctx = this.#ctx;
    if (spec.step === "gates") {
      const { ticket } = scope;
      return gates(this.#change, protectedFor(ctx.batch.protect, ticket), ticket.contract);
    }
    if (!candidate.ok) return conflictEvidence(candidate);
    if (spec.step === "check") return this.#check(placed.index, spec, candidate, scope);
    if (spec.step !== "review" && spec.step !== "adversary") throw new Error(`${spec.step} cannot stand before merge`);
    if (!this.#applies(placed)) return { ok: true, summary: `not needed: the ticket is ${this.#class}`, notNeeded: true };
    if (await this.#stands(placed, candidate)) {
      // The smoke command depends on the whole tree.
      const broken = spec.step === "adversary" ? await runSmoke(ctx, scope, this.#repo, spec, candidate) : undefined;
      if (broken !== undefined) return { ok: false, evidence: broken };
      const before = this.#passed.get(placed.index)?.candidate.commit.slice(0, 7);
      return { ok: true, summary: `stands: its files are as they were in ${before}, which passed`, commit: candidate.commit };
    }
    const of = { candidate, change: this.#change };
    const result =
      spec.step === "review"
        ? await runReviewStep(ctx, scope, this.#repo, { ...of, spec })
        : await runAdversaryStep(ctx, scope, this.#repo, { ...of, spec });
    if (result.ok) this.#passed.set(placed.index, { candidate, text: this.#text });
    return result;
  }

  /**
   * Runs a check. If it fails on the base's tip too, without the change, and has passed on an earlier base of this run, the base is
   * broken and the attempt is put off with its work. What fails beside that is the change's own fault.
   */
  async #check(index: number, step: Check, candidate: Built, scope: OpenAttempt): Promise<StepResult> {
    const { base: tip } = candidate;
    // With a report, the base is measured first in any case.
    const measured = step.report && (await this.#ctx.baseHealth.checkTip(this.#ctx, scope, this.#repo, { step, tip }));
    const result = refuseUnapproved(step, await runCheckStep(this.#ctx, scope, this.#repo, step, candidate));
    if (scope.signal.aborted) return result;
    const onBase = measured ?? (result.ok ? undefined : await this.#resultOnBase(step, tip, scope));
    if (onBase?.as !== "failed") return result;
    // A speculative candidate is checked again once the commit below it has landed.
    if (!(await this.#repo.contains(tip))) throw new AttemptOver({ outcome: "stopped" });
    const at = { repo: this.#repo.id, sha: tip, foundBy: scope.ticket.id, step: index };
    this.#ctx.report({ type: "base-check-ended", ...at, ok: false, summary: onBase.summary });
    if (await this.#countsOnBrokenBase(result, onBase, { step, candidate, scope })) return result;
    const summary = `waits: ${step.name} fails on the base of ${this.#repo.id} too, without its change`;
    const { detail } = result.ok ? { detail: onBase.summary } : result.evidence;
    throw new AttemptOver({ outcome: "stopped", evidence: { step: "check", name: step.name, summary, detail } });
  }

  /** The result of a failed check without a report on the base, if the failure may come from there. */
  async #resultOnBase(step: Check, tip: string, scope: OpenAttempt): Promise<BaseCheckResult | undefined> {
    const { baseHealth, state } = this.#ctx;
    const canComeFrom = await baseHealth.canComeFrom(state(), this.#repo, { step, tip });
    return canComeFrom ? baseHealth.checkTip(this.#ctx, scope, this.#repo, { step, tip }) : undefined;
  }

  /**
   * True if the result of a check counts although the base fails it too. A change that passes is the repair if no test that broke
   * on the base fails with it; other changes land if the batch says so. A change whose own tests fail is at fault.
   */
  async #countsOnBrokenBase(
    result: StepResult,
    { tests }: Extract<BaseCheckResult, { as: "failed" }>,
    { step, candidate, scope }: { readonly step: Check; readonly candidate: Built; readonly scope: OpenAttempt },
  ): Promise<boolean> {
    if (tests === undefined) return result.ok;
    if (!result.ok || this.#ctx.batch.onBroken === "continue") return true;
    return repairsTests(this.#ctx, scope, this.#repo, { step, commit: candidate.commit, tests });
  }

  /**
   * True if the reviewer has passed the change that it would be asked about now: each file that the change touches is byte for
   * byte the same, and so is the ticket's text. Checks run again in any case, because they depend on the whole tree.
   */
  async #stands({ index }: Placed, candidate: Built): Promise<boolean> {
    const before = this.#passed.get(index);
    if (before === undefined || before.text !== this.#text) return false;
    const { paths } = await this.#repo.change({ from: before.candidate.commit, tip: candidate.commit });
    const moved = new Set(paths.map(({ path }) => path));
    return this.#change.paths.every(({ path }) => !moved.has(path));
  }
}

/** True if a step asks the reviewer. */
function asks({ spec }: Placed): boolean {
  return spec.step === "review" || spec.step === "adversary";
}

/** True if the step also runs a command, which waits for a permit. */
function hasSmoke({ spec }: Placed): boolean {
  return spec.step === "adversary" && spec.smoke !== undefined;
}
