import type { StepSpec } from "../../domain/batch/step-spec.ts";
import type { Remark } from "../../domain/evidence/compare.ts";
import type { NamedFixes } from "../../domain/evidence/fixes.ts";
import { SEARCHED_NAMES } from "../../domain/evidence/languages.ts";
import type { Allowance, TestResult, TestRun } from "../../domain/evidence/results.ts";
import { scriptRunBy } from "../../domain/evidence/scripts.ts";
import { namedAsOn } from "../../domain/evidence/suite-name.ts";
import { canaryLine, findingsLine, findingsText, passedLine } from "../../domain/evidence/summary-lines.ts";
import { boundedList, boundedTail } from "../../domain/values/bounded-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { ComparedRuns } from "../../ports/text-scans.ts";
import type { Candidate, Repo } from "../../ports/vcs.ts";
import { howItEnded } from "../programs/output.ts";
import { failureOf, retryTransient } from "../programs/retry-transient.ts";
import { commandEvidence, secondsOf } from "../programs/run-in.ts";
import { type CommandOutcome, runOnCommit } from "../programs/run-on-commit.ts";
import { overIfAborted, type StepFact, type StepScope, withoutRest } from "../programs/scope.ts";
import { protectedFor, touchedOf } from "./gates.ts";
import { type Manifest, manifestKey } from "./manifests.ts";
import type { StepContext, StepFailed, StepPassed, StepResult } from "./step.ts";
import { checkKey } from "./test-canaries.ts";
import { testCanary } from "./test-canary.ts";

type Built = Extract<Candidate, { ok: true }>;
type Check = Extract<StepSpec, { step: "check" }>;

/** Characters of a piece of evidence; those of its findings; those of the mark in a cut output. */
const EVIDENCE_CHARS = 4_000;
const FINDINGS_CHARS = 2_800;
const MARK_CHARS = 60;
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
}

/** The findings against the candidate, in words; and the command's output, or why there is no result. */
interface Outcome {
  readonly findings: readonly Remark[];
  readonly output: string;
  readonly passed: Omit<StepPassed, "ok" | "facts">;
  readonly durationMs: number;
  readonly tests: readonly TestResult[];
  /** The base's results, if they were compared. */
  readonly baseTests?: readonly TestResult[];
  /** Entries of files that the base could not load and the candidate can. */
  readonly loads?: readonly string[];
  readonly facts?: readonly StepFact[];
}

/**
 * Runs a check on a merge candidate. The exit code alone proves little, so the candidate is compared with its base. Protected
 * files must be the same, no new suppression may be in it, and if the step names a report, each test of the base must exist, run
 * and pass as it did. A failed check is never run again on the same candidate (adversary case A19), except for one transient.
 */
export async function runCheckStep(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  step: Check,
  candidate: Built,
): Promise<StepResult> {
  const check: CheckRun = { ctx, scope, repo, step, candidate, allow: scope.ticket.allow ?? NOTHING_ALLOWED };
  const touched = await protectedTouched(check);
  if (touched.length > 0) return refuse(check, `protected path differs from the base: ${touched[0]}`, boundedList(touched));
  const suppressed = [...(await scriptsChanged(check)), ...(await suppressionFindings(check))];
  const outcome = step.report === undefined ? await byExitCode(check) : await byTests(check);
  if ("ok" in outcome) return outcome;
  const findings = [...outcome.findings, ...suppressed];
  const { facts = [] } = outcome;
  if (findings.length === 0) return { ...(await tryCanaries(check, outcome)), facts };
  const { evidence } = refuse(check, findingsLine(findings), detailOf(findings, outcome.output));
  const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();
  if (tests.length === 0) return { ok: false, evidence, facts };
  return { ok: false, facts, evidence: { ...evidence, tests: tests.slice(0, MAX_TESTS).map((id) => plainText(id, 300)) } };
}

/** A passed check is tested with test canaries. Their output names them: the log keeps it, the evidence that agents read does not. */
async function tryCanaries(
  check: CheckRun,
  { passed, durationMs, tests, baseTests = [], loads = [] }: Outcome,
): Promise<StepResult> {
  const resultsOn = async (base: string) => {
    const manifest = await manifestOf({ ...check, candidate: { ...check.candidate, base } });
    return manifest.as === "tests" ? manifest.run.tests : undefined;
  };
  const canary = await testCanary({ ...check, durationMs, tests, baseTests, loads, resultsOn });
  if (canary.as === "forged") return refuse(check, canary.finding.says, detailOf([canary.finding], ""));
  if (canary.as === "broken") return { ok: false, evidence: canary.evidence };
  return { ok: true, ...passed, summary: `${passed.summary}; ${canaryLine(canary)}` };
}

