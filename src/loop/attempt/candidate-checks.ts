import { approverOfJudge } from "../../domain/batch/proof-spec.ts";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { Complexity } from "../../domain/complexity/classes.ts";
import { appliesTo } from "../../domain/complexity/review-steps.ts";
import { ticketRoute } from "../../domain/complexity/route.ts";
import { describeAwaited, isApproved } from "../../domain/run/approval.ts";
import { movedSubmodules } from "../../domain/run/moved-submodule.ts";
import type { LandedProof } from "../../domain/run/proof-fact.ts";
import { activeTickets, ticketById } from "../../domain/run/state.ts";
import { expectedSuiteMs } from "../../domain/run/suite-fact.ts";
import { plannedTicket, serializeTicketText } from "../../domain/schedule/plan.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import type { Candidate, Change, Repo } from "../../ports/vcs.ts";
import type { Rest } from "../concurrency/semaphore.ts";
import { type Car, type CarOptions, gatherMsFor, type RunningTrain } from "../concurrency/train-car.ts";
import { AttemptOver, overIfAborted, type StepFact } from "../programs/scope.ts";
import { runSmoke } from "../steps/attack-commands.ts";
import { approvalNeededFor, boundGate } from "../steps/bound-gate.ts";
import { runGatesStep } from "../steps/gates-step.ts";
import { conflictEvidence } from "../steps/merge.ts";
import { isNamedBy } from "../steps/named-by.ts";
import { refuseUnapproved } from "../steps/prove-alone.ts";
import { runAdversaryStep, runReviewStep } from "../steps/review-step.ts";
import type { Built, StepResult, TrainResult } from "../steps/step.ts";
import { CandidateProofs, chooseProofTiming, isPlainTicket } from "./candidate-proofs.ts";
import { candidateMessage } from "./candidate-text.ts";
import { checkCandidate } from "./check-candidate.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";
import { keepPatch } from "./kept-work.ts";
import { atStep, failed, type Placed, runInTurn, runStep } from "./run-step.ts";

/** A `check` step with its index in the finish line. */
interface PlacedCheck {
  readonly index: number;
  readonly spec: Check;
}

/** Checks one change by the steps before the merge, again each time its base moves. */
export class CandidateChecks {
  readonly #ctx: LoopContext;
  readonly #scope: OpenAttempt;
  readonly #repo: Repo;
  readonly #steps: readonly Placed[];
  readonly #change: Change;
  /** Changes that the reviewer has passed, and the ticket's text at that time, by step index. */
  readonly #passed = new Map<
    number,
    { readonly candidate: Built; readonly text: string; readonly approves: readonly string[] }
  >();
  readonly #proofs: CandidateProofs;
  /** The candidate whose steps ran last. */
  #last: Candidate | undefined;
  /** It leaves a step to a person. */
  readonly #gated: boolean;

  constructor(
    ctx: LoopContext,
    scope: OpenAttempt,
    repo: Repo,
    { steps, change, gated }: { readonly steps: readonly Placed[]; readonly change: Change; readonly gated: boolean },
  ) {
    // What is left to a person could not be taken back by the engine: it is proven before it lands.
    this.#ctx = gated ? { ...ctx, batch: { ...ctx.batch, proof: "each" } } : ctx;
    this.#gated = gated;
    this.#scope = scope;
    this.#repo = repo;
    this.#steps = steps;
    this.#change = change;
    this.#proofs = new CandidateProofs(approverOfJudge(ctx.batch, scope.ticket.finish));
  }

