import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, normalize, resolve } from "node:path";
import type { ModelApi, ModelCredential, ModelUpstream, Price } from "@loopdash/model-gateway";
import { Prices } from "@loopdash/model-gateway/server";
import type { AgentProgram } from "../../adapters/agent/agent-program.ts";
import { createCommandAgent } from "../../adapters/agent/command-agent.ts";
import type { GuardProgram } from "../../adapters/agent/guard-files.ts";
import type { Login, LoginOptions } from "../../adapters/agent/logins/login.ts";
import type { Accounts, ModelAgentOptions } from "../../adapters/agent/model-agent.ts";
import { gatewayPlatform, pricesOn } from "../../adapters/agent/platform.ts";
import { loadProgram } from "../../adapters/agent/registry.ts";
import { resolveProgram } from "../../adapters/executor/resolve-program.ts";
import { type BatchPaths, namedFiles } from "../../adapters/sandbox/named-files.ts";
import {
  type AgentSpec,
  allAccounts,
  PARTY_NAMES,
  type Party,
  type ReviewerSpec,
  usesLogin,
  type VendorAgentSpec,
  type VendorSpec,
} from "../../domain/batch/party.ts";
import { platformModel, platformUrl } from "../../domain/batch/platform-spec.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Secrets } from "../../ports/secrets.ts";

/** Everything that an agent needs besides the batch. */
export interface AgentSurroundings {
  readonly executor: Executor;
  /** The allow-listed environment of every child. */
  readonly env: Readonly<Record<string, string>>;
  /** The engine's own environment, which holds the keys. */
  readonly keys: NodeJS.ProcessEnv;
  /** The batch's secrets, for the accounts whose key is one of them. */
  readonly secrets?: Pick<Secrets, "get" | "renew"> | undefined;
  /** The path of the agent's program, from `findAgent`. */
  readonly program: string;
  /** The program of the guard; absent for agents without one. */
  readonly guard?: GuardProgram;
  /** Called with each token of a login before it is used. */
  readonly learn?: LoginOptions["learn"] | undefined;
}

/** Creates the agent of a batch. A vendor's adapter is loaded only if the batch uses it. */
export async function agentOf(
  { agent, limits }: Pick<Batch, "agent" | "limits">,
  agentSurroundings: AgentSurroundings,
): Promise<Agent> {
  const { executor, env, program, guard } = agentSurroundings;
  if (agent.kind === "command") {
    const price = agent.usdPerAttempt === undefined ? {} : { usdPerAttempt: agent.usdPerAttempt };
    const files = agent.command.slice(1).filter((word) => isAbsolute(word) && existsSync(word));
    return createCommandAgent({ argv: agent.command, files, executor, env, ...price, guard });
  }
  const { createModelAgent } = await import("../../adapters/agent/model-agent.ts");
  return createModelAgent(await accountOptions(agent, { ...agentSurroundings, program, executor, env }, limits.usdPerAttempt));
}

/** The options for each account of a vendor's program. */
export async function accountOptions(
  spec: VendorAgentSpec,
  agentSurroundings: AgentSurroundings,
  usd: number,
  who: Party = "agent",
): Promise<Accounts> {
  const { executor, env, program, guard } = agentSurroundings;
  const optionsOf = async (account: VendorAgentSpec): Promise<ModelAgentOptions> => ({
    ...(await modelOptions(account, agentSurroundings, usd, who)),
    ...{ program, executor, env },
    ...(guard && { guard }),
  });
  const [own, ...others] = await Promise.all(allAccounts(spec).map(optionsOf));
  return [own ?? (await optionsOf(spec)), ...others];
}

