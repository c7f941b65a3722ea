import { isAbsolute, join } from "node:path";
import type { ResultsReading } from "@loopdash/test-evidence/reports";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import { ARTIFACTS } from "../../domain/batch/report-location.ts";
import { isUnsandboxed, type StepSpec, stepName, type WrittenReport } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { expectedSuiteMs, type SuiteFact, type SuitePurpose } from "../../domain/run/suite-fact.ts";
import type { Confinement, ExecResult } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { awaitReport } from "./await-report.ts";
import { confineCommand, opened, sandboxCheckoutPath } from "./confine.ts";
import { copyFiles } from "./copy-files.ts";
import { borrowOutside, nestedGitEvidence } from "./nested-git.ts";
import { type PlantedFile, plantFile } from "./plant-file.ts";
import { prepare } from "./prepare.ts";
import { resolveVariables, runIn, type TakesOutput, type ToRun } from "./run-in.ts";
import type { ProgramContext, StepFact, StepScope } from "./scope.ts";
import { type CheckFolders, checkFolders, keptFiles, type SealedCheckout, sealCheckout } from "./sealed-checkout.ts";

export type CommandStep = Extract<StepSpec, { step: "check" | "verify" }>;

/** Paths of files in one command line, and the minutes that it may take. */
const MOST_ARGUMENTS = 500;
const LOOK_MINUTES = 1;

/** A command to run on a commit. */
export interface CommitCommand {
  readonly step: CommandStep;
  readonly commit: string;
  /** The commit whose attributes decide how files are checked out, never the checked one: it would decide over itself. */
  readonly attributesOf: string;
  readonly log: string;
  /** Its name for people if the step runs its command more than once, such as "planted tests, run 2". */
  readonly part?: string;
  /** The reason for a run of a check; undefined for every other command. */
  readonly purpose: SuitePurpose | undefined;
  /** It runs some of a check's tests alone. */
  readonly isPart?: boolean;
  readonly output?: TakesOutput;
  /** A file that is written into the checkout before the command runs. */
  readonly plant?: PlantedFile | undefined;
}

/** The result of a command, if it ran. */
export type CommandOutcome =
  | {
      readonly ok: true;
      readonly result: ExecResult;
      /** Present if the step names a report. */
      readonly reading?: ResultsReading;
      /** True if its program is a file of the repository which this commit does not have. */
      readonly noProgram: boolean;
      /** Files of the checkout that its result depends on and that it overwrote, even if it put them back. */
      readonly overwritten: readonly string[];
    }
  | { readonly ok: false; readonly evidence: Evidence };

/**
 * Runs a step's command on a commit, in a pristine checkout that no worker could write (P1). The repository's prepare commands
 * run there first. The files that the result depends on are sealed, and a fresh empty folder takes the command's report.
 * Everything is removed afterwards. `output` takes the command's output, unless that is its report.
 */
