import { existsSync } from "node:fs";
import { join } from "node:path";
import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import type { BatchPaths } from "../../adapters/sandbox/named-files.ts";
import type { RunGit } from "../../adapters/vcs/git/git-helper.ts";
import {
  allAccounts,
  type Party,
  REVIEWER_PARTIES,
  type ReviewerParty,
  usesLogin,
  type VendorSpec,
} from "../../domain/batch/party.ts";
import type { BatchProblem } from "../../domain/batch/problem.ts";
import type { Batch } from "../../domain/batch/schema.ts";
import { LINT_FILE } from "../../domain/lint/lint-spec.ts";
import { RepoId } from "../../domain/values/ids.ts";
import { settleBoth } from "../../domain/values/settle-both.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import type { BranchTarget } from "../../loop/steps/branch-checks.ts";
import type { PullRequestTarget } from "../../loop/steps/pull-request-scope.ts";
import type { Sandbox } from "../../ports/executor.ts";
import type { Repo } from "../../ports/vcs.ts";
import { stateHome } from "../state-home.ts";
import { findAgent, keyOf } from "./agent-of.ts";
import { checkCommands, refuseMissing } from "./check-commands.ts";
import { checkLogin, filesOfLogins } from "./check-logins.ts";
import { commitsOf } from "./commit-style.ts";
import { findShimDefaults, findToolchains, type ShimDefaults, toolchainPaths, toolchainWarnings } from "./find-toolchains.ts";
import { type LoadedBatch, uninstalledWarnings } from "./load-batch.ts";
import { openBatchRepo } from "./open-batch-repo.ts";
import type { ForgedRepo } from "./open-forge.ts";
import { checkOutsideRepositories, filesOfTracker, pathsOf } from "./outside-repositories.ts";
import { copyProblems, hookWarnings } from "./repository-hooks.ts";
import { checkSecretSources, filesOfSecrets, type RunSecrets } from "./run-secrets.ts";
import { refuseSameBase } from "./same-base.ts";

/** A batch's surroundings, found and opened. */
export interface RunEnvironment {
  /** The sandbox for agents and commands; undefined if the batch wants none or runs without. */
  readonly sandbox: Sandbox | undefined;
  readonly repos: ReadonlyMap<string, Repo>;
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The path of the agent's program. */
  readonly agentProgram: string;
  /** The paths of the reviewers' programs, of those that the batch names. */
  readonly reviewerPrograms: Readonly<Partial<Record<ReviewerParty, string>>>;
  /** The batch's folder, and what of it no command may see. */
  readonly places: BatchPaths;
  /** The PATH of the commands and the agent in a repository whose toolchains PATH does not have first. */
  readonly toolchainPaths: ReadonlyMap<string, string>;
  /** Variables with which version managers obey no file of a checkout, by repository. */
  readonly carefulToolchains: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The pull requests of repositories whose changes land by those, by name. */
  readonly pullRequests: ReadonlyMap<string, PullRequestTarget>;
  /** The checks of branches that decide whether a change has landed, by name of the repository. */
  readonly branchChecks: ReadonlyMap<string, BranchTarget>;
  /** Where changes land, if that is at a forge too; one line for each such repository. */
  readonly landings: readonly string[];
  /** What a start should say about the commands of the batch. */
  readonly warnings: readonly BatchProblem[];
}

/** Where a start looks. */
interface PreflightOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Runs git; default: this process. */
  readonly git?: RunGit | undefined;
  /** The secrets of the batch, for its forges. */
  readonly secrets: RunSecrets | undefined;
  /** True if no branch may be moved: nothing is started. */
  readonly isLookOnly?: true;
}

/** Checks everything that a run will need before anything starts. Throws a UserError (exit 4) at the first missing item. */
export async function preflight(loaded: LoadedBatch, options: PreflightOptions): Promise<RunEnvironment> {
  const commandEnv = allowedEnvironment(options.env, {});
  // These take the longest, some 0.1 s each, and wait for nothing else.
  const shims = findShimDefaults(commandEnv);
  const environment = findEnvironment(loaded, { ...options, commandEnv, shims });
  const looks = settleBoth(Promise.all([uninstalledWarnings(loaded), hookWarnings(loaded)]), invariantWarnings(loaded));
  const [[found, [[uninstalled, hooks], broken]]] = await settleBoth(settleBoth(environment, looks), shims);
  return { ...found, warnings: [...uninstalled, ...hooks, ...broken, ...found.warnings] };
}

