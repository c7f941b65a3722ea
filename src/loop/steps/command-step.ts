import type { Argv, StepSpec } from "../../domain/batch/schema.ts";
import type { Evidence } from "../../domain/event.ts";
import { plainText } from "../../domain/text.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { AttemptOver, abortedEnd, type OpenAttempt, type StepResult } from "../attempt-scope.ts";
import { boundedTail } from "../bounded.ts";
import type { LoopContext } from "../context.ts";

type CommandStep = Extract<StepSpec, { step: "check" | "verify" }>;

/**
 * Runs a check or verify command on a commit, in a pristine checkout that no worker could write (P1), with the
 * repository's prepare commands run there first. The checkout is removed afterwards.
 */
export async function runCommandStep(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  step: CommandStep,
  commit: string,
): Promise<StepResult> {
  const path = ctx.files.judgePath(scope.ticket.id, step.name);
  try {
    await repo.checkout({ commit, path });
    const prepared = await runPrepare(ctx, scope, path, `${step.step}-${step.name}-prepare`);
    if (prepared !== undefined) return { ok: false, evidence: { ...prepared, step: step.step, name: step.name } };
    const minutes = step.minutes ?? ctx.batch.limits.minutesPerAttempt;
    const result = await runIn(ctx, scope, { argv: step.command, cwd: path, log: `${step.step}-${step.name}`, minutes });
    if (result.ending === "exited" && result.exitCode === 0) {
      return { ok: true, summary: `passed in ${(result.durationMs / 1000).toFixed(1)} s`, judged: commit };
    }
    return { ok: false, evidence: commandEvidence({ step: step.step, name: step.name }, step.command, result) };
  } finally {
    await ctx.files.remove(path);
  }
}

/** Runs the repository's prepare commands in a folder. Gives the evidence of the first that fails. */
export async function runPrepare(ctx: LoopContext, scope: OpenAttempt, cwd: string, log: string): Promise<Evidence | undefined> {
  const minutes = ctx.batch.limits.minutesPerAttempt;
  for (const argv of ctx.batch.repos[scope.ticket.repo]?.prepare ?? []) {
    const result = await runIn(ctx, scope, { argv, cwd, log, minutes });
    if (result.ending !== "exited" || result.exitCode !== 0)
      return commandEvidence({ step: "prepare", name: "prepare" }, argv, result);
  }
  return undefined;
}

async function runIn(
  ctx: LoopContext,
  scope: OpenAttempt,
  of: { argv: Argv; cwd: string; log: string; minutes: number },
): Promise<ExecResult> {
  const result = await ctx.executor.run({
    argv: of.argv,
    cwd: of.cwd,
    env: ctx.commandEnv,
    logFile: scope.files.log(of.log),
    timeoutMs: of.minutes * 60_000,
    signal: scope.signal,
    marker: scope.marker,
  });
  if (result.ending === "aborted") throw new AttemptOver(abortedEnd(scope));
  return result;
}

/** What a failed command leaves for the next attempt. */
export function commandEvidence(of: Pick<Evidence, "step" | "name">, argv: Argv, result: ExecResult): Evidence {
  const command = plainText(argv.join(" "), 200);
  return { ...of, summary: `${command} ${howItEnded(result)}`, detail: boundedTail(result.tail) };
}

/** How a process ended, in words. */
export function howItEnded(result: Pick<ExecResult, "ending" | "exitCode" | "signal" | "message">): string {
  switch (result.ending) {
    case "exited":
      return result.signal === null ? `exited with code ${result.exitCode}` : `was ended by ${result.signal}`;
    case "silent":
      return "printed nothing for too long and was killed";
    case "out-of-time":
      return "ran out of time and was killed";
    case "aborted":
      return "was called off";
    case "failed-to-start":
      return `did not start: ${plainText(result.message ?? "no reason given", 300)}`;
  }
}
