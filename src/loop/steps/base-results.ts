import { createHash } from "node:crypto";
import type { Remark, TestResult, TestRun } from "@loopdash/test-evidence";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import type { RunState } from "../../domain/run/state.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { commandFailure, retryTransient } from "../programs/retry-transient.ts";
import { commandEvidence, howItEnded } from "../programs/run-in.ts";
import { type CommandOutcome, type CommitCommand, runOnCommit } from "../programs/run-on-commit.ts";
import { overIfAborted, type ProgramContext, type StepScope, withoutRest } from "../programs/scope.ts";
import type { CheckedTree, Manifest, Manifests, ResultsKey } from "./manifests.ts";
import { checkEnvironment } from "./results-key.ts";

/** What measuring a base needs. */
export interface ResultsContext extends ProgramContext {
  readonly manifests: Manifests;
  readonly state: () => RunState;
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
export async function runCheckCommand(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  command: CheckedCommit & Pick<CommitCommand, "attributesOf" | "log" | "part" | "purpose">,
): Promise<CommandOutcome> {
  const outcome = await retryTransient(ctx, scope, {
    run: () => runOnCommit(ctx, scope, repo, command),
    failure: (ran) => {
      if (!ran.ok || (ran.reading?.ok === true && ran.reading.tests.some(({ outcome }) => outcome === "failed")))
        return undefined;
      const { ending, exitCode } = ran.result;
      if (ending === "exited" && exitCode === wantedExitCode(command.step)) return undefined;
      return commandFailure("check", ran.result);
    },
  });
  if (outcome.ok && command.purpose === "base")
    await ctx.manifests.keepOutput(resultsKey(ctx, scope, repo, command), outcome.result.tail);
  if (outcome.ok && outcome.result.ending === "exited")
    await ctx.manifests.recordMs(resultsKey(ctx, scope, repo, command), outcome.result.durationMs);
  return outcome;
}

/** The results of a command's run, or a finding if they do not count. */
export function readTestRun(
  step: Check,
  result: ExecResult,
  reading: Extract<CommandOutcome, { ok: true }>["reading"],
): TestRun | Remark {
  if (result.ending !== "exited" || result.exitCode === null)
    return { says: commandEvidence({ step: "check", name: step.name }, step.command, result).summary, ids: [] };
  if (reading?.ok === true) return { exitCode: result.exitCode, tests: reading.tests };
  const problem = plainText(reading?.problem ?? "there is none", 300);
  return {
    says: `no report to judge by: ${problem}${placeIn(step)}; ${howItEnded(result)}`,
    ids: [],
  };
}

/** Where a report was to be, in words. */
function placeIn({ report }: Check): string {
  return report === undefined || report.format === "found" ? "" : ` (${plainText(report.path, 100)})`;
}

/**
 * The check as it is judged on a base: one whose report is to be found, and that tells no test there, is as good as its exit code.
 */
export async function settledCheck(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit }: CheckedCommit,
): Promise<Check> {
  if (step.report?.format !== "found") return step;
  const base = await baseResults(ctx, scope, repo, { step, commit });
  const { report: _, ...byExitCode } = step;
  return base.as === "tests" ? step : byExitCode;
}

/**
 * The key under which the results of a check on a commit are kept: those of its tree. A ticket that may change how files are checked
 * out gets keys of its own commits alone, because the attributes of another commit decide about them.
 */
export function resultsKey(
  ctx: ResultsContext,
  { ticket }: Pick<StepScope, "ticket">,
  repo: Repo,
  { step, commit }: CheckedCommit,
): ResultsKey {
  let found: Promise<CheckedTree> | undefined;
  const find = async (): Promise<CheckedTree> => {
    const { manifests } = ctx;
    const { name, command, report } = step;
    const own = ticket.allow?.attributes === true ? commit : undefined;
    const [tree, identity, environment] = await Promise.all([
      manifests.once(`tree ${repo.id} ${commit}`, () => repo.treeId(commit)),
      manifests.once(`identity ${repo.id}`, () => repo.identity()),
      manifests.once(`environment ${repo.id} ${JSON.stringify(step)}`, () => checkEnvironment(ctx, repo, step)),
    ]);
    return {
      key: hashParts([identity.key, environment.hash, tree, own]),
      check: hashParts([identity.key, name, command, report]),
      name: `${identity.name}, ${name}`,
      canShare: environment.isSure && own === undefined,
      isFound: report?.format === "found",
      isUntouched: () => isUntouched(ctx, repo, commit),
      tree,
    };
  };
  return () => (found ??= find());
}

