import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExecutor } from "../../adapters/executor/process-executor.ts";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import { type Argv, type CommandWithVariables, prepareCommand } from "../../domain/batch/prepare-command.ts";
import { blockedRemedy } from "../../domain/run/blocked-fact.ts";
import { UserError } from "../../domain/values/user-error.ts";
import { confineCommand, opened, placeOf, withCommandFiles } from "../../loop/programs/confine.ts";
import { howItEnded, secondsOf } from "../../loop/programs/run-in.ts";
import type { ExecRequest, ExecResult, Executor } from "../../ports/executor.ts";
import { SecretUnavailable } from "../../ports/secrets.ts";
import type { Repo } from "../../ports/vcs.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { confined } from "../engine/loop-context.ts";
import { commandFilesIn } from "../engine/outside-repositories.ts";
import { preflight, type RunEnvironment } from "../engine/preflight.ts";
import { findLeak, type RunSecrets, secretsOf, variablesOf } from "../engine/run-secrets.ts";
import { bad, type CheckResult, ok } from "./check-result.ts";
import { withProbeFolder } from "./probe-folder.ts";

/** Lines of a failed command's output that are shown. */
const SHOWN_LINES = 15;

/**
 * Runs the prepare commands of each repository as a run does: in the sandbox, in a pristine checkout of the base, within the
 * batch's limits. The checkouts are removed afterwards.
 */
export async function checkPrepare(
  loaded: LoadedBatch,
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): Promise<readonly CheckResult[]> {
  const secrets = secretsOf(loaded.batch, { folder: loaded.folder, env: options.env });
  let world: RunEnvironment;
  try {
    world = await preflight(loaded, { ...options, secrets, isLookOnly: true });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("prepare", `${error.what}: ${error.why}`, error.todo)];
  }
  return await withProbeFolder(realpathSync(tmpdir()), async (folder) => {
    const plain = createExecutor(secrets === undefined ? {} : { masker: secrets.masker });
    await secrets?.secrets.preload();
    const executor = world.sandbox === undefined ? plain : await confined(plain, world.sandbox, { folder, secrets });
    const results: CheckResult[] = [];
    for (const [name, { prepare }] of Object.entries(loaded.batch.repos)) {
      const repo = world.repos.get(name);
      if (repo === undefined || prepare.length === 0) continue;
      results.push(...(await prepareOne(executor, { loaded, world, secrets, name, repo, folder: join(folder, name) })));
    }
    return results.length > 0 ? results : [ok("prepare", "no repository of the batch has prepare commands")];
  });
}

interface Preparing {
  readonly loaded: LoadedBatch;
  readonly world: RunEnvironment;
  readonly secrets: RunSecrets | undefined;
  readonly name: string;
  readonly repo: Repo;
  readonly folder: string;
}

/** Stops at the first command that fails, as an attempt does. */
async function prepareOne(executor: Executor, preparing: Preparing): Promise<readonly CheckResult[]> {
  const { loaded, world, name, repo, folder } = preparing;
  const { batch } = loaded;
  const { commandEnv } = world;
  const commit = await repo.baseTip();
  await repo.checkout({ commit, path: folder, attributesOf: commit });
  const ctx = { batch, confined: world.sandbox !== undefined, agentFiles: [], commandFiles: commandFilesIn(world.places) };
  const shown = { from: folder, at: placeOf({ batch, commandEnv }, repo, folder), write: true };
  const confinement = opened(ctx, confineCommand(ctx, repo, { mounts: [shown] }), "prepare", { isTold: true, hasHeaders: true });
  const results: CheckResult[] = [];
  for (const entry of batch.repos[name]?.prepare ?? []) {
    const command = prepareCommand(entry);
    const confined = confinement && withCommandFiles(ctx, confinement, command.command);
    results.push(await runOne(executor, preparing, command, confining(confined)));
    if (results.at(-1)?.status === "bad") break;
  }
  return results;
}

async function runOne(
  executor: Executor,
  { loaded, world, secrets, name, folder }: Preparing,
  command: CommandWithVariables,
  confinement: Pick<ExecRequest, "confinement">,
): Promise<CheckResult> {
  const { batch } = loaded;
  const { command: argv, env = {} } = command;
  const toolchain = world.toolchainPaths.get(name);
  const variables = await variablesFor(command, { loaded, secrets }).catch(whyUnavailable);
  if ("unavailable" in variables) return bad("prepare", `${name}: ${variables.unavailable}`, "See the secrets above.");
  const result = await executor.run({
    argv,
    cwd: folder,
    env: { ...world.commandEnv, ...(toolchain === undefined ? {} : { PATH: toolchain }), ...variables.env },
    logFile: `${folder}.log`,
    timeoutMs: batch.limits.minutesPerPrepare * 60_000,
    silenceMs: batch.limits.prepareSilenceMinutes * 60_000,
    signal: new AbortController().signal,
    marker: `doctor-${folder}`,
    endIfBlocked: true,
    ...confinement,
  });
  const leak = secrets === undefined || !hasSecrets(env) ? undefined : await findLeak(secrets, [folder], env);
  const found = resultOf(name, argv, result);
  if (leak === undefined || found.status === "bad") return found;
  const why = leak.unreadable === undefined ? "is in" : `may be in (${leak.unreadable})`;
  const message = `${name}: ${argv.join(" ")}: the secret "${leak.secret}" ${why} ${leak.path}, which agents would read`;
  return bad("prepare", message, "Let the program leave the value in no file.");
}

async function variablesFor(
  command: CommandWithVariables,
  { loaded, secrets }: Pick<Preparing, "loaded" | "secrets">,
): Promise<{ readonly env: Readonly<Record<string, string>> }> {
  return { env: secrets === undefined ? (command.env ?? {}) : await variablesOf(secrets, command, loaded) };
}

function whyUnavailable(error: unknown): { readonly unavailable: string } {
  if (error instanceof SecretUnavailable) return { unavailable: error.message };
  throw error;
}

function confining(confinement: ExecRequest["confinement"]): Pick<ExecRequest, "confinement"> {
  return confinement === undefined ? {} : { confinement };
}

function resultOf(name: string, argv: Argv, result: ExecResult): CheckResult {
  const command = `${name}: ${argv.join(" ")}`;
  if (result.ending === "exited" && result.exitCode === 0) return ok("prepare", `${command} took ${secondsOf(result)} s`);
  const lines = result.tail.trimEnd().split("\n").slice(-SHOWN_LINES);
  const found = [`${command} ${howItEnded(result)} after ${secondsOf(result)} s`, ...lines].join("\n");
  const [blocked] = result.blocked ?? [];
  return bad("prepare", found, blocked === undefined ? "Run it in a fresh clone to see why." : blockedRemedy(blocked));
}
