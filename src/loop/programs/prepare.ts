import { join } from "node:path";
import { type BlockedConnection, blockedRemedy } from "@loopdash/model-gateway";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import { type CommandWithVariables, prepareCommand } from "../../domain/batch/prepare-command.ts";
import { PREPARE_STEP } from "../../domain/batch/step-spec.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { Confinement, ExecResult } from "../../ports/executor.ts";
import type { SecretLeak } from "../../ports/secrets.ts";
import type { Repo } from "../../ports/vcs.ts";
import { copyFiles } from "./copy-files.ts";
import { GitFolders } from "./git-folder.ts";
import { nestedGitEvidence } from "./nested-git.ts";
import { changedIdentities, findProtected, findShadows, type Made, readIdentities, TooMuchPrepared } from "./overwritten.ts";
import { prepareFolder, type ToPrepare } from "./prepared.ts";
import { behindLinks, changedFiles, differingFiles, onTheWayTo, protectedBy, protectedFiles } from "./protected-files.ts";
import { commandFailure, retryTransient } from "./retry-transient.ts";
import { causeIn, commandEvidence, resolveVariables, runIn, thinActivity } from "./run-in.ts";
import type { ProgramContext, StepScope } from "./scope.ts";

const NOTHING_MADE: Made = { files: [], links: [] };
const ALLOW = 'To allow this, name the file in "writes" of the step.';
/** Paths in one piece of evidence, at most. */
const MOST_TOLD = 100;

/**
 * Prepares a pristine checkout. Ensures that protected files, and committed ones that the result depends on, are the same
 * afterwards (P2): prepare commands run the change's own code, and nobody reads the files that they make.
 */
