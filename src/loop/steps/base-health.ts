import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext } from "../programs/context.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { StepScope } from "../programs/scope.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** Commits that are remembered for each check. */
const REMEMBERED = 50;

/** The result of a check on a base without a change. */
export type BaseCheckResult = { readonly ok: true } | { readonly ok: false; readonly summary: string };

/** The engine's knowledge of which commits pass which checks. A lost engine loses it, and then nothing is excused. */
export class BaseHealth {
  readonly #passed = new Map<string, string[]>();
  readonly #results = new Map<string, BaseCheckResult>();

  /** Records that a check has passed on a commit, which may become the base. */
  notePassed(repo: Repo, step: Check, commit: string): void {
    const key = keyOf(repo, step);
    this.#passed.set(key, [...(this.#passed.get(key) ?? []), commit].slice(-REMEMBERED));
  }

  /**
   * True if a check that fails on a candidate may fail because of its base: it has passed on an earlier commit of that base, and not
   * on its tip. Otherwise running it on the base would explain nothing.
   */
  async canComeFrom(repo: Repo, step: Check, tip: string): Promise<boolean> {
    const passed = this.#passed.get(keyOf(repo, step)) ?? [];
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
    this.#results.set(key, result);
    return result;
  }
}

function resultOf(step: Check, ran: Awaited<ReturnType<typeof runOnCommit>>): BaseCheckResult {
  if (!ran.ok) return { ok: false, summary: ran.evidence.summary };
  const { ending, exitCode } = ran.result;
  if (ending === "exited" && exitCode === 0) return { ok: true };
  return { ok: false, summary: commandEvidence({ step: "check", name: step.name }, step.command, ran.result).summary };
}

function keyOf(repo: Repo, step: Check): string {
  return JSON.stringify([repo.id, step]);
}
