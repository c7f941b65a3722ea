import { phaseOf } from "../../domain/batch/contract-spec.ts";
import { type StepSpec, wantedExitCode } from "../../domain/batch/step-spec.ts";
import { timesParts } from "../../domain/evidence/check-times.ts";
import type { Comparison, Remark } from "../../domain/evidence/compare.ts";
import { unmetComparisons } from "../../domain/evidence/condition.ts";
import type { NamedFixes } from "../../domain/evidence/fixes.ts";
import type { Allowance, TestRun } from "../../domain/evidence/results.ts";
import { namedAsOn } from "../../domain/evidence/suite-name.ts";
import { findingsLine, findingsText, passedLine, proofLine } from "../../domain/evidence/summary-lines.ts";
import { whatFailed } from "../../domain/triage/what-failed.ts";
import { boundedList, boundedTail } from "../../domain/values/bounded-text.ts";
import { firstFewLine } from "../../domain/values/first-few.ts";
import { plural } from "../../domain/values/plural.ts";
import { settleBoth } from "../../domain/values/settle-both.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ComparedRuns } from "../../ports/text-scans.ts";
import type { ChangedPath, Repo } from "../../ports/vcs.ts";
import { commandEvidence, secondsOf } from "../programs/run-in.ts";
import type { CommandOutcome } from "../programs/run-on-commit.ts";
import { besideMarker, type StepFact, type StepScope } from "../programs/scope.ts";
import { checkFolders } from "../programs/sealed-checkout.ts";
import { baseResults, freshBaseResults, resultsKey, resultsOf, runCheckCommand } from "./base-results.ts";
import { CheckStopwatch } from "./check-stopwatch.ts";
import { failSoon } from "./fail-soon.ts";
import { settleFlakyTests } from "./flaky-tests.ts";
import { protectedFor, strayPaths, touchedOf } from "./gates.ts";
import type { Built } from "./landing.ts";
import type { Manifest } from "./manifests.ts";
import { proveAlone } from "./prove-alone.ts";
import { suppressionFindings, unsearched } from "./static-findings.ts";
import type { StepContext, StepFailed, StepPassed, StepResult } from "./step.ts";

type Check = Extract<StepSpec, { step: "check" }>;

/** Characters of a piece of evidence; those of its findings; those of the mark in a cut output. */
const EVIDENCE_CHARS = 4_000;
const FINDINGS_CHARS = 2_800;
const MARK_CHARS = 60;
/** Of the list of what failed. It takes no more than half of what is left for the output. */
const FAILED_CHARS = 1_500;
/** Ids of tests by which a failure is recognised. */
const MAX_TESTS = 30;

const NOTHING_ALLOWED: Allowance = { testsRemoved: [], testsSkipped: [], suppressions: false };

/** One check of one candidate. */
interface CheckRun {
  readonly ctx: StepContext;
  readonly scope: StepScope;
  readonly repo: Repo;
  readonly step: Check;
  readonly candidate: Built;
  readonly allow: Allowance;
  readonly stopwatch: CheckStopwatch;
}

/** The findings against the candidate, in words; and the command's output, or why there is no result. */
interface Outcome {
  readonly findings: readonly Remark[];
  readonly output: string;
  readonly passed: Omit<StepPassed, "ok" | "facts">;
  /** True if tests fail on the base. */
  readonly isRed?: boolean;
  readonly facts?: readonly StepFact[];
}

/**
 * Runs a check on a merge candidate. The exit code alone proves little, so the candidate is compared with its base. Protected
 * files must be the same, no new suppression may be in it, and if the step names a report, each test of the base must exist, run
 * and pass as it did. Then it is proven alone, if it must be and `isProven` does not say that it is. A failed check is never run again on the same candidate (adversary case A19), except for one transient.
 */
export async function runCheckStep(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  step: Check,
  candidate: Built,
  { isProven = false }: { readonly isProven?: boolean } = {},
): Promise<StepResult> {
  const stopwatch = new CheckStopwatch(ctx.clock);
  const allow = scope.ticket.allow ?? NOTHING_ALLOWED;
  const check: CheckRun = { ctx, scope: stopwatch.watch(scope), repo, step, candidate, allow, stopwatch };
  const touched = await protectedTouched(check);
  if (touched.length > 0) return refuse(check, `protected path differs from the base: ${touched[0]}`, boundedList(touched));
  const stray = await strayTouched(check);
  if (stray.length > 0) return refuse(check, `outside the contract's safety.only: ${stray[0]}`, boundedList(stray));
  const suppressed = await suppressionFindings(ctx.scans, check);
  const outcome = step.report === undefined ? await byExitCode(check) : await byTests(check);
  if ("ok" in outcome) return outcome;
  const findings = [...outcome.findings, ...suppressed];
  const { facts = [] } = outcome;
  if (findings.length === 0) return { ...(isProven ? { ok: true, ...outcome.passed } : await proven(check, outcome)), facts };
  const { evidence } = refuse(check, findingsLine(findings), detailOf(check, findings, outcome.output));
  const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();
  if (tests.length === 0) return { ok: false, evidence, facts };
  return { ok: false, facts, evidence: { ...evidence, tests: tests.slice(0, MAX_TESTS).map((id) => plainText(id, 300)) } };
}