export async function prepare(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  path: string,
  {
    kept,
    log,
    name,
    commit,
    base,
    confinement,
    writes,
    files,
    pristine,
  }: {
    readonly log: string;
    /** The step's name. */
    readonly name: string;
    readonly commit: string;
    /** The commit whose attributes decide how files are checked out. */
    readonly base: string;
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
  const identities = await readIdentities(path, kept);
  const run = runPrepare(ctx, `${log}-prepare`);
  const failed = await prepareFolder(ctx, scope, repo, { cwd: path, commit, base, name, confinement, run });
  if (failed !== undefined) return failed;
  const changed = await changedFiles(path, before);
  if (changed.length > 0) return changedByPrepare("changed a protected file", changed, []);
  // For protected folders, not files that are protected by name only: npm installs next to each package.json of a workspace.
  const isProtected = protectedBy(ctx.batch.protect);
  const folders = new Set([...before.keys()].flatMap(foldersAbove).filter((folder) => isProtected(`${folder}/any name`)));
  const mayWrite = protectedBy(writes);
  const wanted = { isProtected: byName(ctx.batch.protect, folders), isOnTheWay: onTheWayTo(ctx.batch.protect) };
  const found = ctx.batch.protect.length === 0 ? NOTHING_MADE : await findProtected(path, wanted, files).catch(tooMuch);
  if ("step" in found) return found;
  const made = found.files.filter((each) => !mayWrite(each));
  if (made.length > 0) return changedByPrepare("created a protected file", made, [ALLOW]);
  const links = found.links.filter((each) => !mayWrite(each));
  if (links.length > 0) return changedByPrepare("created a link to a folder that may hold protected files", links, [ALLOW]);
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

/** The evidence against a preparation that left more than can be looked through. */
function tooMuch(error: unknown): Evidence {
  if (!(error instanceof TooMuchPrepared)) throw error;
  return { step: "prepare", name: "prepare", summary: `preparing the checkout left ${error.message}`, detail: "" };
}

/**
 * Tells whether a new file is protected by its name. A protected folder may get files that nothing loads: a glob that covers one
 * of these folders as a whole does not count in it, but the others do.
 */
function byName(protect: readonly string[], folders: ReadonlySet<string>): (path: string) => boolean {
  const isProtected = protectedBy(protect);
  const globs = protect.map((glob) => protectedBy([glob]));
  return (path) => {
    if (!isProtected(path)) return false;
    const around = foldersAbove(path).filter((folder) => folders.has(folder));
    return globs.some((covers) => covers(path) && !around.some((folder) => covers(`${folder}/any name`)));
  };
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

/**
 * Makes an attempt's worktree ready. Gives the evidence of the first prepare command that fails, also after a retry. No agent has
 * worked there yet, so a failure is reported as one of the base, unless the worktree holds work of an earlier attempt: then `commit` is
 * not `base`.
 */
export async function prepareWorktree(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  { cwd, commit, base = commit, confinement }: Pick<ToPrepare, "cwd" | "commit" | "confinement"> & { readonly base?: string },
): Promise<Evidence | undefined> {
  const { failed, remedy } = await prepareBase(ctx, scope, repo, { cwd, commit, base, confinement });
  if (failed === undefined || commit !== base) return failed;
  const blocked = remedy === undefined ? {} : ({ blocked: true } as const);
  scope.announce({ type: "prepare-failed", base: commit, summary: [failed.summary, remedy ?? []].flat().join(". "), ...blocked });
  return failed;
}

/** The same without a word about the base. `remedy`: what to do about a connection that the sandbox blocked, if it was that. */
export async function prepareBase(
  ctx: ProgramContext,
  scope: StepScope,
  repo: Repo,
  { cwd, commit, base = commit, confinement }: Pick<ToPrepare, "cwd" | "commit" | "confinement"> & { readonly base?: string },
): Promise<{ readonly failed?: Evidence; readonly remedy?: string }> {
  const turn = { step: PREPARE_STEP, name: "prepare", rest: (idle: () => Promise<void>) => idle() };
  const toPrepare = { cwd, commit, base, name: "worktree", confinement, run: runPrepare(ctx, OWN_LOG) };
  const blocked: BlockedConnection[] = [];
  const announce: StepScope["announce"] = (fact) => {
    if (fact.type === "connection-blocked") blocked.push(fact);
    return scope.announce(fact);
  };
  const unprepared = await prepareFolder(ctx, { ...scope, turn, announce }, repo, toPrepare);
  const failed = unprepared ?? (await copyFiles(ctx, repo.id, cwd, "agent"));
  const [first] = blocked;
  return { failed, remedy: first && blockedRemedy(first) };
}

/** The log of a worktree's preparation. */
const OWN_LOG = "prepare";

const PREPARE = { step: "prepare", name: "prepare" } as const;

/**
 * Runs prepare commands in a folder; each has one retry after a transient. Gives the evidence of the first that fails. Commands
 * with secrets find the git folder as it was, and so do those that use a checkout afterwards.
 */
function runPrepare(ctx: ProgramContext, log: string): ToPrepare["run"] {
  return async (scope, cwd, confinement) => {
    const commands = (ctx.batch.repos[scope.ticket.repo]?.prepare ?? []).map(prepareCommand);
    const git = await GitFolders.save(gitFolders({ cwd, confinement }), (folder) => ctx.files.remove(folder));
    try {
      for (const command of commands) {
        const failed =
          (await refuseNestedGit(git, command, cwd)) ?? (await runOne(ctx, scope, command, { cwd, log, confinement }));
        if (failed !== undefined) return failed;
      }
      // An agent may keep what the commands have set in its own worktree, such as hooks.
      if (log !== OWN_LOG) await git.restore();
      return undefined;
    } finally {
      await git.forget();
    }
  };
}

/** Puts git folders back for a command with a secret. Gives the evidence against a checkout with a repository inside it. */
async function refuseNestedGit(git: GitFolders, { env = {} }: CommandWithVariables, cwd: string): Promise<Evidence | undefined> {
  if (!hasSecrets(env)) return undefined;
  await git.restore();
  return nestedGitEvidence(cwd, "with the secret of a prepare command", PREPARE);
}

/**
 * The git folders that a prepare command can write: a checkout's own, or the one that a worktree's agent gets. Their copies lie
 * beside what is shown in the sandbox.
 */
function gitFolders({ cwd, confinement }: Pick<Place, "cwd" | "confinement">) {
  const own = confinement?.mounts.filter(({ isGit }) => isGit === true).map(({ from }) => from) ?? [];
  return [{ from: join(cwd, ".git"), copy: `${cwd}.git-as-made` }, ...own.map((from) => ({ from, copy: `${from}-as-made` }))];
}

interface Place {
  readonly cwd: string;
  readonly log: string;
  readonly confinement: Confinement | undefined;
}

async function runOne(
  ctx: ProgramContext,
  scope: StepScope,
  command: CommandWithVariables,
  place: Place,
): Promise<Evidence | undefined> {
  const { command: argv, env = {} } = command;
  const { minutesPerPrepare: minutes, prepareSilenceMinutes: silenceMinutes } = ctx.batch.limits;
  if (place.log === OWN_LOG) scope.announce({ type: "prepare-started", command: plainText(argv.join(" "), 200) });
  const activity = thinActivity(ctx.clock, (text, lines) => scope.announce({ type: "activity", text, lines }));
  const toRun = { ...place, argv, minutes, silenceMinutes, endIfBlocked: true, onLine: activity.line };
  const result = await retryTransient(ctx, scope, {
    run: async () => runIn(ctx, scope, { ...toRun, env: await resolveVariables(ctx, scope, command) }),
    failure: (ended) => commandFailure("prepare", ended),
  }).finally(activity.end);
  if (result.ending !== "exited" || result.exitCode !== 0) return withCause(commandEvidence(PREPARE, argv, result), result);
  // Later commands, agents and checks read what this one made.
  const leak = hasSecrets(env) ? await ctx.stepSecrets?.findLeak(writtenBy(ctx, place), env) : undefined;
  return leak === undefined ? undefined : leakEvidence(argv, leak, place);
}

/** A blocked connection is the cause, and is told already. */
function withCause(evidence: Evidence, { tail, blocked = [] }: ExecResult): Evidence {
  const cause = blocked.length > 0 ? "" : causeIn(tail);
  return cause === "" ? evidence : { ...evidence, summary: `${evidence.summary}: ${cause}` };
}

/** The folders that a prepare command can write and that others see, without those that the batch opens to all. */
function writtenBy({ batch }: Pick<ProgramContext, "batch">, { cwd, confinement }: Place): readonly string[] {
  const { mounts = [], write = [] } = confinement ?? {};
  const forAll = new Set(batch.sandboxPolicy?.write ?? []);
  const mounted = mounts.filter((mount) => mount.write).map(({ from }) => from);
  return [...new Set([cwd, ...mounted, ...write.filter((path) => !forAll.has(path))])];
}

function leakEvidence(argv: readonly string[], { secret, path, unreadable }: SecretLeak, { cwd }: Place): Evidence {
  const command = plainText(argv.join(" "), 200);
  const shown = plainText(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path, 200);
  const summary =
    unreadable === undefined
      ? `after ${command}, the secret "${secret}" is in ${shown}, which agents and their code read`
      : `after ${command}, ${shown} cannot be searched for the secret "${secret}" (${unreadable})`;
  const todo = "A program that gets a secret must leave it in no file: no configuration, cache, log or address of a repository.";
  return { ...PREPARE, summary, detail: todo };
}
