import { join } from "node:path";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import { type CommandWithVariables, prepareCommand } from "../../domain/batch/prepare-command.ts";
import type { Limits } from "../../domain/batch/schema.ts";
import type { Evidence } from "../../domain/run/attempt-fact.ts";
import { plainText } from "../../domain/values/text.ts";
import type { ExecResult } from "../../ports/executor.ts";
import type { Confinement } from "../../ports/sandbox.ts";
import type { SecretLeak } from "../../ports/secrets.ts";
import type { ProgramContext } from "./context.ts";
import { GitFolders } from "./git-folder.ts";
import { nestedGitEvidence } from "./nested-git.ts";
import { causeIn, thinActivity } from "./output.ts";
import type { ToPrepare } from "./prepared.ts";
import { failureOf, retryTransient } from "./retry-transient.ts";
import { commandEvidence, runIn, variablesOf } from "./run-in.ts";
import type { StepScope } from "./scope.ts";

/** Defaults for batches frozen by an older loopdash, which have neither limit. */
const MINUTES = 15;
const SILENCE_MINUTES = 5;
/** The log of a worktree's preparation. */
export const OWN_LOG = "prepare";

const PREPARE = { step: "prepare", name: "prepare" } as const;

/**
 * Runs prepare commands in a folder; each has one retry after a transient. Gives the evidence of the first that fails. Commands
 * with secrets find the git folder as it was, and so do those that use a checkout afterwards.
 */
export function runPrepare(ctx: ProgramContext, log: string): ToPrepare["run"] {
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
  const { minutesPerPrepare: minutes = MINUTES, prepareSilenceMinutes: silenceMinutes = SILENCE_MINUTES }: Partial<Limits> =
    ctx.batch.limits;
  if (place.log === OWN_LOG) scope.announce({ type: "prepare-started", command: plainText(argv.join(" "), 200) });
  const activity = thinActivity(ctx.clock, (text, lines) => scope.announce({ type: "activity", text, lines }));
  const toRun = { ...place, argv, minutes, silenceMinutes, endIfBlocked: true, onLine: activity.line };
  const result = await retryTransient(ctx, scope, {
    run: async () => runIn(ctx, scope, { ...toRun, env: await variablesOf(ctx, scope, command) }),
    failure: (ended) => failureOf("prepare", ended),
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
