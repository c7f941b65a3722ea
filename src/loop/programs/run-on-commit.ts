import { isAbsolute, join } from "node:path";
import type { Argv } from "../../domain/batch/argv.ts";
import { ARTIFACTS } from "../../domain/batch/report-location.ts";
import { isUnsandboxed, PREPARE_STEP, type StepSpec, stepName } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { boundedTail } from "../../domain/values/bounded-text.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecRequest, ExecResult } from "../../ports/executor.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import type { ResultsReading } from "../../ports/test-results.ts";
import type { Repo } from "../../ports/vcs.ts";
import { awaitReport } from "./await-report.ts";
import { confineCommand, opened, placeOf, withCommandFiles } from "./confine.ts";
import type { ProgramContext } from "./context.ts";
import { howItEnded } from "./output.ts";
import { changedIdentities, findShadows, identitiesOf } from "./overwritten.ts";
import { behindLinks, changedFiles, differingFiles, protectedBy, protectedFiles } from "./protected-files.ts";
import { failureOf, retryTransient } from "./retry-transient.ts";
import { AttemptOver, abortedEnd, type StepScope } from "./scope.ts";
import { type CheckFolders, checkFolders, keptFiles, type SealedCheckout, sealCheckout } from "./sealed-checkout.ts";

export type CommandStep = Extract<StepSpec, { step: "check" | "verify" }>;

/** Takes a command's output; see ExecRequest. */
type TakesOutput = Pick<ExecRequest, "onLine" | "lineChars">;

/** Paths of files in one command line, and the minutes that it may take. */
const MOST_ARGUMENTS = 500;
const LOOK_MINUTES = 1;
const ALLOW = 'To allow this, name the file in "writes" of the step.';
/** Paths in one piece of evidence, at most. */
const MOST_TOLD = 100;

