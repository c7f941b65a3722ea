import { randomUUID } from "node:crypto";
import { isAbsolute, join } from "node:path";
import type { Argv } from "../../domain/batch/argv.ts";
import { ARTIFACTS } from "../../domain/batch/report-place.ts";
import { PREPARE_STEP, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/event.ts";
import { plainText } from "../../domain/text.ts";
import type { ExecRequest, ExecResult } from "../../ports/executor.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import type { ReportReading } from "../../ports/test-report.ts";
import type { Repo } from "../../ports/vcs.ts";
import { AttemptOver, abortedEnd, type OpenAttempt } from "../attempt-scope.ts";
import { boundedTail } from "../bounded.ts";
import { confineJudge, opened } from "../confine.ts";
import type { LoopContext } from "../context.ts";
import { awaitReport } from "./await-report.ts";
import { failureOf, onceMore } from "./hiccup.ts";
import { changedFiles, protectedFiles } from "./protected-files.ts";

export type CommandStep = Extract<StepSpec, { step: "check" | "verify" }>;

/** Takes what a command prints; see ExecRequest. */
type TakesOutput = Pick<ExecRequest, "onLine" | "lineChars">;

/** What a judged command left, where it came to run. */
export type Judged =
  | {
      readonly ok: true;
      readonly result: ExecResult;
      /** Present where the step names a report. */
      readonly reading?: ReportReading;
      /** Its program is a file of the repository which this commit does not have. */
      readonly noProgram: boolean;
    }
  | { readonly ok: false; readonly evidence: Evidence };

/**
 * Runs a step's command on a commit, in a pristine checkout that no worker could write (P1), with the repository's prepare
 * commands run there first, and beside it a fresh empty folder for what it leaves. Both are removed afterwards. `output` takes
 * what the command prints, where its report does not.
 */
export async function judgeCommand(
  ctx: LoopContext,
  scope: OpenAttempt,
  repo: Repo,
  of: { readonly step: CommandStep; readonly commit: string; readonly log: string; readonly output?: TakesOutput },
): Promise<Judged> {
  const { step, commit, log } = of;
  const path = ctx.files.judgePath(scope.ticket.id, step.name);
  // Nobody can know the name before the judgement has begun (adversary case A17).
  const artifacts = ctx.files.judgePath(scope.ticket.id, `${step.name}-${randomUUID()}`);
  try {
    await repo.checkout({ commit, path });
    const broken = await prepare(ctx, scope, path, {
      log,
      confinement: opened(ctx, confineJudge(ctx, repo, [path]), "prepare"),
    });
    if (broken !== undefined) return { ok: false, evidence: { ...broken, step: step.step, name: stepName(step) } };
    await ctx.files.makeFolder(artifacts);
    const folders = { checkout: path, artifacts };
    const argv = step.command.map((word) => word.replaceAll(ARTIFACTS, artifacts)) as [string, ...string[]];
    const program = argv[0];
    const own = program.includes("/") && !isAbsolute(program);
    const noProgram = own && !(await ctx.files.exists(join(path, program)));
    const report = await awaitReport(ctx.reports, step.step === "check" ? step.report : undefined, folders);
    const result = await runIn(ctx, scope, {
      argv,
      cwd: path,
      log,
      minutes: step.minutes ?? ctx.batch.limits.minutesPerAttempt,
      env: { LOOPDASH_ARTIFACTS: artifacts },
      confinement: opened(ctx, confineJudge(ctx, repo, [path, artifacts]), step.name),
      ...(report?.onLine === undefined ? of.output : { onLine: report.onLine }),
    });
    const reading = await report?.read();
    return { ok: true, result, noProgram, ...(reading === undefined ? {} : { reading }) };
  } finally {
    await Promise.all([ctx.files.remove(path), ctx.files.remove(artifacts)]);
  }
}

/** Prepares a pristine checkout, and sees to it that what is protected is afterwards what it was before (P2). */
async function prepare(
  ctx: LoopContext,
  scope: OpenAttempt,
  path: string,
  of: { readonly log: string; readonly confinement: Confinement | undefined },
): Promise<Evidence | undefined> {
  if ((ctx.batch.repos[scope.ticket.repo]?.prepare ?? []).length === 0) return undefined;
  const before = await protectedFiles(path, ctx.batch.protect);
  const failed = await runPrepare(ctx, scope, path, `${of.log}-prepare`, of.confinement);
  if (failed !== undefined) return failed;
  const changed = await changedFiles(path, before);
  if (changed.length === 0) return undefined;
  const summary = `preparing the checkout changed a protected file: ${plainText(changed[0] ?? "", 200)}`;
  return { step: "prepare", name: "prepare", summary, detail: changed.map((each) => plainText(each, 200)).join("\n") };
}

/** Makes an attempt's worktree ready. Gives the evidence of the first prepare command that fails, also where it was tried once more. */
export function prepareWorktree(
  ctx: LoopContext,
  scope: OpenAttempt,
  cwd: string,
  confinement: Confinement | undefined,
): Promise<Evidence | undefined> {
  const turn = { step: PREPARE_STEP, name: "prepare", rest: (idle: () => Promise<void>) => idle() };
  return runPrepare(ctx, { ...scope, turn }, cwd, "prepare", confinement);
}

/** Runs the repository's prepare commands in a folder, once more each that fails by a hiccup. Gives the evidence of the first that fails. */
async function runPrepare(
  ctx: LoopContext,
  scope: OpenAttempt,
  cwd: string,
  log: string,
  confinement?: Confinement,
): Promise<Evidence | undefined> {
  const minutes = ctx.batch.limits.minutesPerAttempt;
  for (const argv of ctx.batch.repos[scope.ticket.repo]?.prepare ?? []) {
    const result = await onceMore(ctx, scope, {
      run: () => runIn(ctx, scope, { argv, cwd, log, minutes, confinement }),
      failure: (ended) => failureOf("prepare", ended),
    });
    if (result.ending !== "exited" || result.exitCode !== 0)
      return commandEvidence({ step: "prepare", name: "prepare" }, argv, result);
  }
  return undefined;
}

interface ToRun extends TakesOutput {
  readonly argv: Argv;
  readonly cwd: string;
  readonly log: string;
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly confinement?: Confinement | undefined;
}

async function runIn(ctx: LoopContext, scope: OpenAttempt, of: ToRun): Promise<ExecResult> {
  const result = await ctx.executor.run({
    argv: of.argv,
    cwd: of.cwd,
    env: { ...ctx.commandEnv, ...of.env },
    logFile: scope.files.log(of.log),
    timeoutMs: of.minutes * 60_000,
    signal: scope.signal,
    marker: scope.marker,
    ...(of.confinement === undefined ? {} : { confinement: of.confinement }),
    ...(of.onLine === undefined ? {} : { onLine: of.onLine }),
    ...(of.lineChars === undefined ? {} : { lineChars: of.lineChars }),
  });
  // In the middle of a stop, one that was killed or could not start has not failed.
  const byItself = result.ending === "exited" && result.signal === null;
  if (result.ending === "aborted" || (scope.signal.aborted && !byItself)) throw new AttemptOver(abortedEnd(scope));
  return result;
}

/** What a failed command leaves for the next attempt. */
export function commandEvidence(of: Pick<Evidence, "step" | "name">, argv: Argv, result: ExecResult): Evidence {
  const command = plainText(argv.join(" "), 200);
  return { ...of, summary: `${command} ${howItEnded(result)}`, detail: boundedTail(result.tail) };
}

/** What a command took, in seconds with one decimal. */
export function secondsOf(result: Pick<ExecResult, "durationMs">): string {
  return (result.durationMs / 1000).toFixed(1);
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