/** The options for a vendor's program. `usd` is the most that one run of it may cost; `who` names it in messages. */
export async function modelOptions(
  agent: VendorAgentSpec,
  agentSurroundings: Pick<AgentSurroundings, "keys"> & Partial<Pick<AgentSurroundings, "secrets" | "program" | "learn">>,
  usd: number,
  who: Party = "agent",
): Promise<Omit<ModelAgentOptions, "program" | "executor" | "env">> {
  const kind = await loadProgram(agent.kind);
  const login = await loginOf(agent, agentSurroundings);
  const { keys } = agentSurroundings;
  const { model, effort, turns, platform } = agent;
  const baseUrl = apiUrlOf(agent, kind);
  const upstream: Omit<ModelUpstream, "capUsd" | "api"> = {
    baseUrl,
    ...(login === undefined
      ? { credential: credentialOf(agent, kind, agentSurroundings, who) }
      : await loginUpstream(login, { api: kind.subscription?.api, baseUrl, env: keys })),
    prices: [...pricesIn(agent), ...(platform === undefined ? kind.prices : pricesOn(platform, kind.prices))],
    ...(platform === undefined || model === undefined ? {} : { platform: gatewayPlatform(platform, platformModel(model)) }),
    ca: baseUrl.startsWith("https:") ? await authoritiesIn(keys) : undefined,
  };
  assertPriced(kind, { model, platform, prices: upstream.prices, who });
  return { kind, upstream, baseUrl, usdPerAttempt: usd, billing: agent.billing, login, model, platform, effort, turns };
}

/** The URL of an account's API: its own, that of its platform, or its vendor's. */
export function apiUrlOf(account: VendorSpec, kind: Pick<AgentProgram, "baseUrl" | "subscription">): string {
  if (account.baseUrl !== undefined) return account.baseUrl;
  if (account.platform !== undefined) return platformUrl(account.platform);
  return usesLogin(account) ? (kind.subscription?.baseUrl ?? kind.baseUrl) : kind.baseUrl;
}

/** The key that the gateway adds: from a variable, or from a secret of the batch. A platform takes each as a token. */
function credentialOf(
  spec: VendorAgentSpec,
  { keyHeader }: AgentProgram,
  { keys, secrets }: Pick<AgentSurroundings, "keys" | "secrets">,
  who: Party,
): ModelCredential {
  const header = spec.billing === "subscription" || spec.platform !== undefined ? "bearer" : keyHeader;
  const { apiKeySecret: name } = spec;
  if (name === undefined) return { header, value: () => keyOf(spec, keys, who) };
  if (secrets === undefined) throw new TypeError(`the batch has no secret "${name}"`);
  return { header, value: () => secrets.get(name), renew: (refused) => secrets.renew(name, refused) };
}

/** The login of an account; undefined if the account has a key. */
export async function loginOf(
  account: VendorAgentSpec | VendorSpec,
  {
    keys,
    program = account.kind,
    learn,
  }: Pick<AgentSurroundings, "keys"> & Partial<Pick<AgentSurroundings, "program" | "learn">>,
): Promise<Login | undefined> {
  if (!usesLogin(account)) return undefined;
  const { openLogin } = await import("../../adapters/agent/logins/open-login.ts");
  return openLogin(account.kind, {
    ...{ env: keys, programPath: program, tokenUrl: account.loginUrl, learn },
    ca: await authoritiesIn(keys),
  });
}

/** The certificate authorities of this machine. Loaded on demand: an agent that is a command needs no TLS. */
async function authoritiesIn(env: NodeJS.ProcessEnv): Promise<string> {
  return (await import("./trusted-authorities.ts")).trustedAuthorities(env);
}

/** What the gateway adds to the requests of an account with a login. Google bills a project, which it names for the login. */
async function loginUpstream(
  login: Login,
  { api, baseUrl, env }: { readonly api: ModelApi | undefined; readonly baseUrl: string; readonly env: NodeJS.ProcessEnv },
): Promise<Pick<ModelUpstream, "credential" | "codeAssist">> {
  const credential: ModelCredential = {
    header: "bearer",
    value: () => login.value(),
    renew: (refused) => login.renew(refused),
    headers: () => login.headers(),
  };
  if (api !== "code-assist") return { credential };
  const { createCodeAssist } = await import("../../adapters/agent/logins/code-assist.ts");
  return { credential, codeAssist: createCodeAssist({ login, baseUrl, env, ca: await authoritiesIn(env) }) };
}

