import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isWithin, realPath } from "../../adapters/sandbox/mounts/real-path.ts";
import { secretFile, unfitSecret, unfitSecretFile } from "../../adapters/secrets/secrets.ts";
import { hasSecrets, programWord } from "../../domain/batch/check-secrets.ts";
import { type Argv, prepareCommand } from "../../domain/batch/prepare-command.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import type { SecretSpec } from "../../domain/batch/secret-spec.ts";
import { stepName } from "../../domain/batch/step-spec.ts";
import { plainText, plural } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { repositoryOf } from "./outside-repositories.ts";

/** Where paths of secrets start, and what their commands are given. */
export interface SecretContext {
  /** The batch file's folder. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The part of a batch that says what agents may write. */
export type ProgramRules = Pick<Batch, "repos" | "sandboxPolicy">;

/** The files that hold secrets of a batch: no sandbox shows them. */
export function filesOfSecrets({ secrets = {} }: Batch, context: SecretContext): readonly string[] {
  return Object.values(secrets).flatMap(({ file }) => (file === undefined ? [] : [secretFile(file, context)]));
}

/**
 * The reason why the program of a command may not get a secret, with every link followed; undefined if it may. It must be a file
 * of the batch's folder that no repository holds and no sandbox can write.
 */
export function programProblem(
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
