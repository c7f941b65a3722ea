import type { Allowance, Comparison, FilesMoved, NamedFixes, Remark, TestRun } from "@loopdash/test-evidence";
import { namedAsOn, passedLine, SEARCHED_NAMES, unmetComparisons } from "@loopdash/test-evidence";
import { flakyLine } from "@loopdash/triage";
import { type Check, findCheckPhase } from "../../domain/batch/step-spec.ts";
import { settleBoth } from "../../domain/values/settle-both.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ComparedRuns, TextScans } from "../../ports/text-scans.ts";
import type { Candidate, ChangedPath, Repo } from "../../ports/vcs.ts";
import { execSeconds } from "../programs/run-in.ts";
import type { CommandOutcome } from "../programs/run-on-commit.ts";
import { besideMarker, type StepFact, type StepScope } from "../programs/scope.ts";
import { baseResults, freshBaseResults, readTestRun, resultsKey, runCheckCommand, settledCheck } from "./base-results.ts";
import type { CheckStopwatch } from "./check-stopwatch.ts";
import { failSoon } from "./fail-soon.ts";
import { settleFlakyTests } from "./flaky-tests.ts";
import type { Manifest } from "./manifests.ts";
import type { Built, StepContext, StepFailed, StepPassed, StepResult } from "./step.ts";

/** The results of a run that are compared with the base's, and how it ended. */
interface Comparable {
  readonly ran: Extract<CommandOutcome, { ok: true }>;
  readonly tests: TestRun | Remark;
  readonly base: Exclude<Manifest, { as: "unknown" }>;
}

/** The base is measured beside the candidate, each in a sandbox of its own, unless its results are known. */
export async function byTests(check: RunningCheck): Promise<Outcome | StepResult> {
  const { ctx, step, candidate, stopwatch } = check;
  const on = { step, commit: candidate.base };
  const known = await ctx.manifests.kept(resultsKey(ctx, check.scope, check.repo, on));
  const isAlone = check.scope.train === undefined;
  const soon = known && isAlone && (await failSoon(ctx, check.scope, check.repo, { step, candidate, base: known }));
  if (soon) return { findings: [soon.finding], output: soon.output, passed: { summary: "" } };
  const beside = { ...check.scope, marker: besideMarker(check.scope.marker, "base") };
  const measuring = stopwatch.measure("base", () => baseResults(ctx, beside, check.repo, on));
  const [base, ran] = await settleBoth(measuring, runCheck(check, candidate.commit));
  if (base.as === "unknown") return refuse(check, `the base could not be measured: ${base.why}`, "");
  if (!ran.ok) return ran;
  const tests = namedAsOn(base.as === "tests" ? base.run : undefined, readTestRun(step, ran.result, ran.reading), step.command);
  const outcome = await compared(check, { ran, tests, base });
  const isWorse = !("ok" in outcome) && outcome.findings.length > 0 && base.as === "tests" && base.isEarlier === true;
  if (!isWorse) return outcome;
  // What no key names may have changed since an earlier run measured the base.
  const fresh = await stopwatch.measure("base", () => freshBaseResults(ctx, check.scope, check.repo, on));
  return fresh.as === "unknown" ? outcome : compared(check, { ran, tests, base: fresh });
}