/** The batch's prices for a program's models. */
export function pricesIn(spec: AgentSpec | ReviewerSpec): readonly Price[] {
  if (spec.kind === "command") return [];
  return spec.prices.map(({ maxOutput, ...price }) => ({ ...price, maxOutput }));
}

/**
 * A model without a price counts as all the remaining money, so its second request would be refused. Only names that the program
 * passes on unchanged can be checked here. Throws a UserError (exit 4).
 */
function assertPriced(
  { handsOn }: AgentProgram,
  options: Pick<VendorAgentSpec, "model" | "platform"> & { readonly prices: readonly Price[]; readonly who: Party },
): void {
  const { model, platform, prices, who } = options;
  const isNamedModel = platform !== undefined || (model !== undefined && handsOn?.(model) === true);
  if (model === undefined || !isNamedModel || new Prices(prices).of(platformModel(model)) !== undefined) return;
  throw new UserError({
    what: `no price is known for the ${PARTY_NAMES[who]}'s model "${model}"`,
    why: "what it costs would count as all the money that one attempt may cost",
    todo: `Say what it costs in ${who}.prices.`,
    exitCode: EXIT.refused,
  });
}

/** The key that the engine adds to requests. Throws a UserError (exit 4) if its variable is not set. */
export function keyOf({ apiKeyEnv }: Pick<VendorAgentSpec, "apiKeyEnv">, env: NodeJS.ProcessEnv, who: Party = "agent"): string {
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  if (key !== undefined && key.trim() !== "") return key.trim();
  throw new UserError({
    what: `the key for the ${PARTY_NAMES[who]}'s model is missing`,
    why: `${who}.apiKeyEnv names ${apiKeyEnv}, and that variable is not set`,
    todo: `Set ${apiKeyEnv} in the environment that loopdash is started from. No agent will see it.`,
    exitCode: EXIT.refused,
  });
}

/** The path of the agent's program, as a child would find it. Throws a UserError (exit 4) if there is none. */
export async function findAgent(
  agent: AgentSpec | ReviewerSpec,
  { folder, path }: { readonly folder: string; readonly path: string },
  who: Party = "agent",
): Promise<string> {
  const [program, key] =
    agent.kind === "command" ? [agent.command[0] as string, `${who}.command`] : [agent.program ?? agent.kind, `${who}.program`];
  const found = await resolveProgram(program, { cwd: folder, path });
  if (found !== undefined) return found;
  const where = program.includes("/")
    ? existsSync(resolve(folder, program))
      ? "it is there, and not executable (chmod +x)"
      : "there is no such file"
    : `none of the ${path.split(delimiter).length} folders of PATH has it`;
  const todo = `Install the program, or name it by its full path in ${key}.`;
  throw new UserError({
    what: `the ${PARTY_NAMES[who]} program "${program}" is not found`,
    why: where,
    todo,
    exitCode: EXIT.refused,
  });
}

/**
 * Files and folders that the agent needs and that may be in a hidden place (the home): those that its command names; for a
 * vendor's program, its package and the packages beside it that it needs.
 */
export function filesOfAgent(agent: AgentSpec | ReviewerSpec, program: string, places: BatchPaths): readonly string[] {
  if (agent.kind === "command") {
    const { read, unshown } = namedFiles(agent.command, places);
    const isUnshown = (word: string) => unshown.some(({ path }) => path === word);
    const words = agent.command.slice(1).filter((word) => isAbsolute(word) && existsSync(word) && !isUnshown(normalize(word)));
    return [...new Set([...words, ...read])];
  }
  const real = realpathSync(program);
  const packages = real.indexOf("/node_modules/");
  return packages < 0 ? [dirname(real)] : [`${real.slice(0, packages)}/node_modules`];
}