/** The invariants that do not hold. Their checks are loaded only if a repository has some. */
async function invariantWarnings(loaded: LoadedBatch): Promise<readonly BatchProblem[]> {
  const hasSome = Object.values(loaded.batch.repos).some(({ path }) => existsSync(join(path, LINT_FILE)));
  return hasSome ? (await import("../lint/invariants.ts")).brokenInvariants(loaded) : [];
}

async function findEnvironment(
  loaded: LoadedBatch,
  options: PreflightOptions & Pick<RunEnvironment, "commandEnv"> & { readonly shims: Promise<ShimDefaults> },
): Promise<RunEnvironment> {
  const { env, cwd, commandEnv } = options;
  const { batch } = loaded;
  checkPolicyPaths(batch);
  checkOutsideRepositories(batch, stateHome(env, cwd).root);
  checkSecretSources(batch, { folder: loaded.folder, env });
  const logins = await filesOfLogins(batch, env);
  const secretFiles = [...filesOfSecrets(batch, { folder: loaded.folder, env }), ...logins];
  const sandbox = await sandboxOf(batch, { env, cwd, path: commandEnv.PATH ?? "", folder: loaded.folder, secretFiles });
  const agentProgram = await findAgent(batch.agent, { folder: loaded.folder, path: commandEnv.PATH ?? "" });
  if (batch.agent.kind !== "command") await checkVendor(batch.agent, batch, { sandbox, env, program: agentProgram });
  const reviewerPrograms = await reviewersOf(loaded, { sandbox, env, path: commandEnv.PATH ?? "" });
  const places = pathsOf(batch, { folder: loaded.folder, state: stateHome(env, cwd).root, home: env["HOME"] });
  const [{ repos, ...forges }, toolchains] = await settleBoth(
    openRepos(loaded, { ...options, sandbox }),
    findToolchains(batch.repos, { env: commandEnv, homes: places.homes }),
  );
  const defaults = await options.shims;
  const { paths, careful } = toolchainPaths(toolchains, { repos: batch.repos, env: commandEnv, defaults });
  const { missing, warnings } = await checkCommands(loaded, { sandbox, places, env: commandEnv, paths });
  refuseMissing(loaded.file, [...missing, ...(await copyProblems(loaded))]);
  const told = [...warnings, ...toolchainWarnings(toolchains, loaded.locate)];
  const carefully = { toolchainPaths: paths, carefulToolchains: careful };
  return {
    sandbox,
    repos,
    ...forges,
    commandEnv,
    agentProgram,
    reviewerPrograms,
    places,
    ...carefully,
    warnings: told,
  };
}

/** Opens the repositories of a batch, one after the other, so that the first one with a fault is named. */
async function openRepos(
  loaded: LoadedBatch,
  { env, git, sandbox, secrets, isLookOnly }: PreflightOptions & { readonly sandbox: Sandbox | undefined },
): Promise<Pick<RunEnvironment, "repos" | "pullRequests" | "branchChecks" | "landings">> {
  const { batch } = loaded;
  const repos = new Map<string, Repo>();
  const pullRequests = new Map<string, PullRequestTarget>();
  const branchChecks = new Map<string, BranchTarget>();
  const landings: string[] = [];
  for (const [name, { path, base, forge }] of Object.entries(batch.repos)) {
    const commits = commitsOf(batch.commit, { name, path, env });
    const how = { ...(git && { run: git }), sandbox };
    const repo = await openBatchRepo(loaded, { id: RepoId.parse(name), path, base, commits, env, ...how });
    const to = { how: isLookOnly ? "look" : "move", onBroken: batch.onBroken } as const;
    const isLocal = forge === undefined || forge.kind === "local";
    const forged: ForgedRepo = isLocal ? { repo } : await (await import("./open-forge.ts")).openForge(repo, forge, secrets, to);
    repos.set(name, forged.repo);
    if (forged.pullRequests !== undefined) pullRequests.set(name, forged.pullRequests);
    if (forged.branchChecks !== undefined) branchChecks.set(name, forged.branchChecks);
    if (forged.place !== undefined) landings.push(`${name} lands on ${base} here and at ${forged.place}`);
  }
  refuseSameBase(repos.values());
  return { repos, pullRequests, branchChecks, landings };
}

