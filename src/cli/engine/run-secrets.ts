import { existsSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { createMasker, type LearningMasker } from "../../adapters/secrets/masker.ts";
import { createSecrets, secretFile, unfitSecret, unfitSecretFile } from "../../adapters/secrets/secrets.ts";
import { programWord } from "../../domain/batch/check-secrets.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { fillSecrets, type SecretSpec, secretNames } from "../../domain/batch/secret-spec.ts";
import { stepName } from "../../domain/batch/step-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Outages } from "../../loop/concurrency/outages.ts";
import { type Masker, type Secrets, SecretUnavailable, type StepSecrets } from "../../ports/secrets.ts";
import type { Repo } from "../../ports/vcs.ts";

/** The secrets of a run, and what hides them in everything that is written. */
export interface RunSecrets {
  readonly masker: LearningMasker;
  readonly secrets: Secrets;
}

/** Where paths of secrets start, and what their commands are given. */
export interface SecretSurroundings {
  /** The batch file's folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The secrets of a batch, none of them fetched yet; undefined if it names none. */
export function secretsOf({ secrets: specs }: Batch, secretSurroundings: SecretSurroundings): RunSecrets | undefined {
  if (specs === undefined || Object.keys(specs).length === 0) return undefined;
  const masker = createMasker();
  return { masker, secrets: createSecrets({ specs, masker, ...secretSurroundings }) };
}

/** The files that hold secrets of a batch: no sandbox shows them. */
export function filesOfSecrets({ secrets = {} }: Batch, secretSurroundings: SecretSurroundings): readonly string[] {
  return Object.values(secrets).flatMap(({ file }) => (file === undefined ? [] : [secretFile(file, secretSurroundings)]));
}

/** Gives secrets to steps, if there are any. Looks again each time whether the program is still one that may have them. */
export function stepSecretsOf(
  runSecrets: RunSecrets | undefined,
  { batch, folder, outages }: { readonly batch: Batch; readonly folder: string; readonly outages: Outages },
): Pick<LoopContext, "stepSecrets"> {
  if (runSecrets === undefined) return {};
  const { secrets } = runSecrets;
  const fetchAll = async (names: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    new Map(await Promise.all(names.map(async (name) => [name, await secrets.get(name)] as const)));
  const stepSecrets: StepSecrets = {
    async fetch(texts, signal) {
      const names = [...new Set(texts.flatMap(secretNames))];
      if (names.length > 0) await outages.persist("secret", () => fetchAll(names), { signal });
    },
    async variables({ command, env = {} }, signal) {
      const entries = Object.entries(env);
      const names = [...new Set(entries.flatMap(([, value]) => secretNames(value)))];
      if (names.length === 0) return env;
      const get = async () => {
        const problem = programProblem(command, { batch, folder });
        if (problem !== undefined) throw new SecretUnavailable(`no secret for ${plainText(command.join(" "), 200)}: ${problem}`);
        return fetchAll(names);
      };
      const values = await outages.persist("secret", get, { signal });
      return Object.fromEntries(entries.map(([name, value]) => [name, fillSecrets(value, values)]));
    },
  };
  return { stepSecrets };
}

/**
 * The reason why the program of a command may not get a secret, with every link followed; undefined if it may. It must be a file
 * of the batch's folder that no repository holds and no sandbox can write.
 */
export function programProblem(
  command: readonly string[],
  { batch, folder }: { readonly batch: Batch; readonly folder: string },
): string | undefined {
  const word = command[programWord(command)] ?? "";
  const real = realPath(word);
  const home = realPath(folder);
  const shown = plainText(word, 200);
  if (real === undefined || home === undefined || !statSync(real).isFile()) return `there is no file ${shown}`;
  if (!isWithin(home, real)) return `${shown} leads out of the batch's folder`;
  const repository = repositoryOf(real, batch);
  if (repository !== undefined) return `${shown} lies in the repository "${repository}", where changes land that agents wrote`;
  const written = (batch.sandboxPolicy?.write ?? []).find((path) => isWithin(realPath(path) ?? path, real));
  return written === undefined ? undefined : `agents may write ${shown}: sandboxPolicy.write opens ${plainText(written, 200)}`;
}

/** The name of the repository that holds a real path. */
function repositoryOf(real: string, { repos }: Batch): string | undefined {
  return Object.entries(repos).find(([, { path }]) => isWithin(realPath(path) ?? path, real))?.[0];
}

/**
 * Checks everything about secrets that can be known before the start, without fetching one. Throws a UserError (exit 4) at the
 * first problem.
 */
export function checkSecretPlaces(batch: Batch, secretSurroundings: SecretSurroundings): void {
  for (const [name, spec] of Object.entries(batch.secrets ?? {})) {
    const problem = sourceProblem(spec, batch, secretSurroundings);
    if (problem === undefined) continue;
    throw new UserError({ what: `the secret "${name}" cannot be used`, ...problem, exitCode: EXIT.refused });
  }
  for (const step of batch.tickets.flatMap(({ finish }) => finish)) {
    if (step.step !== "verify" || Object.values(step.env ?? {}).every((value) => secretNames(value).length === 0)) continue;
    const why = programProblem(step.command, { batch, folder: secretSurroundings.folder });
    if (why === undefined) continue;
    throw new UserError({
      what: `the verify "${stepName(step)}" cannot have a secret`,
      why,
      todo: 'Keep its program beside the batch file, outside of every repository, and name it as "{batch}/…".',
      exitCode: EXIT.refused,
    });
  }
}

interface SourceProblem {
  readonly why: string;
  readonly todo: string;
}

function sourceProblem(
  { env, file, command }: SecretSpec,
  batch: Batch,
  secretSurroundings: SecretSurroundings,
): SourceProblem | undefined {
  if (env !== undefined) {
    const value = secretSurroundings.env[env];
    const unfit = value === undefined || value === "" ? "is not set" : unfitSecret(value);
    if (unfit === undefined) return undefined;
    const todo = `Set ${env} in the environment that loopdash is started from. No agent will see it.`;
    return { why: `${env} ${unfit}`, todo };
  }
  if (file !== undefined) return fileProblem(secretFile(file, secretSurroundings), batch);
  return commandProblem(command ?? [], batch, secretSurroundings);
}

function fileProblem(path: string, batch: Batch): SourceProblem | undefined {
  const shown = plainText(path, 300);
  const real = realPath(path);
  if (real === undefined) return { why: `${shown} does not exist or cannot be read`, todo: "Write the value into it." };
  const todo = "Keep it elsewhere, for example in ~/.config.";
  const repository = repositoryOf(real, batch);
  if (repository !== undefined) return { why: `${shown} lies in the repository "${repository}", which agents read`, todo };
  const { read = [], write = [] } = batch.sandboxPolicy ?? {};
  const opened = [...read, ...write].find((each) => isWithin(realPath(each) ?? each, real));
  if (opened !== undefined) return { why: `${shown} is readable for agents: sandboxPolicy opens ${opened}`, todo };
  const unfit = unfitSecretFile(real);
  return unfit === undefined ? undefined : { why: `${shown} ${unfit}`, todo: "Write the value into it." };
}

/** A command runs with the rights of the user, so nothing of it may come from where agents' changes land. */
function commandProblem(
  command: readonly string[],
  batch: Batch,
  { folder, env }: SecretSurroundings,
): SourceProblem | undefined {
  const [program = ""] = command;
  if (!isProgram(program, { folder, env }))
    return { why: `its program ${plainText(program, 200)} is not found`, todo: "Install it, or name it by its full path." };
  const files = command.map((word) => resolve(folder, word)).filter((path) => existsSync(path));
  for (const path of files) {
    const real = realPath(path) ?? path;
    const repository = statSync(real).isFile() ? repositoryOf(real, batch) : undefined;
    if (repository === undefined) continue;
    const why = `its command runs ${plainText(path, 300)} with your rights, and agents' changes land in the repository "${repository}"`;
    return { why, todo: "Keep the program outside of every repository." };
  }
  return undefined;
}

/** True if a command of this program would find it. */
function isProgram(program: string, { folder, env }: SecretSurroundings): boolean {
  if (program.includes("/")) return existsSync(resolve(folder, program));
  return (env["PATH"] ?? "").split(delimiter).some((place) => isAbsolute(place) && existsSync(join(place, program)));
}

/** The ports through which text of a run is written. */
type WritingPorts = Pick<LoopContext, "files" | "repos" | "report">;

/** The same ports, which mask secrets in facts, files and patches. */
export function maskedPorts(runSecrets: RunSecrets | undefined, { files, repos, report }: WritingPorts): WritingPorts {
  if (runSecrets === undefined) return { files, repos, report };
  const { masker } = runSecrets;
  const masked = ([name, repo]: readonly [string, Repo]): readonly [string, Repo] => [
    name,
    {
      ...repo,
      async writePatch(options) {
        await repo.writePatch(options);
        await maskFile(options.file, masker);
      },
    },
  ];
  return {
    files: { ...files, write: (file, text) => files.write(file, masker.text(text)) },
    repos: new Map([...repos].map(masked)),
    report: (fact) => report(masker.value(fact)),
  };
}

async function maskFile(file: string, masker: Masker): Promise<void> {
  if (!existsSync(file)) return;
  const bytes = await readFile(file);
  const stream = masker.stream();
  const masked = Buffer.concat([stream.push(bytes), stream.end()]);
  if (!masked.equals(bytes)) await writeFile(file, masked);
}