export async function runOnCommit(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  command: CommitCommand,
): Promise<CommandOutcome> {
  const { step, commit, attributesOf, log } = command;
  // A base is measured beside a candidate.
  const room = ctx.files.checkoutPath(scope.ticket.id, command.purpose === "base" ? `${stepName(step)}-base` : step.name);
  const folders = checkFolders(room);
  try {
    await ctx.files.makeFolder(room);
    await repo.checkout({ commit, path: folders.checkout, attributesOf });
    const files = await repo.files(commit);
    const pristine = (path: string) => repo.checkout({ commit, path, attributesOf });
    const place = sandboxCheckoutPath(ctx, repo, folders.checkout);
    const shown = { from: folders.checkout, at: place, write: true };
    const told = { isTold: true, hasHeaders: true };
    const confinement = opened(ctx, confineCommand(ctx, repo, { mounts: [shown] }), "prepare", told);
    const { writes = [] } = step;
    const kept = keptFiles(ctx, { files, writes });
    const toPrepare = { log, name: stepName(step), commit, base: attributesOf, confinement, files, kept, writes, pristine };
    if ((ctx.batch.repos[scope.ticket.repo]?.prepare ?? []).length > 0) beginPart(ctx, scope, command, "preparing");
    const unprepared = await prepare(ctx, scope, repo, folders.checkout, toPrepare);
    const broken = unprepared ?? (await copyFiles(ctx, repo.id, folders.checkout, "check"));
    if (broken !== undefined) return { ok: false, evidence: { ...broken, step: step.step, name: stepName(step) } };
    if (command.plant !== undefined) await plantFile(folders.checkout, command.plant);
    for (const folder of Object.values(folders)) await ctx.files.makeFolder(folder);
    const report = writtenReport(step)?.path;
    const nested = await nestedGit(ctx, step, folders.checkout);
    if (nested !== undefined) return { ok: false, evidence: nested };
    const { objects } = repo.checkoutView;
    if (isUnsandboxed(step) && objects !== undefined) await borrowOutside(folders.checkout, objects);
    // Only its command runs outside: the change's own prepare commands have run in the sandbox.
    const as = isUnsandboxed(step) ? { ...ctx, confined: false } : ctx;
    const sealed = await sealCheckout(as, repo, { folders, files, writes, report });
    beginPart(ctx, scope, command, "running");
    const outcome = await runSealed(ctx, scope, command, { folders, sealed });
    reportSuite(ctx, scope, command, outcome.result);
    return outcome;
  } finally {
    await ctx.files.remove(room);
  }
}

/** Announces what the step does now, so that no earlier output is taken for it. */
function beginPart(
  ctx: ProgramContext,
  { announce, ticket, train }: StepScope,
  { isPart, part, purpose, step }: CommitCommand,
  doing: "preparing" | "running",
): void {
  const own = doing === "running" ? "" : doing;
  const suite =
    purpose && doing === "running" && isPart !== true ? { repo: ticket.repo, check: stepName(step), purpose } : undefined;
  const expectedMs = suite && expectedSuiteMs(ctx.state(), suite);
  const behind = train?.behind() ?? 0;
  const fact: StepFact = {
    type: "step-part-started",
    part: part === undefined ? own : `${part}: ${doing}`,
    expectedMs,
    train: train?.tickets,
    behind: behind > 0 ? behind : undefined,
  };
  announce(fact);
  train?.announceToOthers(fact);
}

/** Counts a run of a check's command, unless the command could not be started. */
function reportSuite(
  ctx: ProgramContext,
  { ticket, train }: StepScope,
  { isPart, purpose, step }: CommitCommand,
  { durationMs, ending }: ExecResult,
): void {
  if (purpose === undefined || ending === "failed-to-start") return;
  const suite: Omit<SuiteFact, "tickets"> = {
    type: "suite-ran",
    repo: ticket.repo,
    check: stepName(step),
    purpose,
    ms: durationMs,
    isPart: isPart || undefined,
  };
  ctx.report({ ...suite, tickets: train?.tickets ?? [ticket.id] });
}

/** The evidence against a checkout with a repository inside it, for a command with a secret or outside the sandbox. */
async function nestedGit(ctx: ProgramContext, step: CommandStep, checkout: string): Promise<Evidence | undefined> {
  if (step.step !== "verify" || !ctx.confined) return undefined;
  const of = { step: step.step, name: stepName(step) };
  if (isUnsandboxed(step)) return nestedGitEvidence(checkout, "outside the sandbox", of);
  return hasSecrets(step.env) ? nestedGitEvidence(checkout, "with the secret of this command", of) : undefined;
}