  /** True if a person has rewritten the ticket since the reviewer passed the change: it judged another ticket. */
  get isOutdated(): boolean {
    return [...this.#passed.values()].some(({ text }) => text !== this.#text);
  }

  /** The class of the ticket by now; undefined without routing by complexity. */
  get #class(): Complexity | undefined {
    return ticketById(this.#ctx.state(), this.#scope.ticket.id).complexity?.class;
  }

  get #text(): string {
    return serializeTicketText(plannedTicket(this.#ctx.state().plan, this.#scope.ticket.id));
  }

  /** The change as one commit on the base's tip, or on `onto`. */
  async build(onto?: string): Promise<Candidate> {
    const { ticket, signal } = this.#scope;
    const { state, clock } = this.#ctx;
    const message = candidateMessage(this.#ctx, this.#scope);
    const lands = { at: ticketById(state(), ticket.id).attempt?.startedAt ?? clock.now() };
    const where = onto === undefined ? {} : { onto };
    const built = await this.#repo.candidate({ tip: this.#change.tip, message, signal, lands, ...where });
    if (built.ok) this.#ctx.proofs.noteBuilt(built.commit, { from: built.base, allow: ticket.allow });
    return built;
  }

  /** Builds the candidate on the base's tip and runs every step on it. Throws AttemptOver if one fails. */
  async check(): Promise<Built> {
    this.#holdBounds();
    await this.#announceRepeat();
    const candidate = await this.build();
    this.#last = candidate;
    await this.#runAll(this.#steps, candidate);
    if (!candidate.ok) throw failed(conflictEvidence(candidate));
    await this.#awaitApproval(candidate);
    return candidate;
  }

  /** Records why steps begin again that have run on a candidate before. Throws AttemptOver if the attempt is over. */
  async #announceRepeat(): Promise<void> {
    if (!this.#last?.ok) return;
    const tip = await this.#repo.baseTip();
    const didMove = this.#last.base !== tip;
    const cause = didMove ? `${this.#repo.base} is at ${tip.slice(0, 7)}` : "a change that was checked with it did not land";
    const why = `since ${this.isOutdated ? "its ticket was rewritten" : cause}`;
    if (!this.#scope.announce({ type: "steps-repeated", why })) throw new AttemptOver({ outcome: "stopped" });
  }

  /** Throws AttemptOver if the change touches its repository's rules, or a zone that nobody may change. */
  #holdBounds(): void {
    const { batch } = this.#ctx;
    const isReadOnly = batch.bound?.zones === "read-only";
    const refused = boundGate(this.#change, { bound: batch.bounds?.[this.#repo.id], isReadOnly });
    if (refused !== undefined) throw failed(refused);
  }

  /**
   * Throws AttemptOver if the candidate changes zones or what judges it, or its class needs a person, and no person has approved
   * exactly this change. The work is kept: once it is approved, the next attempt continues it without an agent.
   */
  async #awaitApproval(candidate: Built): Promise<void> {
    const { batch, state } = this.#ctx;
    const ticket = ticketById(state(), this.#scope.ticket.id);
    const gatedClass = ticketRoute(batch, ticket).gate === undefined ? undefined : ticket.complexity;
    const approved = new Set([...this.#passed.values()].flatMap(({ approves }) => approves));
    const judges = this.#proofs.unapproved(approved);
    const moved = movedSubmodules(this.#change.paths);
    const by = { bound: batch.bounds?.[this.#repo.id], gatedClass, judges, reasons: this.#proofs.reasons, moved };
    const needed = await approvalNeededFor(this.#repo, candidate, by);
    if (needed === undefined || isApproved(ticket, needed.change)) return;
    await keepPatch(this.#ctx, this.#repo, { from: candidate.base, change: this.#change, patch: this.#scope.files.patch });
    if (!this.#scope.announce({ type: "approval-awaited", ...needed })) throw new AttemptOver({ outcome: "stopped" });
    const summary = `waits for a person's approval of ${describeAwaited(needed)}`;
    throw new AttemptOver({ outcome: "stopped", evidence: { step: "gates", name: "bound", summary, detail: "" } });
  }

  /** The change as a car of its repository's merge trains. */
  car(): CarOptions<TrainResult> {
    const { ticket, signal } = this.#scope;
    const checks = this.#checks;
    // If a change has failed a check before, it is checked alone: it would cost all others of its train theirs.
    const hasFailed = ticketById(this.#ctx.state(), ticket.id).evidence.at(-1)?.step === "check";
    const isShared = !hasFailed && !this.#gated && isPlainTicket(ticket) && checks.length > 0;
    const isOnRepo = (id: TicketId) => plannedTicket(this.#ctx.state().plan, id).repo === ticket.repo;
    return {
      id: ticket.id,
      group: isShared ? JSON.stringify(checks.map(({ spec }) => spec)) : undefined,
      signal,
      gatherMs: this.#gatherMs,
      expected: () => activeTickets(this.#ctx.state()).filter(({ id }) => isOnRepo(id)).length,
      build: (onto) => this.build(onto),
      check: (candidate, train) => this.#checkTrain(candidate, train),
      isNamedBy: ({ evidence }) => isNamedBy(this.#repo, this.#change, evidence),
      hears: (part) => void this.#scope.announce(part),
      baseTip: () => this.#repo.baseTip(),
    };
  }

  get #gatherMs(): number {
    const { repo } = this.#scope.ticket;
    const times = this.#checks.map(({ spec }) =>
      expectedSuiteMs(this.#ctx.state(), { repo, check: spec.name, purpose: "check" }),
    );
    return gatherMsFor(times);
  }

  get #checks(): readonly PlacedCheck[] {
    return this.#steps.flatMap(({ index, spec }) => (spec.step === "check" ? [{ index, spec }] : []));
  }

  /**
   * Takes the change through its steps before the merge: those before its checks on the base's tip, its checks in a train, and the
   * others on its candidate in that train. It ends once the candidate may land. Throws AttemptOver if a step fails.
   */
  async checkInTrain(car: Car<TrainResult>): Promise<Built> {
    this.#holdBounds();
    const at = this.#steps.findIndex(({ spec }) => spec.step === "check");
    const firstCheck = Math.max(at, 0);
    const before = this.#steps.slice(0, firstCheck);
    await this.#announceRepeat();
    if (before.length > 0) await this.#runAll(before, await this.build());
    const others = this.#steps.slice(firstCheck).filter(({ spec }) => spec.step !== "check");
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) await this.#announceRepeat();
      const candidate = await this.#checkedIn(car);
      this.#last = candidate;
      await this.#runAll(others, candidate);
      if (!candidate.ok) throw failed(conflictEvidence(candidate));
      await this.#awaitApproval(candidate);
      if (await car.turn().catch(overIfAborted(this.#scope))) return candidate;
    }
  }

  async #runAll(steps: readonly Placed[], candidate: Candidate): Promise<void> {
    for (const placed of steps) await runInTurn(this.#ctx, this.#scope, placed, (open) => this.#run(placed, candidate, open));
  }

  /** Waits for the check of a train with this car, and reports the results as those of the ticket's own steps. */
  async #checkedIn(car: Car<TrainResult>): Promise<Candidate> {
    const checking = car.check().catch(overIfAborted(this.#scope));
    // It is awaited below, and may fail before.
    checking.catch(() => undefined);
    await car.departed.catch(overIfAborted(this.#scope));
    for (const [i, placed] of this.#checks.entries())
      await runStep(this.#ctx, this.#scope, placed, async () => {
        const { candidate, result } = await checking;
        if (!candidate.ok) return conflictEvidence(candidate);
        const own = result?.steps[i];
        if (own !== undefined) return this.#proofs.note(placed, own);
        throw new Error(`the train of ${this.#scope.ticket.id} has no result of ${placed.spec.name}`);
      });
    return (await checking).candidate;
  }

  /** The proof of a candidate that lands, if each of its checks was proven on it alone. */
  landedProof(commit: string): LandedProof | undefined {
    return this.#proofs.of(
      commit,
      this.#checks.map(({ index }) => index),
    );
  }

  /** Runs the checks on the candidate of a train's last car, which is this one. */
  async #checkTrain(candidate: Built, train: RunningTrain): Promise<TrainResult> {
    const { commandPermits } = this.#ctx;
    const signal = AbortSignal.any([this.#scope.signal, train.signal]);
    const shared = train.ids.length > 1 && {
      train: {
        tickets: train.ids as readonly TicketId[],
        behind: train.behind,
        announceToOthers: (fact: StepFact) => {
          if (fact.type === "step-part-started") train.tellOthers(fact);
        },
      },
    };
    const steps: StepResult[] = [];
    if (this.#checks.length === 0) train.depart();
    for (const { index, spec } of this.#checks) {
      const run = (rest: Rest) => {
        train.depart();
        const scope = { ...atStep(this.#scope, { index, spec }, rest), signal, ...shared };
        const proof = chooseProofTiming(this.#ctx, scope, { check: spec, together: [...train.ids, ...train.below()] });
        return checkCandidate(this.#ctx, scope, this.#repo, { index, step: spec, candidate, proof });
      };
      const found = await commandPermits.run(run, signal).catch(overIfAborted(this.#scope));
      // Only a car by itself can have its change approved.
      const result = train.ids.length > 1 ? refuseUnapproved(spec, found) : found;
      steps.push(result);
      if (!result.ok) return { ok: false, steps, evidence: result.evidence };
    }
    return { ok: true, steps };
  }

  async #run(placed: Placed, candidate: Candidate, scope: OpenAttempt): Promise<StepResult> {
    const { spec } = placed;
    const ctx = this.#ctx;
    if (spec.step === "gates") return runGatesStep(ctx, scope, this.#repo, this.#change);
    if (!candidate.ok) return conflictEvidence(candidate);
    if (spec.step === "check") {
      const { index } = placed;
      const proof = chooseProofTiming(ctx, scope, { check: spec, together: [scope.ticket.id] });
      const of = { index, step: spec, candidate, proof };
      return this.#proofs.note({ index, spec }, await checkCandidate(ctx, scope, this.#repo, of));
    }
    if (spec.step !== "review" && spec.step !== "adversary") throw new Error(`${spec.step} cannot stand before merge`);
    if (!appliesTo(spec, this.#class)) return { ok: true, summary: `not needed: the ticket is ${this.#class}`, notNeeded: true };
    if (await this.#stands(placed, candidate)) {
      // The smoke command depends on the whole tree.
      const broken = spec.step === "adversary" ? await runSmoke(ctx, scope, this.#repo, spec, candidate) : undefined;
      if (broken !== undefined) return { ok: false, evidence: broken };
      const before = this.#passed.get(placed.index)?.candidate.commit.slice(0, 7);
      return { ok: true, summary: `stands: its files are as they were in ${before}, which passed`, commit: candidate.commit };
    }
    const of = { candidate, change: this.#change, judges: this.#proofs.judges };
    const result =
      spec.step === "review"
        ? await runReviewStep(ctx, scope, this.#repo, { ...of, spec })
        : await runAdversaryStep(ctx, scope, this.#repo, { ...of, spec });
    if (result.ok) this.#passed.set(placed.index, { candidate, text: this.#text, approves: result.approves ?? [] });
    return result;
  }

  /**
   * True if the reviewer has passed the change that it would be asked about now: each file that the change touches is byte for
   * byte the same, and so is the ticket's text. Checks run again in any case, because they depend on the whole tree.
   */
  async #stands({ index }: Placed, candidate: Built): Promise<boolean> {
    const before = this.#passed.get(index);
    if (before === undefined || before.text !== this.#text) return false;
    // It was not shown what judges.
    if (this.#proofs.judges.some((path) => !before.approves.includes(path))) return false;
    const { paths } = await this.#repo.change({ from: before.candidate.commit, tip: candidate.commit });
    const moved = new Set(paths.map(({ path }) => path));
    return this.#change.paths.every(({ path }) => !moved.has(path));
  }
}
