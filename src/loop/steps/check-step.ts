import type { Allowance, Remark } from "@loopdash/test-evidence";
import { findingsLine, findingsText, passedLine, timesParts } from "@loopdash/test-evidence";
import { endOfOutput, whatFailed } from "@loopdash/triage";
import { type Check, wantedExitCode } from "../../domain/batch/step-spec.ts";
import { isRedOnBase } from "../../domain/run/reduce-base-measure.ts";
import { boundedList, boundedTail, plainText } from "../../domain/values/text.ts";
import type { ChangedPath, Repo } from "../../ports/vcs.ts";
import { commandEvidence, execSeconds } from "../programs/run-in.ts";
import type { StepScope } from "../programs/scope.ts";
import { checkFolders } from "../programs/sealed-checkout.ts";
import { resultsKey, settledCheck } from "./base-results.ts";
import { CheckStopwatch } from "./check-stopwatch.ts";
import {
  byTests,
  type Outcome,
  overwrittenFindings,
  type RunningCheck,
  refuse,
  runCheck,
  suppressionFindings,
} from "./compare-tests.ts";
import { type StartedProof, startProof } from "./deep-proof.ts";
import { protectedFor, strayPaths, touchedProtected } from "./gates.ts";
import { originBelow } from "./origins.ts";
import { proveAlone } from "./prove-alone.ts";
import type { Built, StepContext, StepResult } from "./step.ts";

/** Characters of a piece of evidence; those of its findings; those of the mark in a cut output. */
const EVIDENCE_CHARS = 4_000;
const FINDINGS_CHARS = 2_800;
const MARK_CHARS = 60;
/** Of the list of what failed. It takes no more than half of what is left for the output. */
const FAILED_CHARS = 1_500;
/** Lines of an output that is read at once: there is no list of what failed beside it. */
const SHORT_LINES = 8;
/** Of the first of them, by which attempts of several tickets are compared. */
const FIRST_CHARS = 300;
/** Ids of tests by which a failure is recognised. */
const MAX_TESTS = 30;

/** When a change is proven: never, after its check if it must be alone, or in any case, and beside its check if a slot is free. */
export type ProofTiming = "never" | "if-needed" | "beside-check";

const NOTHING_ALLOWED: Allowance = { testsRemoved: [], testsSkipped: [], suppressions: false };

/**
 * Runs a check on a merge candidate. The exit code alone proves little, so the candidate is compared with its base. Protected
 * files must be the same, no new suppression may be in it, and if the step names a report, each test of the base must exist, run
 * and pass as it did. Then it is proven alone, if it must be. A failed check is never run again on the same candidate (adversary case A19),
 * except for one transient.
 */
export async function runCheckStep(
  ctx: StepContext,
  scope: StepScope,
  repo: Repo,
  planned: Check,
  candidate: Built,
  { proof = "if-needed" }: { readonly proof?: ProofTiming } = {},
): Promise<StepResult> {
  const step = await settledCheck(ctx, scope, repo, { step: planned, commit: candidate.base });
  const stopwatch = new CheckStopwatch(ctx.clock);
  const allow = scope.ticket.allow ?? NOTHING_ALLOWED;
  const check: RunningCheck = { ctx, scope: stopwatch.watch(scope), repo, step, candidate, allow, stopwatch };
  const touched = await protectedTouched(check);
  if (touched.length > 0) return refuse(check, `protected path differs from the base: ${touched[0]}`, boundedList(touched));
  const stray = await strayTouched(check);
  if (stray.length > 0) return refuse(check, `outside the contract's safety.only: ${stray[0]}`, boundedList(stray));
  if (proof === "beside-check") return checkBesideProof(check, scope);
  return checkAndProve(check, (outcome) => (proof === "never" ? unproven(outcome) : proven(check, outcome)));
}

/**
 * Runs a check, and beside it the first run of its proof if a slot is free. Only that run has the second permit, because the check
 * gives back its own while it rests; its preparation is no part of the check's times.
 */
async function checkBesideProof(check: RunningCheck, scope: StepScope): Promise<StepResult> {
  const { allow, candidate, ctx, repo, step } = check;
  const begun = Promise.withResolvers<StartedProof | undefined>();
  // It is awaited below, and may fail before.
  begun.promise.catch(() => undefined);
  const run = ctx.commandPermits.tryRun(async () => {
    const proof = startProof(ctx, scope, repo, { step, candidate, allow, origin: originBelow(ctx, repo, candidate) });
    begun.resolve(proof);
    await (await proof)?.started.ended;
  });
  // Without a free slot there is none; what failed to start is known by `begun`.
  const over = run.then(
    () => begun.resolve(undefined),
    () => undefined,
  );
  try {
    return await checkAndProve(check, async (outcome) => proven(check, outcome, await begun.promise));
  } finally {
    await (await begun.promise.catch(() => undefined))?.started.stop();
    await over;
  }
}

function unproven({ passed: result }: Outcome): Promise<StepResult> {
  return Promise.resolve({ ok: true, ...result });
}

