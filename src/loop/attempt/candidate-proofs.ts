import { type JudgeSpec, proofMode } from "../../domain/batch/proof-spec.ts";
import type { Check } from "../../domain/batch/step-spec.ts";
import type { LandedProof } from "../../domain/run/proof-fact.ts";
import { expectedSuiteMs } from "../../domain/run/suite-fact.ts";
import { areLast } from "../../domain/schedule/proofs.ts";
import type { ProofTiming } from "../steps/check-step.ts";
import { refuseUnapproved } from "../steps/prove-alone.ts";
import type { NeededApproval, StepResult } from "../steps/step.ts";
import type { LoopContext, OpenAttempt } from "./context.ts";

/** A shorter check is not worth a run beside it. Milliseconds. */
const LEAST_CHECK_MS = 7_000;

/** True for a ticket to which nothing is allowed and that names nothing of its own to be checked: its check says the same of any change. */
export function isPlainTicket({ allow, contract, fixes, redFirst }: OpenAttempt["ticket"]): boolean {
  return allow === undefined && contract === undefined && fixes === undefined && redFirst !== true;
}

/**
 * Chooses when a check's result is proven. With `"proof": "each"`, or if nothing else is to land, beside the check; not if the check is short, or
 * its ticket has `allow`, `fixes` or a contract. `together`: the tickets that are checked with it, or below it.
 */
export function chooseProofTiming(
  { batch, state }: Pick<LoopContext, "batch" | "state">,
  { ticket }: Pick<OpenAttempt, "ticket">,
  { check, together }: { readonly check: Check; readonly together: readonly string[] },
): ProofTiming {
  const { repo } = ticket;
  const expectedMs = expectedSuiteMs(state(), { repo, check: check.name, purpose: "check" }) ?? 0;
  if (!isPlainTicket(ticket) || expectedMs < LEAST_CHECK_MS) return "if-needed";
  return proofMode(batch, repo) === "each" || areLast(state(), repo, together) ? "beside-check" : "if-needed";
}

/** What the checks of a change have shown beside their results: what is proven, and what of it somebody has to approve. */
export class CandidateProofs {
  readonly #approver: JudgeSpec;
  /** By the index of the check in the finish line. */
  readonly #needed = new Map<number, NeededApproval>();
  readonly #proven = new Map<number, string>();

  constructor(approver: JudgeSpec) {
    this.#approver = approver;
  }

  /** Keeps what a check has shown, and gives its result. A change that needs an approval which nobody may give fails. */
  note({ index, spec }: { readonly index: number; readonly spec: Check }, result: StepResult): StepResult {
    this.#needed.delete(index);
    this.#proven.delete(index);
    if (!result.ok) return result;
    if (result.isProven && result.commit !== undefined) this.#proven.set(index, result.commit);
    if (result.needsApproval === undefined) return result;
    if (this.#approver === "refuse") return refuseUnapproved(spec, result);
    this.#needed.set(index, result.needsApproval);
    return result;
  }

  /** Files that judge the change and that somebody has to approve. */
  get judges(): readonly string[] {
    return [...new Set([...this.#needed.values()].flatMap(({ files }) => files))];
  }

  /** What the checks say of these files. */
  get reasons(): readonly string[] {
    return [...new Set([...this.#needed.values()].map(({ finding }) => finding.says))];
  }

  /** Those of them that a person has to approve: all, or what reviews have not approved. */
  unapproved(byReviews: ReadonlySet<string>): readonly string[] {
    return this.#approver === "reviewer" ? this.judges.filter((path) => !byReviews.has(path)) : this.judges;
  }

  /** The proof of a commit by each of these checks, with the approved files. Undefined if it is not proven and needs no approval. */
  of(commit: string, checks: readonly number[]): LandedProof | undefined {
    if (checks.length > 0 && checks.every((index) => this.#proven.get(index) === commit)) return { approved: this.judges };
    return this.judges.length === 0 ? undefined : { unproven: true, approved: this.judges };
  }
}