/** A missing path would open nothing, and a command would only report a missing file. */
function checkPolicyPaths({ sandbox, sandboxPolicy }: Batch): void {
  if (sandbox === "off" || sandboxPolicy === undefined) return;
  for (const key of ["read", "write"] as const) {
    const missing = sandboxPolicy[key].find((path) => !existsSync(path));
    if (missing === undefined) continue;
    const home = /\/~(?:\/|$)/.test(missing);
    throw new UserError({
      what: `sandboxPolicy.${key} names ${plainText(missing, 300)}, which does not exist`,
      why: home ? '"~" is not expanded in a batch file' : "only what is there when the run starts can be opened in the sandbox",
      todo: home ? "Write the path of your home folder in full." : "Make the file or folder, or take the path out.",
      exitCode: EXIT.refused,
    });
  }
}

/** The programs of the batch's reviewers, each checked. */
async function reviewersOf(
  { batch, folder }: Pick<LoadedBatch, "batch" | "folder">,
  { sandbox, env, path }: { readonly sandbox: Sandbox | undefined; readonly env: NodeJS.ProcessEnv; readonly path: string },
): Promise<RunEnvironment["reviewerPrograms"]> {
  const programs: Partial<Record<ReviewerParty, string>> = {};
  for (const party of REVIEWER_PARTIES) {
    const spec = batch[party];
    if (spec === undefined) continue;
    const program = await findAgent(spec, { folder, path }, party);
    if (spec.kind !== "command") await checkVendor(spec, batch, { sandbox, env, program }, party);
    programs[party] = program;
  }
  return programs;
}

/** A vendor's program may do anything, so it never runs without a sandbox. Its keys must be set, and its logins be there. */
async function checkVendor(
  agent: VendorSpec,
  batch: Batch,
  { sandbox, env, program }: { readonly sandbox: Sandbox | undefined; readonly env: NodeJS.ProcessEnv; readonly program: string },
  who: Party = "agent",
): Promise<void> {
  for (const account of allAccounts(agent)) {
    if (usesLogin(account)) await checkLogin(account, { keys: env, program }, batch);
    else if (account.apiKeySecret === undefined) keyOf(account, env, who);
  }
  if (sandbox !== undefined) return;
  throw new UserError({
    what: `${agent.kind} never runs without a sandbox, and there is none`,
    why: "it works with its own permissions off: only the sandbox keeps it from what is not its ticket's",
    todo: 'Set "sandbox": "required" to be told what is missing.',
    exitCode: EXIT.refused,
  });
}

/**
 * The sandbox of a run. It hides the state folder and a folder of tickets, because both decide about the agents' work, and files
 * that hold secrets. Throws a UserError (exit 4) if the batch requires one and there is none: the run never continues without it (law 4).
 */
async function sandboxOf(
  { sandbox, tracker }: Batch,
  {
    env,
    cwd,
    path,
    folder,
    secretFiles,
  }: {
    readonly env: NodeJS.ProcessEnv;
    readonly cwd: string;
    readonly path: string;
    /** The batch file's. */
    readonly folder: string;
    readonly secretFiles: readonly string[];
  },
): Promise<Sandbox | undefined> {
  if (sandbox === "off") return undefined;
  const hide = [...filesOfTracker(tracker, folder), ...secretFiles];
  const home = env["HOME"];
  const state = stateHome(env, cwd).root;
  const { findSandbox } = await import("../../adapters/sandbox/find-sandbox.ts");
  const found = await findSandbox({ path, state, hide, ...(home === undefined ? {} : { home }) });
  if (found.ok) return found.sandbox;
  if (sandbox === "auto") return undefined;
  throw new UserError({
    what: 'the batch requires a sandbox and there is none ("sandbox": "required" is the default)',
    why: found.why,
    todo: `${found.todo} Or set "sandbox": "auto" or "off" in the batch file if agents and checks may run with your own rights.`,
    exitCode: EXIT.refused,
  });
}