/** Runs the check and judges its outcome; what passes goes to `prove`. */
async function checkAndProve(check: RunningCheck, prove: (outcome: Outcome) => Promise<StepResult>): Promise<StepResult> {
  const suppressed = await suppressionFindings(check.ctx.scans, check);
  const outcome = check.step.report === undefined ? await byExitCode(check) : await byTests(check);
  if ("ok" in outcome) return outcome;
  const findings = [...outcome.findings, ...suppressed];
  const { facts = [] } = outcome;
  if (findings.length === 0) return { ...(await prove(outcome)), facts };
  const refused = refuse(check, findingsLine(findings), await failureDetail(check, findings, outcome));
  const [firstError = ""] = outcome.isGreen ? [] : (await failedList(check, outcome.output, FIRST_CHARS)).split("\n");
  const evidence = { ...refused.evidence, ...(firstError !== "" && { firstError }) };
  const tests = outcome.findings.flatMap(({ ids }) => ids).toSorted();
  if (tests.length === 0) return { ok: false, evidence, facts };
  return { ok: false, facts, evidence: { ...evidence, tests: tests.slice(0, MAX_TESTS).map((id) => plainText(id, 300)) } };
}

/** Proves a passed check if it must be, or if its proof has begun. Names of planted tests stay in the log: agents read the evidence. */
async function proven(check: RunningCheck, { passed, isRed = false }: Outcome, begun?: StartedProof): Promise<StepResult> {
  const { ctx, scope, repo, stopwatch } = check;
  const proof = await stopwatch.measure("proof", () => proveAlone(ctx, scope, repo, { ...check, isRed, begun }));
  if (proof.as === "forged")
    return refuse(check, proof.finding.says, await failureDetail(check, [proof.finding], { output: "" }));
  if (proof.as === "broken") return { ok: false, evidence: proof.evidence };
  const summary = [passed.summary, ...timesParts(stopwatch.times), ...proof.says].join("; ");
  const { isProven, needsApproval } = proof;
  return { ok: true, ...passed, summary, ...(isProven && { isProven }), ...(needsApproval && { needsApproval }) };
}

/**
 * The findings with their subjects, what the output says failed, and the end of the output. A lone finding without a subject is
 * its own summary.
 */
async function failureDetail(
  check: RunningCheck,
  findings: readonly Remark[],
  { output, isGreen = false }: Pick<Outcome, "output" | "isGreen">,
): Promise<string> {
  const isOwnSummary = findings.length === 1 && findings[0]?.ids.length === 0;
  const text = isOwnSummary ? "" : findingsText(findings).slice(0, FINDINGS_CHARS);
  const end = endOfOutput(output);
  const isShort = end.split("\n").length <= SHORT_LINES;
  const failed = isShort || isGreen ? "" : await failedInWords(check, output, EVIDENCE_CHARS - MARK_CHARS - text.length);
  const head = [text, failed].filter((part) => part !== "").join("\n\n");
  return `${head}\n\n${boundedTail(end, EVIDENCE_CHARS - MARK_CHARS - head.length)}`.trim();
}

/** The failures that the output names, so that the next attempt need not look for them. No verdict depends on them. */
async function failedInWords(check: RunningCheck, output: string, room: number): Promise<string> {
  const list = await failedList(check, output, Math.min(FAILED_CHARS, Math.floor(room / 2)));
  return list === "" ? "" : `What failed, as the output says:\n${list}\n\nThe end of the output:`;
}

async function failedList({ ctx, scope, repo, step, candidate }: RunningCheck, output: string, limit: number): Promise<string> {
  const { checkout } = checkFolders(ctx.files.checkoutPath(scope.ticket.id, step.name));
  const onBase = await ctx.manifests.outputOnBase(resultsKey(ctx, scope, repo, { step, commit: candidate.base }));
  return whatFailed({ check: step.name, output, onBase, roots: [checkout, repo.place], limit });
}

/** The gates check the ticket's own change. This checks the candidate that will land, with everything merged into it (P2). */
async function protectedTouched({ ctx, scope, repo, candidate }: RunningCheck): Promise<readonly string[]> {
  const protect = protectedFor(ctx.batch.protect, scope.ticket);
  if (protect.length === 0) return [];
  const change = await repo.change({ from: candidate.base, tip: candidate.commit });
  return touchedProtected(change, protect).map(shown);
}

/** The paths of the candidate that the ticket's contract leaves out. */
async function strayTouched({ scope, repo, candidate }: RunningCheck): Promise<readonly string[]> {
  const { contract } = scope.ticket;
  if (contract?.safety?.only === undefined) return [];
  const change = await repo.change({ from: candidate.base, tip: candidate.commit });
  return strayPaths(change, contract).map(shown);
}

function shown({ path, how }: ChangedPath): string {
  return `${plainText(path, 200)} (${how})`;
}

async function byExitCode(check: RunningCheck): Promise<Outcome | StepResult> {
  const { ctx, scope, step, candidate } = check;
  const ran = await runCheck(check, candidate.commit);
  if (!ran.ok) return ran;
  const { result } = ran;
  const wanted = wantedExitCode(step);
  const failed = result.ending !== "exited" || result.exitCode !== wanted;
  const { summary: ended } = commandEvidence({ step: "check", name: step.name }, step.command, result);
  const onBase = isRedOnBase(ctx.state(), scope.ticket.repo, step.name)
    ? "; it failed on the base already, before any agent"
    : "";
  const summary = wanted === 0 ? `${ended}${onBase}` : `${ended}; the contract wants exit code ${wanted}`;
  return {
    findings: [...(failed ? [{ says: summary, ids: [] }] : []), ...overwrittenFindings(ran)],
    output: result.tail,
    passed: {
      summary: passedLine({ strength: "exit-code", seconds: execSeconds(result) }),
      commit: candidate.commit,
      strength: "exit-code",
    },
  };
}
