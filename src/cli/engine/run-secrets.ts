import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fillSecrets, SecretUnavailable, secretNames } from "@loopdash/model-gateway";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { createMasker, type LearningMasker } from "../../adapters/secrets/masker.ts";
import { searchTree } from "../../adapters/secrets/search-tree.ts";
import { createSecrets, secretFile, unfitSecret, unfitSecretFile } from "../../adapters/secrets/secrets.ts";
import { hasSecrets, programWord } from "../../domain/batch/check-secrets.ts";
import { type Argv, type CommandWithVariables, prepareCommand } from "../../domain/batch/prepare-command.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import type { SecretSpec } from "../../domain/batch/secret-spec.ts";
import { stepName } from "../../domain/batch/step-spec.ts";
import { plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Outages } from "../../loop/concurrency/outages.ts";
import type { SecretLeak, Secrets, StepSecrets } from "../../ports/secrets.ts";
import { repositoryOf } from "./outside-repositories.ts";

/** The secrets of a run, and what hides them in everything that is written. */
export interface RunSecrets {
  readonly masker: LearningMasker;
  readonly secrets: Secrets;
}

/** The secrets of a batch, none of them fetched yet; undefined if it names none. */
export function secretsOf({ secrets: specs }: Pick<Batch, "secrets">, context: SecretContext): RunSecrets | undefined {
  if (specs === undefined || Object.keys(specs).length === 0) return undefined;
  const masker = createMasker();
  return { masker, secrets: createSecrets({ specs, masker, ...context }) };
}

/** The time for which a program's request waits for its key. Milliseconds: the programs wait longer for an answer. */
const KEY_WAIT_MS = 60_000;

/**
 * The secrets that are keys of models. One that cannot be fetched is an outage: a program at work waits for it, and then its
 * attempt ends and does not count.
 */
export function keySecretsOf(runSecrets: RunSecrets | undefined, outages: Outages): Pick<Secrets, "get" | "renew"> | undefined {
  if (runSecrets === undefined) return undefined;
  const { secrets } = runSecrets;
  const wait = <T>(call: () => Promise<T>) => outages.persist("secret", call, { signal: AbortSignal.timeout(KEY_WAIT_MS) });
  return {
    get: (name) => wait(() => secrets.get(name)),
    renew: (name, refused) => wait(() => secrets.renew(name, refused)),
  };
}

/** Gives secrets to steps, if there are any. Looks again each time whether the program is still one that may have them. */
export function stepSecretsOf(
  runSecrets: RunSecrets | undefined,
  { batch, folder, outages }: { readonly batch: Batch; readonly folder: string; readonly outages: Outages },
): Pick<LoopContext, "stepSecrets"> {
  if (runSecrets === undefined) return {};
  const { secrets } = runSecrets;
  const stepSecrets: StepSecrets = {
    async fetch(texts, signal) {
      const names = namesIn(texts);
      if (names.length > 0) await outages.persist("secret", () => fetchAll(secrets, names), { signal });
    },
    async variables(command, signal) {
      if (!hasSecrets(command.env)) return command.env ?? {};
      return outages.persist("secret", () => variablesOf(runSecrets, command, { batch, folder }), { signal });
    },
    findLeak: (folders, env) => findLeak(runSecrets, folders, env),
  };
  return { stepSecrets };
}

/**
 * The variables of a command with the values of their secrets. Looks again whether its program is one that may have them. Throws a
 * SecretUnavailable.
 */
export async function variablesOf(
  { secrets }: RunSecrets,
  { command, env = {} }: CommandWithVariables,
  place: { readonly batch: ProgramRules; readonly folder: string },
): Promise<Readonly<Record<string, string>>> {
  const problem = hasSecrets(env) ? programProblem(command, place) : undefined;
  if (problem !== undefined) throw new SecretUnavailable(`no secret for ${plainText(command.join(" "), 200)}: ${problem}`);
  const values = await fetchAll(secrets, namesIn(Object.values(env)));
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fillSecrets(value, values)]));
}

/** Finds the first file below these folders that holds a secret of these variables. */
export async function findLeak(
  { masker }: RunSecrets,
  folders: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<SecretLeak | undefined> {
  for (const secret of namesIn(Object.values(env)))
    for (const folder of folders) {
      const found = await searchTree(folder, masker.searchFor([secret]));
      if (found !== undefined) return { secret, ...found };
    }
  return undefined;
}

async function fetchAll(secrets: Secrets, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(names.map(async (name) => [name, await secrets.get(name)] as const)));
}

function namesIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap(secretNames))];
}