/** A command to run on a commit. */
interface CommitCommand {
  readonly step: CommandStep;
  readonly commit: string;
  /** The commit whose attributes decide how files are checked out, never the checked one: it would decide over itself. */
  readonly attributesOf: string;
  readonly log: string;
  readonly output?: TakesOutput;
  readonly plant?: (checkout: string) => Promise<void>;
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
 * Everything is removed afterwards. `output` takes the command's output, unless that is its report. `plant` adds files to the
 * prepared checkout.
 */
export async function runOnCommit(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  command: CommitCommand,
): Promise<CommandOutcome> {
  const { step, commit, attributesOf, log } = command;
  const room = ctx.files.checkoutPath(scope.ticket.id, step.name);
  const folders = checkFolders(room);
  try {
    await ctx.files.makeFolder(room);
    await repo.checkout({ commit, path: folders.checkout, attributesOf });
    const files = await repo.files(commit);
    const pristine = (path: string) => repo.checkout({ commit, path, attributesOf });
    const place = placeOf(ctx, repo, folders.checkout);
    const shown = { from: folders.checkout, at: place, write: true };
    const confinement = opened(ctx, confineCommand(ctx, repo, { mounts: [shown] }), "prepare");
    const { writes = [] } = step;
    const kept = keptFiles(ctx, { files, writes });
    const broken = await prepare(ctx, scope, folders.checkout, { log, confinement, files, kept, writes, pristine });
    if (broken !== undefined) return { ok: false, evidence: { ...broken, step: step.step, name: stepName(step) } };
    await command.plant?.(folders.checkout);
    for (const folder of Object.values(folders)) await ctx.files.makeFolder(folder);
    const report = step.step === "check" ? step.report?.path : undefined;
    // Only its command runs outside: the change's own prepare commands have run in the sandbox.
    const as = isUnsandboxed(step) ? { ...ctx, confined: false } : ctx;
    const sealed = await sealCheckout(as, repo, { folders, files, writes, ...(report === undefined ? {} : { report }) });
    return await runSealed(ctx, scope, command, { folders, sealed });
  } finally {
    await ctx.files.remove(room);
  }
}

async function runSealed(
  ctx: ProgramContext,
  scope: StepScope,
  { step, log, output }: CommitCommand,
  { folders, sealed }: { readonly folders: CheckFolders; readonly sealed: SealedCheckout },
): Promise<CommandOutcome> {
  const { checkout, artifacts } = folders;
  const argv = step.command.map((word) => word.replaceAll(ARTIFACTS, sealed.artifacts)) as [string, ...string[]];
  const [program] = argv;
  const own = program.includes("/") && !isAbsolute(program);
  const noProgram = own && !(await ctx.files.exists(join(checkout, program)));
  const spec = step.step === "check" ? step.report : undefined;
  const roots = [checkout, artifacts, sealed.place, sealed.artifacts];
  const written = { checkout: sealed.written, artifacts: sealed.writtenArtifacts };
  const report = await awaitReport(ctx.testReports, spec, { checkout, artifacts, written, roots });
  const confinement = opened(ctx, sealed.confinement, step.name);
  const minutes = step.minutes ?? ctx.batch.limits.minutesPerAttempt;
  const result = await runIn(ctx, scope, {
    ...{ argv, cwd: checkout, log, minutes, confinement },
    env: artifactsVariable(step, sealed.artifacts),
    ...(report?.onLine === undefined ? output : { onLine: report.onLine }),
  });
  const overwritten = await sealed.overwritten((paths) => lacking(ctx, scope, { paths, cwd: checkout, confinement, log }));
  const reading = await report?.read();
  return { ok: true, result, noProgram, overwritten, ...(reading === undefined ? {} : { reading }) };
}

/**
 * LOOPDASH_ARTIFACTS, for a command that must leave a report there and does not get the folder as an argument. Any other command
 * finds nothing in its environment that reveals a check (adversary case F3).
 */
function artifactsVariable({ command, ...step }: CommandStep, artifacts: string): Readonly<Record<string, string>> {
  const isNeeded = step.step === "check" && step.report?.path.startsWith(ARTIFACTS) === true;
  return isNeeded && !command.some((word) => word.includes(ARTIFACTS)) ? { LOOPDASH_ARTIFACTS: artifacts } : {};
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

/**
 * Prepares a pristine checkout. Ensures that protected files, and committed ones that the result depends on, are the same
 * afterwards (P2): prepare commands run the change's own code, and nobody reads the files that they make.
 */
async function prepare(
  ctx: ProgramContext,
  scope: StepScope,
  path: string,
  {
    kept,
    log,
    confinement,
    writes,
    files,
    pristine,
  }: {
    readonly log: string;
    readonly confinement: Confinement | undefined;
    /** The commit's files, and those of them that its result depends on. */
    readonly files: readonly string[];
    readonly kept: readonly string[];
    readonly writes: readonly string[];
    readonly pristine: (path: string) => Promise<void>;
  },
): Promise<Evidence | undefined> {
  if ((ctx.batch.repos[scope.ticket.repo]?.prepare ?? []).length === 0) return undefined;
  const before = await protectedFiles(path, ctx.batch.protect);
  const identities = await identitiesOf(path, kept);
  const failed = await runPrepare(ctx, scope, path, `${log}-prepare`, confinement);
  if (failed !== undefined) return failed;
  const changed = await changedFiles(path, before);
  if (changed.length > 0) return changedByPrepare("changed a protected file", changed, []);
  // For protected folders, not files that are protected by name only: npm installs next to each package.json of a workspace.
  const isProtected = protectedBy(ctx.batch.protect);
  const folders = new Set([...before.keys()].flatMap(foldersAbove).filter((folder) => isProtected(`${folder}/any name`)));
  const mayWrite = protectedBy(writes);
  const shadows = (await findShadows(path, [...folders], files)).filter((each) => !mayWrite(each));
  if (shadows.length > 0)
    return changedByPrepare("created a file that may be loaded instead of a protected one", shadows, [ALLOW]);
  const linked = await behindLinks(path, kept);
  const touched = linked.length > 0 ? linked : await changedIdentities(path, identities);
  if (touched.length === 0) return undefined;
  const other = `${path}-pristine`;
  await pristine(other);
  const differing = linked.length > 0 ? linked : await differingFiles(path, other, touched);
  if (differing.length === 0) return undefined;
  return changedByPrepare("changed a file of the commit", differing, [ALLOW]);
}

/** The folders above a path, except the top. */
function foldersAbove(path: string): readonly string[] {
  return path
    .split("/")
    .slice(0, -1)
    .map((_, n, parts) => parts.slice(0, n + 1).join("/"));
}

function changedByPrepare(what: string, paths: readonly string[], more: readonly string[]): Evidence {
  const summary = `preparing the checkout ${what}: ${plainText(paths[0] ?? "", 200)}`;
  const detail = [...paths.slice(0, MOST_TOLD).map((each) => plainText(each, 200)), ...more].join("\n");
  return { step: "prepare", name: "prepare", summary, detail };
}

/** Makes an attempt's worktree ready. Gives the evidence of the first prepare command that fails, also after a retry. */
export function prepareWorktree(
  ctx: ProgramContext,
  scope: StepScope,
  cwd: string,
  confinement: Confinement | undefined,
): Promise<Evidence | undefined> {
  const turn = { step: PREPARE_STEP, name: "prepare", rest: (idle: () => Promise<void>) => idle() };
  return runPrepare(ctx, { ...scope, turn }, cwd, "prepare", confinement);
}

/** Runs prepare commands in a folder; each has one retry after a transient. Gives the evidence of the first that fails. */
async function runPrepare(
  ctx: ProgramContext,
  scope: StepScope,
  cwd: string,
  log: string,
  confinement?: Confinement,
): Promise<Evidence | undefined> {
  const minutes = ctx.batch.limits.minutesPerAttempt;
  for (const argv of ctx.batch.repos[scope.ticket.repo]?.prepare ?? []) {
    const result = await retryTransient(ctx, scope, {
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

async function runIn(ctx: ProgramContext, scope: StepScope, toRun: ToRun): Promise<ExecResult> {
  const result = await ctx.executor.run({
    argv: toRun.argv,
    cwd: toRun.cwd,
    env: { ...ctx.commandEnv, ...toRun.env },
    logFile: scope.files.log(toRun.log),
    timeoutMs: toRun.minutes * 60_000,
    signal: scope.signal,
    marker: scope.marker,
    ...(toRun.confinement === undefined ? {} : { confinement: withCommandFiles(ctx, toRun.confinement, toRun.argv) }),
    ...(toRun.onLine === undefined ? {} : { onLine: toRun.onLine }),
    ...(toRun.lineChars === undefined ? {} : { lineChars: toRun.lineChars }),
  });
  // During a stop, a command that was killed or could not start has not failed.
  const byItself = result.ending === "exited" && result.signal === null;
  if (result.ending === "aborted" || (scope.signal.aborted && !byItself)) throw new AttemptOver(abortedEnd(scope));
  return result;
}

/** The evidence of a failed command for the next attempt. */
export function commandEvidence(evidence: Pick<Evidence, "step" | "name">, argv: Argv, result: ExecResult): Evidence {
  const command = plainText(argv.join(" "), 200);
  return { ...evidence, summary: `${command} ${howItEnded(result)}`, detail: boundedTail(result.tail) };
}

/** The duration of a command, in seconds with one decimal. */
export function secondsOf(result: Pick<ExecResult, "durationMs">): string {
  return (result.durationMs / 1000).toFixed(1);
}
