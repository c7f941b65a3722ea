import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { landingsOf } from "../../domain/run/reduce-landing.ts";
import type { RunState } from "../../domain/run/state.ts";
import { specOf } from "../../domain/schedule/plan.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext } from "../programs/context.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** The result of a check on a base without a change. Unknown: it could not run, so the base neither passes nor fails. */
export type BaseCheckResult =
  | { readonly as: "passed" }
  | { readonly as: "failed"; readonly summary: string }
  | { readonly as: "unknown"; readonly summary: string };

/** Runs checks on bases without any change. */
export class BaseHealth {
  readonly #results = new Map<string, BaseCheckResult>();

  /**
   * True if a check that fails on a candidate may fail because of its base: it has passed on an earlier commit of that base, and not
   * on its tip. Otherwise running it on the base would explain nothing.
   */
  async canComeFrom(state: RunState, repo: Repo, { step, tip }: { step: Check; tip: string }): Promise<boolean> {
    const passed = landedThrough(state, repo, step);
    if (passed.length === 0 || passed.includes(tip)) return false;
    return (await repo.missingFromBase(passed)).length < passed.length;
  }

  /** Runs a check on a tip of the base without any change, at most once per tip and step. */
  async checkTip(
    ctx: ProgramContext,
    scope: StepScope,
    repo: Repo,
    { step, tip }: { step: Check; tip: string },
  ): Promise<BaseCheckResult> {
    const key = `${tip} ${keyOf(repo, step)}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const ran = await runOnCommit(ctx, scope, repo, { step, commit: tip, attributesOf: tip, log: `check-${step.name}-base` });
    const result = resultOf(step, ran);
    if (result.as !== "unknown") this.#results.set(key, result);
    return result;
  }
}

/** Commits that this run has landed through a check: each passed it before it landed. The journal has them, so a new engine knows them. */
function landedThrough(state: RunState, repo: Repo, step: Check): readonly string[] {
  const key = JSON.stringify(step);
  const landed = landingsOf(state, repo.id)?.commits ?? [];
  return landed
    .filter(({ ticket }) => specOf(state.plan, ticket).finish.some((each) => JSON.stringify(each) === key))
    .map(({ sha }) => sha);
}

function resultOf(step: Check, ran: Awaited<ReturnType<typeof runOnCommit>>): BaseCheckResult {
  if (!ran.ok) return { as: "unknown", summary: ran.evidence.summary };
  const { ending, exitCode } = ran.result;
  if (ending === "exited" && exitCode === 0) return { as: "passed" };
  return { as: "failed", summary: commandEvidence({ step: "check", name: step.name }, step.command, ran.result).summary };
}

function keyOf(repo: Repo, step: Check): string {
  return JSON.stringify([repo.id, step]);
}