/** The findings with their subjects, then the end of the command's output. A lone one without a subject is its own summary. */
function detailOf(findings: readonly Remark[], output: string): string {
  if (findings.length === 1 && findings[0]?.ids.length === 0) return boundedTail(output);
  const text = findingsText(findings).slice(0, FINDINGS_CHARS);
  return `${text}\n\n${boundedTail(output, EVIDENCE_CHARS - MARK_CHARS - text.length)}`.trim();
}

function refuse({ step }: CheckRun, summary: string, detail: string): StepFailed {
  return { ok: false, evidence: { step: "check", name: step.name, summary, detail } };
}

/** The gates check the ticket's own change. This checks the candidate that will land, with everything merged into it (P2). */
async function protectedTouched({ ctx, scope, repo, candidate }: CheckRun): Promise<readonly string[]> {
  const protect = protectedFor(ctx.batch.protect, scope.ticket);
  if (protect.length === 0) return [];
  const change = await repo.change({ from: candidate.base, tip: candidate.commit });
  return touchedOf(change, protect).map(({ path, how }) => `${plainText(path, 200)} (${how})`);
}

/** The scripts of package.json that a check runs must equal the base's: the candidate brings its own (case A10). */
async function scriptsChanged({ ctx, repo, candidate, step, allow }: CheckRun): Promise<readonly Remark[]> {
  const runs = allow.scripts === true ? undefined : scriptRunBy(step.command);
  if (runs === undefined) return [];
  const { paths } = await repo.change({ from: candidate.base, tip: candidate.commit });
  const changed = paths.map(({ path }) => path);
  const at = (commit: string) => repo.readFile({ commit, path: "package.json" });
  const [before, after] = changed.includes("package.json") ? await Promise.all([at(candidate.base), at(candidate.commit)]) : [];
  const scanned = await ctx.scans.scripts({ runs, changed, before, after });
  return scanned.ok ? scanned.value : [unsearched("package.json", scanned.problem)];
}

/** An unfinished scan is no proof that there is nothing. */
function unsearched(what: string, problem: string): Remark {
  return { says: `${what} could not be searched: the search ${plainText(problem, 200)}`, ids: [] };
}

async function suppressionFindings({ ctx, repo, candidate, allow }: CheckRun): Promise<readonly Remark[]> {
  if (allow.suppressions) return [];
  const { diff, whole } = await repo.changedLines({ from: candidate.base, tip: candidate.commit, names: SEARCHED_NAMES });
  if (!whole) return [{ says: "the change is too long to be searched for suppressions", ids: [] }];
  const scanned = await ctx.scans.suppressions(diff);
  if (!scanned.ok) return [unsearched("the change", scanned.problem)];
  const { count, first } = scanned.value;
  if (count === 0) return [];
  const says = count === 1 ? "1 suppression added" : `${count} suppressions added`;
  return [{ says, ids: first.map(({ path, line, what, text }) => `${path}${line > 0 ? `:${line}` : ""} (${what}) ${text}`) }];
}

async function byExitCode(check: CheckRun): Promise<Outcome | StepResult> {
  const { step, candidate } = check;
  const ran = await run(check, candidate.commit, `check-${step.name}`);
  if (!ran.ok) return ran;
  const { result } = ran;
  const failed = result.ending !== "exited" || result.exitCode !== 0;
  const { summary } = commandEvidence({ step: "check", name: step.name }, step.command, result);
  return {
    findings: [...(failed ? [{ says: summary, ids: [] }] : []), ...overwrittenFindings(ran)],
    output: result.tail,
    durationMs: result.durationMs,
    tests: [],
    passed: {
      summary: passedLine({ strength: "exit-code", seconds: secondsOf(result) }),
      commit: candidate.commit,
      strength: "exit-code",
    },
  };
}

/**
 * Runs the check's command on a commit, once more if it failed by a transient. The candidate's base may have moved meanwhile; the
 * landing checks that. A failed test is no transient, whatever the output beside it.
 */
function run({ ctx, scope, repo, step, candidate }: CheckRun, commit: string, log: string): Promise<CommandOutcome> {
  return retryTransient(ctx, scope, {
    run: () => runOnCommit(ctx, scope, repo, { step, commit, attributesOf: candidate.base, log }),
    failure: (ran) => {
      if (!ran.ok || (ran.reading?.ok === true && ran.reading.tests.some(({ outcome }) => outcome === "failed")))
        return undefined;
      return failureOf("check", ran.result);
    },
  });
}

