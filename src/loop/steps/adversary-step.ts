import type { StepSpec } from "../../domain/batch/step-spec.ts";
import { readAnswer } from "../../domain/review/answer.ts";
import { Attack, ruleOnAttack } from "../../domain/review/attack.ts";
import { countBySeverity } from "../../domain/review/review.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedList, plainText } from "../../domain/values/text.ts";
import type { Candidate, Change, Repo } from "../../ports/vcs.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { runOnCommit } from "../programs/run-on-commit.ts";
import { overIfAborted } from "../programs/scope.ts";
import { askReviewer, type QuestionScope } from "../questions/ask.ts";
import { renderQuestion } from "../questions/question-prompt.ts";
import { readCandidateDiff } from "./candidate-diff.ts";
import { aboutOf, keep, resultOf } from "./review-step.ts";
import type { StepContext, StepResult } from "./step.ts";

type Adversary = Extract<StepSpec, { step: "adversary" }>;

/**
 * Checks that normal work still works on the candidate, then lets the reviewer attack it. A change has not survived if normal
 * work fails, or if there is no valid verdict.
 */
export async function runAdversaryStep(
  ctx: StepContext,
  scope: QuestionScope,
  repo: Repo,
  options: {
    readonly spec: Adversary;
    readonly candidate: Extract<Candidate, { ok: true }>;
    readonly change: Change;
  },
): Promise<StepResult> {
  const { spec, candidate } = options;
  const { commit } = candidate;
  const broken = await runSmoke(ctx, scope, repo, spec, candidate);
  if (broken !== undefined) return { ok: false, evidence: broken };
  const about = aboutOf(ctx, scope, candidate, { diff: await readCandidateDiff(scope, repo, candidate) });
  const asked = await askReviewer(ctx, scope, repo, {
    question: "adversary",
    name: spec.name,
    commit,
    attributesOf: candidate.base,
    minutes: spec.minutes ?? ctx.batch.limits.minutesPerAttempt,
    prompt: ({ ticket, ...by }) => renderQuestion(ctx.templates.adversary, { ...about, ticket }, by),
    read: (text, nonce) => {
      const reading = readAnswer(text, { nonce, tree: commit, schema: Attack });
      if (!reading.ok) return reading;
      const findings = countBySeverity(reading.value.broken ? [reading.value] : []);
      return { ...reading, says: ruleOnAttack(reading.value, about.blocking).summary, findings };
    },
  });
  const name = { step: "adversary", name: spec.name } as const;
  if (!asked.ok) return { ok: false, evidence: { ...name, summary: `no verdict: ${asked.why}`, detail: "" } };
  const ruling = ruleOnAttack(asked.value, about.blocking);
  await keep(ctx, scope, `adversary-${spec.name}`, { answer: { ...asked.value, survived: ruling.ok } });
  const smoke = spec.smoke === undefined ? "" : "; normal work still works";
  return resultOf({ ...ruling, summary: `${ruling.summary}${ruling.ok ? smoke : ""}` }, { ...name, commit, whole: about.whole });
}

/**
 * Runs the smoke command in the same way as a check. It waits for a permit: a command may need a whole machine. Gives the
 * evidence if it fails.
 */
export async function runSmoke(
  ctx: StepContext,
  scope: QuestionScope,
  repo: Repo,
  { name, smoke, minutes }: Adversary,
  { commit, base }: Pick<Extract<Candidate, { ok: true }>, "commit" | "base">,
): Promise<Evidence | undefined> {
  if (smoke === undefined) return undefined;
  const label = { step: "adversary", name } as const;
  const step = { step: "check", name, command: smoke, ...(minutes === undefined ? {} : { minutes }) } as const;
  const command = { step, commit, attributesOf: base, log: `adversary-${name}-smoke`, purpose: undefined };
  const run = () => runOnCommit(ctx, scope, repo, command);
  const outcome = await ctx.commandPermits.run(run, scope.signal).catch(overIfAborted(scope));
  if (!outcome.ok) return { ...outcome.evidence, ...label };
  const { result, overwritten } = outcome;
  const [first] = overwritten;
  if (first !== undefined) {
    const summary = `the command of normal work wrote over ${plainText(first, 200)}, which its result depends on`;
    return { ...label, summary, detail: boundedList(overwritten.map((path) => plainText(path, 200))) };
  }
  if (result.ending === "exited" && result.exitCode === 0) return undefined;
  const evidence = commandEvidence(label, smoke, result);
  return { ...evidence, summary: `normal work no longer works: ${evidence.summary}` };
}