async function runSealed(
  ctx: ProgramContext,
  scope: StepScope,
  { step, log, output, purpose }: CommitCommand,
  { folders, sealed }: { readonly folders: CheckFolders; readonly sealed: SealedCheckout },
): Promise<Extract<CommandOutcome, { ok: true }>> {
  const { checkout, artifacts } = folders;
  const argv = step.command.map((word) => word.replaceAll(ARTIFACTS, sealed.artifacts)) as [string, ...string[]];
  const [program] = argv;
  const own = program.includes("/") && !isAbsolute(program);
  const noProgram = own && !(await ctx.files.exists(join(checkout, program)));
  const spec = step.step === "check" ? step.report : undefined;
  const roots = [checkout, artifacts, sealed.place, sealed.artifacts];
  const written = { checkout: sealed.written, artifacts: sealed.writtenArtifacts };
  const report = await awaitReport(ctx.testReports, spec, { checkout, artifacts, written, roots });
  const isVerify = step.step === "verify";
  const shown = sealed.confinement && withReporters(sealed.confinement, report?.found?.reporters);
  const confinement = opened(ctx, shown, step.name, { isTold: isVerify, hasHeaders: isVerify });
  const minutes = step.minutes ?? ctx.batch.limits.minutesPerAttempt;
  const result = await runIn(ctx, scope, {
    ...{ argv, cwd: checkout, log, minutes, confinement, isCheck: purpose !== undefined },
    env: {
      ...artifactsVariable(step, sealed.artifacts),
      ...report?.found?.variables(sealed.artifacts, ctx.commandEnv),
      ...(await stepVariables(ctx, scope, step)),
    },
    ...takesOutput(report, output),
  });
  const overwritten = await sealed.overwritten((paths) => lacking(ctx, scope, { paths, cwd: checkout, confinement, log }));
  const reading = await report?.read();
  return { ok: true, result, noProgram, overwritten, reading };
}

/** A report by the command's output alone is nothing to show. */
function takesOutput(report: Awaited<ReturnType<typeof awaitReport>>, output: TakesOutput | undefined): TakesOutput | undefined {
  const take = report?.onLine;
  if (take === undefined) return output;
  if (report?.found === undefined || output?.onLine === undefined) return { onLine: take };
  const { onLine } = output;
  return {
    ...output,
    onLine(line, stream) {
      take(line, stream);
      onLine(line, stream);
    },
  };
}

/** A confinement in which the command's test runners find the reporters. */
function withReporters(confinement: Confinement, reporters: string | undefined): Confinement {
  return reporters === undefined ? confinement : { ...confinement, read: [...confinement.read, reporters] };
}

/** The batch's own variables for a verify. A check never gets any: it runs the candidate's code. */
async function stepVariables(
  ctx: ProgramContext,
  scope: StepScope,
  step: CommandStep,
): Promise<Readonly<Record<string, string>>> {
  return step.step === "verify" ? resolveVariables(ctx, scope, step) : {};
}

/**
 * LOOPDASH_ARTIFACTS, for a command that must leave a report there and does not get the folder as an argument. Any other command
 * finds nothing in its environment that reveals a check (adversary case F3).
 */
function artifactsVariable(step: CommandStep, artifacts: string): Readonly<Record<string, string>> {
  const isNeeded = writtenReport(step)?.path.startsWith(ARTIFACTS) === true;
  return isNeeded && !step.command.some((word) => word.includes(ARTIFACTS)) ? { LOOPDASH_ARTIFACTS: artifacts } : {};
}

/** The report of a check that its own command writes. */
function writtenReport(step: CommandStep): WrittenReport | undefined {
  return step.step === "check" && step.report?.format !== "found" ? step.report : undefined;
}

/** The files of these that the checkout lacks. Each command line takes as many as fit. */
async function lacking(
  ctx: ProgramContext,
  scope: StepScope,
  options: { readonly paths: readonly string[] } & Pick<ToRun, "cwd" | "confinement" | "log">,
): Promise<readonly string[]> {
  const { paths, cwd, confinement } = options;
  for (let at = 0; at < paths.length; at += MOST_ARGUMENTS) {
    const some = paths.slice(at, at + MOST_ARGUMENTS);
    const argv = ["/bin/ls", "-d", "--", ...some] as const;
    const { exitCode } = await runIn(ctx, scope, { argv, cwd, confinement, log: `${options.log}-layer`, minutes: LOOK_MINUTES });
    if (exitCode !== 0) return some;
  }
  return [];
}