/** Compares a run with the base's. Tests that are flaky on the base are decided by one more run. */
async function compared(check: RunningCheck, { ran, tests: own, base }: Comparable): Promise<Outcome | StepResult> {
  const { ctx, step, candidate, allow } = check;
  const { result } = ran;
  const before = base.as === "tests" ? base.run : undefined;
  const overwritten = overwrittenFindings(ran);
  const outcome = { output: result.tail, isGreen: result.ending === "exited" && result.exitCode === 0 };
  if ("says" in own) return { ...outcome, findings: [own, ...overwritten], passed: { summary: "" } };
  const [fixes, files] = await Promise.all([
    namedFixes(check),
    filesMoved(check.repo, { from: candidate.base, tip: candidate.commit }),
  ]);
  const scan = (candidateRun: TestRun) => ctx.scans.compare({ base: before, candidate: candidateRun, allow, fixes, files });
  const first = await scan(own);
  if (!first.ok) return refuse(check, unsearched("the report", first.problem).says, "");
  const { findings: found } = first.value.comparison;
  const isFailing = found.length > 0 && found.every(({ kind }) => kind === "failing" || kind === "exit-code");
  const mayBeFlaky = before !== undefined && isFailing && overwritten.length === 0;
  const of = { step, candidate, run: own };
  const settled = mayBeFlaky ? await settleFlakyTests(ctx, check.scope, check.repo, { ...of, base: before }) : undefined;
  const { run: tests, excused } = settled ?? { run: own, excused: [] };
  const scanned = settled === undefined ? first : await scan(tests);
  if (!scanned.ok) return refuse(check, unsearched("the report", scanned.problem).says, "");
  const { comparison, failingOnBase } = scanned.value;
  const facts = base.as === "tests" ? [failingFact(step, failingOnBase)] : [];
  const strength = base.as === "tests" ? "compared" : "uncompared";
  const findings = [...comparison.findings, ...conditionFindings(step, comparison), ...overwritten];
  if (findings.length === 0) {
    const { durationMs } = result;
    await ctx.manifests.keep(resultsKey(ctx, check.scope, check.repo, { step, commit: candidate.commit }), {
      ...tests,
      durationMs,
    });
    await recordPreExisting(check, comparison.preExisting);
  }
  const line = passedLine({ strength, seconds: execSeconds(result), comparison });
  const summary = excused.length === 0 ? line : `${line}; ${flakyLine(excused)}`;
  const passed = { summary, commit: candidate.commit, strength, ...ownTests(check, before, comparison) } as const;
  const isRed = before?.tests.some((test) => test.outcome === "failed") ?? false;
  return { ...outcome, facts, findings, passed, isRed };
}

/** The tests that the change has added and removed. In a train nobody can tell whose they are. */
function ownTests({ scope }: RunningCheck, before: TestRun | undefined, { moved }: Comparison): Pick<StepPassed, "tests"> {
  return before === undefined || scope.train !== undefined ? {} : { tests: moved };
}

/** A condition counts tests beside the comparison of each, which holds in any case. */
function conditionFindings({ criterion }: Check, counted: Comparison): readonly Remark[] {
  if (criterion?.condition === undefined) return [];
  return unmetComparisons(criterion.condition, counted).map((says) => ({ says, ids: [] }));
}

/** The files that a change deletes and adds. */
export async function filesMoved(repo: Repo, change: { readonly from: string; readonly tip: string }): Promise<FilesMoved> {
  const { paths } = await repo.change(change);
  const those = (moved: ChangedPath["how"]) => paths.flatMap(({ path, how }) => (how === moved ? [path] : []));
  return { deleted: those("deleted"), added: those("added") };
}

/** The tests that the ticket must fix. Its last check with a report includes the tests that the others reported. */
async function namedFixes(check: RunningCheck): Promise<NamedFixes> {
  const { ctx, scope, repo, step, candidate } = check;
  const { finish, fixes: patterns = [] } = scope.ticket;
  if (patterns.length === 0) return { patterns, elsewhere: [], isLast: true };
  const settled = await Promise.all(
    finish.flatMap((each) =>
      each.step === "check" ? [settledCheck(ctx, scope, repo, { step: each, commit: candidate.base })] : [],
    ),
  );
  const checks = settled.filter(({ report }) => report !== undefined);
  const at = checks.findIndex(({ name }) => name === step.name);
  const earlier = await Promise.all(
    checks
      .slice(0, at)
      .map((other) => ctx.manifests.kept(resultsKey(ctx, scope, repo, { step: other, commit: candidate.commit }))),
  );
  const elsewhere = earlier.flatMap((run) => run?.tests ?? []).map(({ id }) => id);
  return { patterns, elsewhere, isLast: at === checks.length - 1 };
}

/** Ids of failing tests that are reported. */
const MAX_FAILING = 20;