/** A candidate may be the base of another before it lands. */
async function isUntouched(ctx: ResultsContext, repo: Repo, commit: string): Promise<boolean> {
  const landings = repoLandings(ctx.state(), repo.id);
  return landings === undefined ? repo.contains(commit) : landings.initial === commit;
}

function hashParts(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** The results of a check on a base: kept, or measured now. */
export function baseResults(ctx: ResultsContext, scope: StepScope, repo: Repo, checked: CheckedCommit): Promise<Manifest> {
  return taken(ctx, scope, repo, checked, "take");
}

/**
 * The same, but measured by this run. A candidate that is no worse than an earlier measurement is no worse; one that is has the right
 * to a fresh one: something that no key names may have changed since.
 */
export function freshBaseResults(ctx: ResultsContext, scope: StepScope, repo: Repo, checked: CheckedCommit): Promise<Manifest> {
  return taken(ctx, scope, repo, checked, "takeNow");
}

/** The results of a commit by test; undefined if there are none, or if the check has no report. */
export async function testsOn(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  checked: CheckedCommit,
): Promise<readonly TestResult[] | undefined> {
  const manifest = checked.step.report && (await baseResults(ctx, scope, repo, checked));
  return manifest?.as === "tests" ? manifest.run.tests : undefined;
}

function taken(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  checked: CheckedCommit,
  how: "take" | "takeNow",
): Promise<Manifest> {
  const part = how === "take" ? "the base, to compare with" : "the base again, in case it is no better today";
  const measure = () => measureBase(ctx, scope, repo, { ...checked, part });
  return ctx.manifests[how](resultsKey(ctx, scope, repo, checked), measure, scope.signal).catch(overIfAborted(scope));
}

/** The system or a shell gives exit codes from here on: the program was not found, not allowed or killed by a signal. */
export const NOT_ITS_OWN = 126;

/**
 * The same command on the base. "The base has no tests" is believed only of a command that ended by itself. One that was killed,
 * or has no readable result, proves nothing, and a comparison with nothing is not allowed.
 */
export async function measureBase(
  ctx: ResultsContext,
  scope: StepScope,
  repo: Repo,
  { step, commit, part }: CheckedCommit & { readonly part: string },
): Promise<Manifest> {
  const log = `check-${step.name}-base`;
  const ran = await runCheckCommand(ctx, withoutRest(scope), repo, {
    ...{ step, commit, attributesOf: commit, log },
    ...{ part, purpose: "base" },
  });
  if (!ran.ok) return { as: "unknown", why: ran.evidence.summary };
  const { result, reading, noProgram } = ran;
  const ended = { result, noProgram };
  if (result.ending === "failed-to-start" && noProgram)
    return { as: "none", why: "the base does not have the program", hasFailed: true, ended };
  const tests = readTestRun(step, result, reading);
  if (!("says" in tests) && tests.tests.length > 0) {
    await ctx.manifests.learnFlaky(resultsKey(ctx, scope, repo, { step, commit }), [tests]);
    return { as: "tests", run: { ...tests, durationMs: result.durationMs } };
  }
  if (result.ending === "exited" && result.exitCode !== null && result.exitCode < NOT_ITS_OWN) {
    const hasFailed = result.exitCode !== 0;
    if (!("says" in tests)) return { as: "none", why: "the base has no tests", hasFailed, ended };
    if (reading?.ok === false && reading.absent) return { as: "none", why: "the base leaves no report", hasFailed, ended };
  }
  return { as: "unknown", why: "says" in tests ? tests.says : howItEnded(result), hasFailed: true, ended };
}