/** The folder in which paths of secrets start, and the environment of their commands. */
interface SecretContext {
  /** The batch file's folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The part of a batch that says what agents may write. */
type ProgramRules = Pick<Batch, "repos" | "sandboxPolicy">;

/** The files that hold secrets of a batch: no sandbox shows them. */
export function filesOfSecrets({ secrets = {} }: Batch, context: SecretContext): readonly string[] {
  return Object.values(secrets).flatMap(({ file }) => (file === undefined ? [] : [secretFile(file, context)]));
}

/**
 * The reason why the program of a command may not get a secret, with every link followed; undefined if it may. It must be a file
 * of the batch's folder that no repository holds and no sandbox can write.
 */
function programProblem(
  command: readonly string[],
  { batch, folder }: { readonly batch: ProgramRules; readonly folder: string },
): string | undefined {
  const word = command[programWord(command)] ?? "";
  const real = realPath(word);
  const home = realPath(folder);
  const shown = plainText(word, 200);
  if (real === undefined || home === undefined || !statSync(real).isFile()) return `there is no file ${shown}`;
  if (!isWithin(home, real)) return `${shown} leads out of the batch's folder`;
  const repository = repositoryOf(real, batch.repos);
  if (repository !== undefined) return `${shown} lies in the repository "${repository}", where changes land that agents wrote`;
  const written = (batch.sandboxPolicy?.write ?? []).find((path) => isWithin(realPath(path) ?? path, real));
  return written === undefined ? undefined : `agents may write ${shown}: sandboxPolicy.write opens ${plainText(written, 200)}`;
}

/** One reason for which the secrets of a batch cannot be used, and what to do. */
interface SecretProblem extends SourceProblem {
  readonly what: string;
}

/** Checks everything about secrets that can be known before the start, without fetching one. Throws a UserError (exit 4). */
export function checkSecretSources(batch: Batch, context: SecretContext): void {
  const [first, ...others] = secretProblems(batch, context);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` "loopdash doctor" lists ${plural(others.length, "more problem")} of this kind.`;
  throw new UserError({ ...first, todo: `${first.todo}${more}`, exitCode: EXIT.refused });
}

/** All that `checkSecretSources` would refuse a batch for. */
export function secretProblems(batch: Batch, context: SecretContext): readonly SecretProblem[] {
  const sources = Object.entries(batch.secrets ?? {}).flatMap(([name, spec]) => {
    const problem = sourceProblem(spec, batch, context);
    return problem === undefined ? [] : [{ what: `the secret "${name}" cannot be used`, ...problem }];
  });
  const programs = commandsWithSecrets(batch).flatMap(({ who, command }) => {
    const why = programProblem(command, { batch, folder: context.folder });
    if (why === undefined) return [];
    const todo = 'Keep its program beside the batch file, outside of every repository, and name it as "{batch}/…".';
    return [{ what: `${who} cannot have a secret`, why, todo }];
  });
  return [...sources, ...programs];
}

/** Every command of the batch with a secret in a variable; `who` names it for people. */
function commandsWithSecrets({
  tickets,
  repos,
  reviewer,
  tracker,
}: Batch): readonly { readonly who: string; readonly command: Argv }[] {
  const verifies = tickets.flatMap(({ finish }) =>
    finish.flatMap((step) => (step.step === "verify" ? [{ ...step, who: `the verify "${stepName(step)}"` }] : [])),
  );
  const prepares = Object.entries(repos).flatMap(([id, { prepare }]) =>
    prepare.map((entry) => ({ ...prepareCommand(entry), who: `a prepare command of "${id}"` })),
  );
  const reviewers = reviewer?.kind === "command" ? [{ ...reviewer, who: "the reviewer" }] : [];
  const trackers = tracker.kind === "command" ? [{ ...tracker, who: "the tracker" }] : [];
  return [...prepares, ...verifies, ...reviewers, ...trackers].filter(({ env }) => hasSecrets(env));
}

interface SourceProblem {
  readonly why: string;
  readonly todo: string;
}

function sourceProblem({ env, file, command }: SecretSpec, batch: Batch, context: SecretContext): SourceProblem | undefined {
  if (env !== undefined) {
    const value = context.env[env];
    if (value === undefined || value === "") {
      const todo = `Set ${env} in the environment that loopdash is started from. No agent will see it.`;
      return { why: `${env} is not set`, todo };
    }
    const unfit = unfitSecret(value);
    if (unfit === undefined) return undefined;
    return { why: `${env} ${unfit}`, todo: `Set ${env} to the whole token or password, and to nothing else.` };
  }
  if (file !== undefined) return fileProblem(secretFile(file, context), batch);
  return commandProblem(command ?? [], batch, context);
}

function fileProblem(path: string, batch: Batch): SourceProblem | undefined {
  const shown = plainText(path, 300);
  const real = realPath(path);
  if (real === undefined)
    return {
      why: `${shown} does not exist or cannot be read`,
      todo: "Make it a file that you can read, with only the value in it.",
    };
  const todo = "Keep it elsewhere, for example in ~/.config.";
  const repository = repositoryOf(real, batch.repos);
  if (repository !== undefined) return { why: `${shown} lies in the repository "${repository}", which agents read`, todo };
  const { read = [], write = [] } = batch.sandboxPolicy ?? {};
  const opened = [...read, ...write].find((each) => isWithin(realPath(each) ?? each, real));
  if (opened !== undefined) return { why: `${shown} is readable for agents: sandboxPolicy opens ${opened}`, todo };
  const unfit = unfitSecretFile(real);
  return unfit === undefined ? undefined : { why: `${shown} ${unfit}`, todo: "Write only the value into it." };
}

/** A command runs with the rights of the user, so nothing of it may come from where agents' changes land. */
function commandProblem(command: readonly string[], batch: Batch, { folder }: SecretContext): SourceProblem | undefined {
  const files = command.map((word) => resolve(folder, word)).filter((path) => existsSync(path));
  for (const path of files) {
    const real = realPath(path) ?? path;
    const repository = statSync(real).isFile() ? repositoryOf(real, batch.repos) : undefined;
    if (repository === undefined) continue;
    const why = `its command runs ${plainText(path, 300)} with your rights, and agents' changes land in the repository "${repository}"`;
    return { why, todo: "Keep the program outside of every repository." };
  }
  return undefined;
}