/** The base is measured first, before any code of this candidate runs. */
async function byTests(check: CheckRun): Promise<Outcome | StepResult> {
  const { ctx, step, candidate, allow } = check;
  const base = await manifestOf(check);
  if (base.as === "unknown") return refuse(check, `the base could not be measured: ${base.why}`, "");
  const ran = await run(check, candidate.commit, `check-${step.name}`);
  if (!ran.ok) return ran;
  const { result, reading } = ran;
  const before = base.as === "tests" ? base.run : undefined;
  const tests = namedAsOn(before, runOf(step, result, reading), step.command);
  const overwritten = overwrittenFindings(ran);
  const outcome = { output: result.tail, durationMs: result.durationMs };
  if ("says" in tests) return { ...outcome, findings: [tests, ...overwritten], passed: { summary: "" }, tests: [] };
  const [fixes, deleted] = await Promise.all([fixesOf(check), deletedBy(check)]);
  const compared = await ctx.scans.compare({ base: before, candidate: tests, allow, fixes, deleted });
  if (!compared.ok) return refuse(check, unsearched("the report", compared.problem).says, "");
  const { comparison, failingOnBase } = compared.value;
  const facts = base.as === "tests" ? [failingFact(step, failingOnBase)] : [];
  const strength = base.as === "tests" ? "compared" : "uncompared";
  const findings = [...comparison.findings, ...overwritten];
  if (findings.length === 0) {
    await ctx.manifests.keep(keyOf(check, candidate.commit), tests);
    await recordPreExisting(check, comparison.preExisting);
  }
  const summary = passedLine({ strength, seconds: secondsOf(result), comparison });
  const passed = { summary, commit: candidate.commit, strength } as const;
  return { ...outcome, facts, findings, passed, tests: tests.tests, baseTests: before?.tests ?? [], loads: comparison.loads };
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
  const { ctx, scope, step, candidate } = check;
  const { finish, fixes: patterns = [] } = scope.ticket;
  if (patterns.length === 0) return { patterns, elsewhere: [], isLast: true };
  const checks = finish.flatMap((each) => (each.step === "check" && each.report !== undefined ? [each] : []));
  const at = checks.findIndex(({ name }) => name === step.name);
  const earlier = await Promise.all(
    checks.slice(0, at).map((other) => ctx.manifests.kept(keyOf({ ...check, step: other }, candidate.commit))),
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

/** The results of a command's run, or a finding if they do not count. */
function runOf(step: Check, result: ExecResult, reading: Extract<CommandOutcome, { ok: true }>["reading"]): TestRun | Remark {
  if (result.ending !== "exited" || result.exitCode === null)
    return { says: commandEvidence({ step: "check", name: step.name }, step.command, result).summary, ids: [] };
  if (reading?.ok === true) return { exitCode: result.exitCode, tests: reading.tests };
  const problem = plainText(reading?.problem ?? "there is none", 300);
  return {
    says: `no report to judge by: ${problem} (${plainText(step.report?.path ?? "", 100)}); ${howItEnded(result)}`,
    ids: [],
  };
}

function keyOf({ ctx, scope, repo, step }: CheckRun, commit: string): string {
  return manifestKey({ repo: repo.id, commit, step, prepare: ctx.batch.repos[scope.ticket.repo]?.prepare ?? [] });
}

function manifestOf(check: CheckRun): Promise<Manifest> {
  const { ctx, scope, candidate } = check;
  const taken = ctx.manifests.take(keyOf(check, candidate.base), () => measureBase(check), scope.signal);
  return taken.catch(overIfAborted(scope));
}

/** The system or a shell gives exit codes from here on: the program was not found, not allowed or killed by a signal. */
const NOT_ITS_OWN = 126;

/**
 * The same command on the base. "The base has no tests" is believed only of a command that ended by itself. One that was killed,
 * or has no readable result, proves nothing, and a comparison with nothing is not allowed.
 */
async function measureBase(check: CheckRun): Promise<Manifest> {
  const { step, candidate } = check;
  const ran = await run({ ...check, scope: withoutRest(check.scope) }, candidate.base, `check-${step.name}-base`);
  if (!ran.ok) return { as: "unknown", why: ran.evidence.summary };
  const { result, reading, noProgram } = ran;
  if (result.ending === "failed-to-start" && noProgram) return { as: "none", why: "the base does not have the program" };
  const tests = runOf(step, result, reading);
  if (!("says" in tests) && tests.tests.length > 0) {
    check.ctx.testCanaries.shortest(checkKey(check.repo, step), result.durationMs);
    return { as: "tests", run: tests };
  }
  if (result.ending === "exited" && result.exitCode !== null && result.exitCode < NOT_ITS_OWN) {
    if (!("says" in tests)) return { as: "none", why: "the base has no tests" };
    if (reading?.ok === false && reading.absent) return { as: "none", why: "the base leaves no report" };
  }
  return { as: "unknown", why: "says" in tests ? tests.says : howItEnded(result) };
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