/** The fact that some tests of the base fail and do not count. */
function failingFact({ name }: Check, { count, first }: ComparedRuns["failingOnBase"]): StepFact {
  const tests = first.slice(0, MAX_FAILING).map((test) => plainText(test, 160));
  return { type: "base-failing", check: name, count, tests };
}

/** Ids that are recorded. */
const MAX_RECORDED = 10_000;

async function recordPreExisting({ ctx, scope, step }: RunningCheck, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const text = ids
    .slice(0, MAX_RECORDED)
    .map((id) => plainText(id, 1_000))
    .join("\n");
  await ctx.files.write(scope.files.log(`check-${step.name}-failing-on-base`), `${text}\n`);
}

/** One check of one candidate. */
export interface RunningCheck {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: Check;
  readonly candidate: Built;
  readonly allow: Allowance;
  readonly stopwatch: CheckStopwatch;
}

/** The findings against the candidate, in words; and the command's output, or why there is no result. */
export interface Outcome {
  readonly findings: readonly Remark[];
  readonly output: string;
  /** True if the command passed: then its output names no failure. */
  readonly isGreen?: boolean;
  readonly passed: Omit<StepPassed, "ok" | "facts">;
  /** True if tests fail on the base. */
  readonly isRed?: boolean;
  readonly facts?: readonly StepFact[];
}

/** Runs the command of a check on a commit. */
export function runCheck({ ctx, scope, repo, step, candidate }: RunningCheck, commit: string): Promise<CommandOutcome> {
  const command = { step, commit, attributesOf: candidate.base, log: `check-${step.name}`, purpose: "check" } as const;
  return runCheckCommand(ctx, scope, repo, command);
}

/** A command that overwrites files that its result depends on has decided that result itself (adversary case F1). */
export function overwrittenFindings({ overwritten }: Extract<CommandOutcome, { ok: true }>): readonly Remark[] {
  if (overwritten.length === 0) return [];
  const what =
    overwritten.length === 1 ? "a file that its result depends on" : `${overwritten.length} files that its result depends on`;
  const ids = overwritten.map((path) => plainText(path, 200));
  return [{ says: `the command changed or shadowed ${what}: ${ids[0] ?? ""}; allow it with "writes"`, ids }];
}

/** A criterion of a phase says which: an attempt that starts afresh, or a person who finds the ticket stopped, begins there. */
export function refuse({ step, scope }: RunningCheck, what: string, detail: string): StepFailed {
  const phase = findCheckPhase(scope.ticket.contract ?? {}, step.name);
  const summary = phase === undefined ? what : `phase ${phase}: ${what}`;
  return { ok: false, evidence: { step: "check", name: step.name, summary, detail } };
}

/** A candidate, and what its ticket may do. */
interface Searched {
  readonly repo: Repo;
  readonly candidate: Extract<Candidate, { ok: true }>;
  readonly allow: Allowance;
}

/** Findings against a candidate that adds suppressions. */
export async function suppressionFindings(scans: TextScans, { repo, candidate, allow }: Searched): Promise<readonly Remark[]> {
  if (allow.suppressions) return [];
  const { diff, whole } = await repo.changedLines({ from: candidate.base, tip: candidate.commit, names: SEARCHED_NAMES });
  if (!whole) return [{ says: "the change is too long to be searched for suppressions", ids: [] }];
  const scanned = await scans.suppressions(diff);
  if (!scanned.ok) return [unsearched("the change", scanned.problem)];
  const { count, first } = scanned.value;
  if (count === 0) return [];
  const says = count === 1 ? "1 suppression added" : `${count} suppressions added`;
  return [{ says, ids: first.map(({ path, line, what, text }) => `${path}${line > 0 ? `:${line}` : ""} (${what}) ${text}`) }];
}

/** An unfinished scan is no proof that there is nothing. */
export function unsearched(what: string, problem: string): Remark {
  return { says: `${what} could not be searched: the search ${plainText(problem, 200)}`, ids: [] };
}
