import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Candidate, Change, Repo } from "../../ports/vcs.ts";
import type { OpenAttempt, StepResult } from "../attempt-scope.ts";
import type { LoopContext } from "../context.ts";

/** Lets the second model try to break the candidate, and sees that normal work still works. */
export function runAdversaryStep(
  _ctx: LoopContext,
  _scope: OpenAttempt,
  _repo: Repo,
  of: {
    readonly spec: Extract<StepSpec, { step: "adversary" }>;
    readonly candidate: Extract<Candidate, { ok: true }>;
    readonly change: Change;
  },
): Promise<StepResult> {
  const summary = "there is no second model to ask";
  return Promise.resolve({ ok: false, evidence: { step: "adversary", name: of.spec.name, summary, detail: "" } });
}
