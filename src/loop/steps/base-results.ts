import { type StepSpec, wantedExitCode } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import type { TestRun } from "../../domain/evidence/results.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { ProgramContext } from "../programs/context.ts";
import { howItEnded } from "../programs/output.ts";
import { failureOf, retryTransient } from "../programs/retry-transient.ts";
import { commandEvidence } from "../programs/run-in.ts";
import { type CommandOutcome, type CommitCommand, runOnCommit } from "../programs/run-on-commit.ts";
import { overIfAborted, type StepScope, withoutRest } from "../programs/scope.ts";
import { type Manifest, type Manifests, manifestKey } from "./manifests.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** What measuring a base needs. */
export interface ResultsContext extends ProgramContext {
  readonly manifests: Manifests;
}

/** A check, and the commit that it runs on. */
export interface CheckedCommit {
  readonly step: Check;
  readonly commit: string;
}

/**
 * Runs a check's command on a commit, once more if it failed by a transient. A candidate's base may have moved meanwhile; the
 * landing checks that. A failed test is no transient, whatever the output beside it.
 */
export function runCheckCommand(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  command: CheckedCommit & Pick<CommitCommand, "attributesOf" | "log" | "part" | "purpose">,
): Promise<CommandOutcome> {
  return retryTransient(ctx, scope, {
    run: () => runOnCommit(ctx, scope, repo, command),
    failure: (ran) => {
      if (!ran.ok || (ran.reading?.ok === true && ran.reading.tests.some(({ outcome }) => outcome === "failed")))
        return undefined;
      const { ending, exitCode } = ran.result;
      if (ending === "exited" && exitCode === wantedExitCode(command.step)) return undefined;
      return failureOf("check", ran.result);
    },
  });
}

/** The results of a command's run, or a finding if they do not count. */
export function resultsOf(
  step: Check,
  result: ExecResult,
  reading: Extract<CommandOutcome, { ok: true }>["reading"],
): TestRun | Remark {
  if (result.ending !== "exited" || result.exitCode === null)
    return { says: commandEvidence({ step: "check", name: step.name }, step.command, result).summary, ids: [] };
  if (reading?.ok === true) return { exitCode: result.exitCode, tests: reading.tests };
  const problem = plainText(reading?.problem ?? "there is none", 300);
  return {
    says: `no report to judge by: ${problem} (${plainText(step.report?.path ?? "", 100)}); ${howItEnded(result)}`,
    ids: [],
  };
}

/** The key under which the results of a check on a commit are kept. */
export function resultsKey(ctx: ProgramContext, { ticket }: StepScope, { id }: Repo, { step, commit }: CheckedCommit): string {
  return manifestKey({ repo: id, commit, step, prepare: ctx.batch.repos[ticket.repo]?.prepare ?? [] });
}

/** The results of a check on a base: kept, or measured now. */
export function baseResults(ctx: ResultsContext, scope: StepScope, repo: Repo, checked: CheckedCommit): Promise<Manifest> {
  const taken = ctx.manifests.take(
    resultsKey(ctx, scope, repo, checked),
    () => measureBase(ctx, scope, repo, checked),
    scope.signal,
  );
  return taken.catch(overIfAborted(scope));
}

/** The system or a shell gives exit codes from here on: the program was not found, not allowed or killed by a signal. */
const NOT_ITS_OWN = 126;

/**
 * The same command on the base. "The base has no tests" is believed only of a command that ended by itself. One that was killed,
 * or has no readable result, proves nothing, and a comparison with nothing is not allowed.
 */
export async function measureBase(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit }: CheckedCommit,
): Promise<Manifest> {
  const log = `check-${step.name}-base`;
  const ran = await runCheckCommand(ctx, withoutRest(scope), repo, {
    ...{ step, commit, attributesOf: commit, log },
    ...{ part: "the base, to compare with", purpose: "base" },
  });
  if (!ran.ok) return { as: "unknown", why: ran.evidence.summary };
  const { result, reading, noProgram } = ran;
  if (result.ending === "failed-to-start" && noProgram)
    return { as: "none", why: "the base does not have the program", hasFailed: true };
  const tests = resultsOf(step, result, reading);
  if (!("says" in tests) && tests.tests.length > 0) return { as: "tests", run: tests };
  if (result.ending === "exited" && result.exitCode !== null && result.exitCode < NOT_ITS_OWN) {
    const hasFailed = result.exitCode !== 0;
    if (!("says" in tests)) return { as: "none", why: "the base has no tests", hasFailed };
    if (reading?.ok === false && reading.absent) return { as: "none", why: "the base leaves no report", hasFailed };
  }
  return { as: "unknown", why: "says" in tests ? tests.says : howItEnded(result), hasFailed: true };
}
