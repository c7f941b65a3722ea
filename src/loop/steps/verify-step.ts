import { MAX_EXPECTED_OUTPUT, unmet } from "../../domain/batch/expect.ts";
import { type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/event.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoopContext } from "../attempt/context.ts";
import { type CommandFailure, failureOf, retryDelayFor, retryTransient } from "../programs/retry-transient.ts";
import { commandEvidence, judgeCommand, secondsOf } from "../programs/run-on-commit.ts";
import type { OpenAttempt, StepResult } from "../programs/scope.ts";
import { Stdout } from "./stdout.ts";

type Verify = Extract<StepSpec, { step: "verify" }>;

/** Seconds between two tries, where the batch does not say. */
const EVERY = 5;

/** What one try gave. */
type Try =
  | { readonly ok: true; readonly seconds: string }
  | { readonly ok: false; readonly evidence: Evidence; readonly failure?: CommandFailure | undefined };

interface Verifying {
  readonly ctx: LoopContext;
  readonly scope: OpenAttempt;
  readonly repo: Repo;
  readonly step: Verify;
  readonly landed: string;
}

/**
 * Runs a verify command on what has landed, against the live thing. It holds where the command exits 0 and prints what is expected.
 * Each try has a pristine checkout of its own, with its own prepare commands: what an earlier try left could decide a later one.
 */
export async function runVerifyStep(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  step: Verify,
  landed: string,
): Promise<StepResult> {
  const verifying: Verifying = { ctx, scope, repo, step, landed };
  if (step.within !== undefined) return untilItHolds(verifying, step.within);
  const last = await retryTransient(ctx, scope, {
    run: () => tryOnce(verifying),
    failure: (tried) => (tried.ok ? undefined : tried.failure),
    stillTrue: () => repo.contains(landed),
  });
  if (!last.ok) return { ok: false, evidence: last.evidence };
  return { ok: true, summary: `passed in ${last.seconds} s`, judged: landed };
}

/**
 * Tries until it holds, the last time when `within` seconds are over; a try that has begun may end, and where it ends later than
 * that, one more follows: what it saw may have been too early. The evidence is the last try's.
 * A hiccup earns nothing here, for it is tried again anyway.
 */
async function untilItHolds(verifying: Verifying, within: number): Promise<StepResult> {
  const { ctx, scope, step, landed } = verifying;
  const { turn: _, ...withoutTurn } = scope;
  const begun = ctx.clock.now();
  for (let tries = 1; ; tries++) {
    const isLast = ctx.clock.now() - begun >= within * 1000;
    const tried = await tryOnce({ ...verifying, scope: withoutTurn });
    const ms = ctx.clock.now() - begun;
    const taken = `${secondsOf({ durationMs: ms })} s`;
    if (tried.ok && tries === 1) return { ok: true, summary: `passed in ${tried.seconds} s`, judged: landed };
    if (tried.ok) return { ok: true, summary: `passed on try ${tries}, after ${taken}`, judged: landed };
    if (isLast) {
      const { evidence } = tried;
      const how = `${tries} tries in ${taken}, to hold within ${within} s`;
      return { ok: false, evidence: { ...evidence, summary: `${evidence.summary} (${how})` } };
    }
    const left = within * 1000 - ms;
    if (left > 0) await retryDelayFor(ctx, scope, Math.min((step.every ?? EVERY) * 1000, left));
  }
}

async function tryOnce({ ctx, scope, repo, step, landed }: Verifying): Promise<Try> {
  const stdout = new Stdout(MAX_EXPECTED_OUTPUT);
  const output = step.expect === undefined ? {} : { onLine: stdout.onLine, lineChars: MAX_EXPECTED_OUTPUT };
  // What has landed is the base, and its attributes are the base's.
  const of = { step, commit: landed, attributesOf: landed, log: `verify-${stepName(step)}`, output };
  const judged = await judgeCommand(ctx, scope, repo, of);
  if (!judged.ok) return judged;
  const { result } = judged;
  const evidence = commandEvidence({ step: "verify", name: stepName(step) }, step.command, result);
  if (result.ending !== "exited" || result.exitCode !== 0) return { ok: false, evidence, failure: failureOf("verify", result) };
  const [overwritten] = judged.overwritten;
  if (overwritten !== undefined) {
    const what = `but it wrote over a file that its result depends on: ${plainText(overwritten, 200)}`;
    return { ok: false, evidence: { ...evidence, summary: `${evidence.summary}, ${what}` } };
  }
  const lack = step.expect === undefined ? undefined : unmet(step.expect, stdout.text());
  if (lack === undefined) return { ok: true, seconds: secondsOf(result) };
  const summary = `${evidence.summary}, but ${lack}`;
  return { ok: false, evidence: { ...evidence, summary }, failure: { kind: "verify", output: result.tail } };
}