/** A passed check is proven alone if it must be. What planted tests are called stays in the log: agents read the evidence. */
async function proven(check: CheckRun, { passed, isRed = false }: Outcome): Promise<StepResult> {
  const { ctx, scope, repo, stopwatch } = check;
  const proof = await stopwatch.measure("proof", () => proveAlone(ctx, scope, repo, { ...check, isRed }));
  if (proof.as === "forged") return refuse(check, proof.finding.says, detailOf(check, [proof.finding], ""));
  if (proof.as === "broken") return { ok: false, evidence: proof.evidence };
  const { needsApproval } = proof;
  const what = proof.as === "proven" ? [proofLine(proof)] : [];
  const summary = [passed.summary, ...timesParts(stopwatch.times), ...what].join("; ");
  return {
    ok: true,
    ...passed,
    summary,
    ...(proof.as === "proven" && { isProven: true as const }),
    ...(needsApproval !== undefined && { needsApproval }),
  };
}

/**
 * The findings with their subjects, what the output says failed, and the end of the output. A lone finding without a subject is
 * its own summary.
 */
function detailOf(check: CheckRun, findings: readonly Remark[], output: string): string {
  const isOwnSummary = findings.length === 1 && findings[0]?.ids.length === 0;
  const text = isOwnSummary ? "" : findingsText(findings).slice(0, FINDINGS_CHARS);
  const failed = failedInWords(check, output, EVIDENCE_CHARS - MARK_CHARS - text.length);
  if (text === "" && failed === "") return boundedTail(output);
  const head = [text, failed].filter((part) => part !== "").join("\n\n");
  return `${head}\n\n${boundedTail(output, EVIDENCE_CHARS - MARK_CHARS - head.length)}`.trim();
}

/** The failures that the output names, so that the next attempt need not look for them. No verdict depends on them. */
function failedInWords({ ctx, scope, repo, step }: CheckRun, output: string, room: number): string {
  const { checkout } = checkFolders(ctx.files.checkoutPath(scope.ticket.id, step.name));
  const limit = Math.min(FAILED_CHARS, Math.floor(room / 2));
  const list = whatFailed({ check: step.name, output, roots: [checkout, repo.place], limit });
  return list === "" ? "" : `What failed, as the output says:\n${list}\n\nThe end of the output:`;
}

/** A criterion of a phase says which: an attempt that starts afresh, or a person who finds the ticket stopped, begins there. */
function refuse({ step, scope }: CheckRun, what: string, detail: string): StepFailed {
  const phase = phaseOf(scope.ticket.contract ?? {}, step.name);
  const summary = phase === undefined ? what : `phase ${phase}: ${what}`;
  return { ok: false, evidence: { step: "check", name: step.name, summary, detail } };
}

/** The gates check the ticket's own change. This checks the candidate that will land, with everything merged into it (P2). */
async function protectedTouched({ ctx, scope, repo, candidate }: CheckRun): Promise<readonly string[]> {
  const protect = protectedFor(ctx.batch.protect, scope.ticket);
  if (protect.length === 0) return [];
  const change = await repo.change({ from: candidate.base, tip: candidate.commit });
  return touchedOf(change, protect).map(shown);
}

/** The paths of the candidate that the ticket's contract leaves out. */
async function strayTouched({ scope, repo, candidate }: CheckRun): Promise<readonly string[]> {
  const { contract } = scope.ticket;
  if (contract?.safety?.only === undefined) return [];
  const change = await repo.change({ from: candidate.base, tip: candidate.commit });
  return strayPaths(change, contract).map(shown);
}

function shown({ path, how }: ChangedPath): string {
  return `${plainText(path, 200)} (${how})`;
}

async function byExitCode(check: CheckRun): Promise<Outcome | StepResult> {
  const { step, candidate } = check;
  const ran = await runCheck(check, candidate.commit);
  if (!ran.ok) return ran;
  const { result } = ran;
  const wanted = wantedExitCode(step);
  const failed = result.ending !== "exited" || result.exitCode !== wanted;
  const { summary: ended } = commandEvidence({ step: "check", name: step.name }, step.command, result);
  const summary = wanted === 0 ? ended : `${ended}; the contract wants exit code ${wanted}`;
  return {
    findings: [...(failed ? [{ says: summary, ids: [] }] : []), ...overwrittenFindings(ran)],
    output: result.tail,
    passed: {
      summary: passedLine({ strength: "exit-code", seconds: secondsOf(result) }),
      commit: candidate.commit,
      strength: "exit-code",
    },
  };
}

/** The results of a run that are compared with the base's, and how it ended. */
interface Comparable {
  readonly ran: Extract<CommandOutcome, { ok: true }>;
  readonly tests: TestRun | Remark;
  readonly base: Exclude<Manifest, { as: "unknown" }>;
}

