import { MAX_EXPECTED_OUTPUT, unmet } from "../../domain/batch/expect.ts";
import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { plainText, plural } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import { type CommandFailure, commandFailure, retryDelayFor, retryTransient } from "../programs/retry-transient.ts";
import { commandEvidence, execSeconds, OutputStream } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import type { ProgramContext, StepScope } from "../programs/scope.ts";
import type { StepResult } from "./step.ts";

type Verify = Extract<StepSpec, { step: "verify" }>;

/** Seconds between two runs of the command, unless the batch sets them. */
const EVERY = 5;

/** The result of one run of the command. */
type VerifyRun =
  | { readonly ok: true; readonly seconds: string }
  | { readonly ok: false; readonly evidence: Evidence; readonly failure?: CommandFailure | undefined };

interface Verifying {
  readonly ctx: ProgramContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: Verify;
  readonly landed: string;
}

/**
 * Runs a verify command on the landed commit, against the live system. It passes if the command exits 0 and prints the expected
 * text. Each run has its own pristine checkout and prepare commands, because leftovers of an earlier run could decide a later
 * one.
 */
export async function runVerifyStep(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  step: Verify,
  landed: string,
): Promise<StepResult> {
  const verifying: Verifying = { ctx, scope, repo, step, landed };
  if (step.within !== undefined) return untilItHolds(verifying, step.within);
  const last = await retryTransient(ctx, scope, {
    run: () => verifyOnce(verifying),
    failure: (result) => (result.ok ? undefined : result.failure),
    stillTrue: () => repo.contains(landed),
  });
  if (!last.ok) return { ok: false, evidence: last.evidence };
  return { ok: true, summary: `passed in ${last.seconds} s`, commit: landed };
}

/**
 * Runs the command until it passes. The last run begins when `within` seconds are over. A run that has begun may end; if it ends
 * later than that, one more follows, because it may have looked too early. The evidence is the last run's. A transient earns no
 * extra retry here, because the command runs again anyway.
 */
async function untilItHolds(verifying: Verifying, within: number): Promise<StepResult> {
  const { ctx, scope, step, landed } = verifying;
  const { turn: _, ...withoutTurn } = scope;
  const begun = ctx.clock.ran();
  for (let runs = 1; ; runs++) {
    const isLast = ctx.clock.ran() - begun >= within * 1000;
    const run = await verifyOnce({ ...verifying, scope: withoutTurn });
    const ms = ctx.clock.ran() - begun;
    const taken = `${execSeconds({ durationMs: ms })} s`;
    if (run.ok && runs === 1) return { ok: true, summary: `passed in ${run.seconds} s`, commit: landed };
    if (run.ok) return { ok: true, summary: `passed on probe ${runs}, after ${taken}`, commit: landed };
    if (isLast) {
      const { evidence } = run;
      const how = `${plural(runs, "probe")} in ${taken}, to hold within ${within} s`;
      return { ok: false, evidence: { ...evidence, summary: `${evidence.summary} (${how})` } };
    }
    const left = within * 1000 - ms;
    if (left > 0) await retryDelayFor(ctx, scope, Math.min((step.every ?? EVERY) * 1000, left));
  }
}

async function verifyOnce({ ctx, scope, repo, step, landed }: Verifying): Promise<VerifyRun> {
  const stdout = new OutputStream(MAX_EXPECTED_OUTPUT);
  const output = step.expect === undefined ? {} : { onLine: stdout.onLine, lineChars: MAX_EXPECTED_OUTPUT };
  // The landed commit is the base, so its attributes are the base's.
  const command = { step, commit: landed, attributesOf: landed, log: `verify-${stepName(step)}`, purpose: undefined, output };
  const outcome = await runOnCommit(ctx, scope, repo, command);
  if (!outcome.ok) return outcome;
  const { result } = outcome;
  const evidence = commandEvidence({ step: "verify", name: stepName(step) }, step.command, result);
  if (result.ending !== "exited" || result.exitCode !== 0)
    return { ok: false, evidence, failure: commandFailure("verify", result) };
  const [overwritten] = outcome.overwritten;
  if (overwritten !== undefined) {
    const what = `but it wrote over a file that its result depends on: ${plainText(overwritten, 200)}`;
    return { ok: false, evidence: { ...evidence, summary: `${evidence.summary}, ${what}` } };
  }
  const lack = step.expect === undefined ? undefined : unmet(step.expect, stdout.text());
  if (lack === undefined) return { ok: true, seconds: execSeconds(result) };
  const summary = `${lack}; ${evidence.summary}`;
  return { ok: false, evidence: { ...evidence, summary }, failure: { kind: "verify", output: result.tail } };
}
