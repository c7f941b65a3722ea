import { createMasker, type LearningMasker } from "../../adapters/secrets/masker.ts";
import { searchTree } from "../../adapters/secrets/search-tree.ts";
import { createSecrets } from "../../adapters/secrets/secrets.ts";
import { hasSecrets } from "../../domain/batch/check-secrets.ts";
import type { CommandWithVariables } from "../../domain/batch/prepare-command.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { fillSecrets, secretNames } from "../../domain/batch/secret-spec.ts";
import { plainText } from "../../domain/values/text.ts";
import type { LoopContext } from "../../loop/attempt/context.ts";
import type { Outages } from "../../loop/concurrency/outages.ts";
import { type SecretLeak, type Secrets, SecretUnavailable, type StepSecrets } from "../../ports/secrets.ts";
import { type ProgramRules, programProblem, type SecretContext } from "./secret-sources.ts";

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