/** The base is measured beside the candidate, each in a sandbox of its own, unless its results are known. */
async function byTests(check: CheckRun): Promise<Outcome | StepResult> {
  const { ctx, step, candidate, stopwatch } = check;
  const on = { step, commit: candidate.base };
  const known = await ctx.manifests.kept(resultsKey(ctx, check.scope, check.repo, on));
  const soon = known && (await failSoon(ctx, check.scope, check.repo, { step, candidate, base: known }));
  if (soon !== undefined) return { findings: [soon.finding], output: soon.output, passed: { summary: "" } };
  const beside = { ...check.scope, marker: besideMarker(check.scope.marker) };
  const measuring = stopwatch.measure("base", () => baseResults(ctx, beside, check.repo, on));
  const [base, ran] = await settleBoth(measuring, runCheck(check, candidate.commit));
  if (base.as === "unknown") return refuse(check, `the base could not be measured: ${base.why}`, "");
  if (!ran.ok) return ran;
  const tests = namedAsOn(base.as === "tests" ? base.run : undefined, resultsOf(step, ran.result, ran.reading), step.command);
  const outcome = await compared(check, { ran, tests, base });
  const isWorse = !("ok" in outcome) && outcome.findings.length > 0 && base.as === "tests" && base.isEarlier === true;
  if (!isWorse) return outcome;
  // What no key names may have changed since an earlier run measured the base.
  const fresh = await stopwatch.measure("base", () => freshBaseResults(ctx, check.scope, check.repo, on));
  return fresh.as === "unknown" ? outcome : compared(check, { ran, tests, base: fresh });
}

/** Compares a run with the base's. Tests that are flaky on the base are decided by one more run. */
async function compared(check: CheckRun, { ran, tests: own, base }: Comparable): Promise<Outcome | StepResult> {
  const { ctx, step, candidate, allow } = check;
  const { result } = ran;
  const before = base.as === "tests" ? base.run : undefined;
  const overwritten = overwrittenFindings(ran);
  const outcome = { output: result.tail };
  if ("says" in own) return { ...outcome, findings: [own, ...overwritten], passed: { summary: "" } };
  const settled = before && (await settleFlakyTests(ctx, check.scope, check.repo, { step, candidate, base: before, run: own }));
  const { run: tests, excused } = settled ?? { run: own, excused: [] };
  const [fixes, deleted] = await Promise.all([fixesOf(check), deletedBy(check)]);
  const scanned = await ctx.scans.compare({ base: before, candidate: tests, allow, fixes, deleted });
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
  const line = passedLine({ strength, seconds: secondsOf(result), comparison });
  const summary = [line, ...flakyPart(excused)].join("; ");
  const passed = { summary, commit: candidate.commit, strength } as const;
  const isRed = before?.tests.some((test) => test.outcome === "failed") ?? false;
  return { ...outcome, facts, findings, passed, isRed };
}

function flakyPart(excused: readonly string[]): readonly string[] {
  if (excused.length === 0) return [];
  return [
    `${plural(excused.length, "flaky test")} failed once: ${firstFewLine(
      excused.map((id) => plainText(id, 100)),
      2,
    )}`,
  ];
}

/** A condition counts tests beside the comparison of each, which holds in any case. */
function conditionFindings({ criterion }: Check, counted: Comparison): readonly Remark[] {
  if (criterion?.condition === undefined) return [];
  return unmetComparisons(criterion.condition, counted).map((says) => ({ says, ids: [] }));
}

function runCheck({ ctx, scope, repo, step, candidate }: CheckRun, commit: string): Promise<CommandOutcome> {
  const command = { step, commit, attributesOf: candidate.base, log: `check-${step.name}`, purpose: "check" } as const;
  return runCheckCommand(ctx, scope, repo, command);
}

async function deletedBy({ repo, candidate }: CheckRun): Promise<readonly string[]> {
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  return paths.flatMap(({ path, how }) => (how === "deleted" ? [path] : []));
}

/** A command that overwrites files that its result depends on has decided that result itself (adversary case F1). */
function overwrittenFindings({ overwritten }: Extract<CommandOutcome, { ok: true }>): readonly Remark[] {
  if (overwritten.length === 0) return [];
  const what =
    overwritten.length === 1 ? "a file that its result depends on" : `${overwritten.length} files that its result depends on`;
  const ids = overwritten.map((path) => plainText(path, 200));
  return [{ says: `the command changed or shadowed ${what}: ${ids[0] ?? ""}; allow it with "writes"`, ids }];
}

/** The tests that the ticket must fix. Its last check with a report includes the tests that the others reported. */
async function fixesOf(check: CheckRun): Promise<NamedFixes> {
  const { ctx, scope, repo, step, candidate } = check;
  const { finish, fixes: patterns = [] } = scope.ticket;
  if (patterns.length === 0) return { patterns, elsewhere: [], isLast: true };
  const checks = finish.flatMap((each) => (each.step === "check" && each.report !== undefined ? [each] : []));
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

async function recordPreExisting({ ctx, scope, step }: CheckRun, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const text = ids
    .slice(0, MAX_RECORDED)
    .map((id) => plainText(id, 1_000))
    .join("\n");
  await ctx.files.write(scope.files.log(`check-${step.name}-failing-on-base`), `${text}\n`);
}
