import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import type { Allowance, TestResult } from "../../domain/evidence/results.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";
import type { StepScope } from "../programs/scope.ts";
import type { StepContext } from "./step.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** A check that has passed. */
export interface PassedCheck {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: Check;
  readonly candidate: Extract<Candidate, { ok: true }>;
  /** The duration of its command, and the results that it reported. */
  readonly durationMs: number;
  readonly tests: readonly TestResult[];
  /** The results of the base, if these were compared with some. */
  readonly baseTests: readonly TestResult[];
  /** Entries of files that the base could not load and the candidate can. */
  readonly loads: readonly string[];
  readonly allow: Allowance;
  /** The runs with planted tests so far. */
  readonly planted: { runs: number };
  /** The results of its command on another commit of the base; undefined if there are none. */
  readonly resultsOn: (base: string) => Promise<readonly TestResult[] | undefined>;
}

/** The outcome of planted tests in a check. */
export type CanaryOutcome =
  | { readonly as: "held" }
  | { readonly as: "not-run"; readonly why: string }
  | { readonly as: "forged"; readonly finding: Remark }
  /** The checkout could not be prepared again. */
  | { readonly as: "broken"; readonly evidence: Evidence };
