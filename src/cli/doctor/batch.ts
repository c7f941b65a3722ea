import { allowedEnvironment } from "../../adapters/executor/environment.ts";
import { findSandbox } from "../../adapters/sandbox/find-sandbox.ts";
import { canBeBilled } from "../../domain/batch/api-key-guard.ts";
import { listBatchCommands } from "../../domain/batch/commands.ts";
import { type PrepareCommand, prepareCommands } from "../../domain/batch/prepare-command.ts";
import { notIgnoredBy } from "../../domain/batch/prepare-makes.ts";
import { type BatchProblem, formatProblems } from "../../domain/batch/problem.ts";
import { isToldAtStart } from "../../domain/batch/warn.ts";
import { RepoId } from "../../domain/values/ids.ts";
import { plural } from "../../domain/values/text.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { Repo } from "../../ports/vcs.ts";
import { findAgent } from "../engine/agent-of.ts";
import { describeApiKeys, findApiKeys, howToAllow } from "../engine/api-key-guard.ts";
import { checkCommands } from "../engine/check-commands.ts";
import { commitsOf } from "../engine/commit-style.ts";
import { findShimDefaults, findToolchains, toolchainPaths, toolchainWarnings } from "../engine/find-toolchains.ts";
import { type LoadedBatch, uninstalledWarnings } from "../engine/load-batch.ts";
import { openBatchRepo } from "../engine/open-batch-repo.ts";
import { openForge } from "../engine/open-forge.ts";
import { filesOfTracker, pathsOf } from "../engine/outside-repositories.ts";
import { copyProblems, hookWarnings } from "../engine/repository-hooks.ts";
import { secretsOf } from "../engine/run-secrets.ts";
import { refuseSameBase } from "../engine/same-base.ts";
import { PREPARE_FILES } from "../init/prepare-commands.ts";
import { brokenInvariants } from "../lint/invariants.ts";
import { testCommandTexts } from "../test-command-lines.ts";
import { bad, type CheckResult, ok, warn } from "./check-result.ts";

/**
 * Checks the program that works the batch's tickets. The program is looked up but not started, because its effects are unknown.
 */
export async function checkAgentProgram(loaded: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  try {
    return [
      ok("agent", await findAgent(loaded.batch.agent, { folder: loaded.folder, path: allowedEnvironment(env, {}).PATH ?? "" })),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("agent", `${error.what}: ${error.why}`, error.todo)];
  }
}

/**
 * Checks for model API keys that would change who pays: a start is refused for them. `isConfined` tells whether a run of the batch
 * would have a sandbox; it is asked only if that matters.
 */
export async function checkApiKeys(
  env: NodeJS.ProcessEnv,
  loaded: LoadedBatch | undefined,
  isConfined: () => Promise<boolean>,
): Promise<readonly CheckResult[]> {
  const found = await findApiKeys(env, loaded);
  if (found.length > 0 && loaded !== undefined && !canBeBilled(loaded.batch, true) && (await isConfined()))
    return [ok("stray-keys", `${describeApiKeys(found).join(", ")}; nothing in the sandbox of this batch could use it`)];
  if (found.length > 0) return found.map((key) => bad("stray-keys", describeApiKeys([key]).join(), howToAllow([key])));
  const where = loaded === undefined ? "in the environment" : "in the environment, or in .env files of the batch";
  return [ok("stray-keys", `no model API key ${where}`)];
}

/** Checks each repository of the batch, opened the way a start opens it. */
export async function checkRepositories(loaded: LoadedBatch, env: NodeJS.ProcessEnv): Promise<readonly CheckResult[]> {
  const { batch, folder, outside } = loaded;
  const secrets = outside?.secrets ?? secretsOf(batch, { folder, env });
  const opened: Repo[] = [];
  const found = await Promise.all(
    Object.entries(batch.repos).map(([name, { path, base, forge, prepare }]) =>
      unlessRefused(async () => {
        const found = await openBatchRepo(loaded, { id: RepoId.parse(name), path, base, env });
        const { repo, place } = await openForge(found, forge, secrets, {
          how: "look",
          onBroken: batch.onBroken,
        });
        opened.push(repo);
        await commitsOf(batch.commit, { name, path, env });
        const at = place === undefined ? "" : `; changes land there and at ${place}`;
        const usable = ok("repository", `${name}: ${base} at ${(await repo.baseTip()).slice(0, 12)} in ${path}${at}`);
        return [usable, ...(prepare.length === 0 ? [] : await checkInstallFolders(name, repo, prepare))];
      }),
    ),
  );
  const same = await unlessRefused(() => {
    refuseSameBase(opened);
    return [];
  });
  return [...found.flat(), ...same];
}

/** The results of a check; that of a refusal, if it is one. */
async function unlessRefused(
  check: () => readonly CheckResult[] | Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad("repository", `${error.what}: ${error.why}`, error.todo)];
  }
}

/** Tells by which commands the default finish line checks, what lands unchecked, and whose packages nothing installs. */
export async function checkTestCommands(loaded: LoadedBatch): Promise<readonly CheckResult[]> {
  const { batch, file, warnings } = loaded;
  const unchecked = [...warnings.filter(isToldAtStart), ...(await uninstalledWarnings(loaded))];
  const told =
    unchecked.length === 0
      ? []
      : [warn("tests", formatProblems(file, unchecked), "A run starts without them; add a check, or a prepare command.")];
  return [...testCommandTexts(batch.testCommands ?? {}).map((line) => ok("tests", line)), ...told];
}

/** Tells which hooks of the repositories no run obeys. */
export async function checkHooks(loaded: LoadedBatch): Promise<readonly CheckResult[]> {
  const hooks = await hookWarnings(loaded);
  return hooks.length === 0 ? [] : [warn("hooks", formatProblems(loaded.file, hooks), "A run starts without them.")];
}

/** Looks at the invariants of the batch's repositories, as a start does: no command of theirs is run. */
export async function checkInvariants(loaded: LoadedBatch): Promise<readonly CheckResult[]> {
  const broken = await brokenInvariants(loaded);
  const fix = "A run starts all the same; mend what is named, or the rule.";
  return broken.length === 0 ? [] : [warn("invariants", formatProblems(loaded.file, broken), fix)];
}

/** Looks for every program and script that the batch names, as a start does: none is run. */
export async function checkBatchCommands(
  loaded: LoadedBatch,
  { env, state }: { readonly env: NodeJS.ProcessEnv; readonly state: string },
): Promise<readonly CheckResult[]> {
  const { batch, folder, file } = loaded;
  const children = allowedEnvironment(env, {});
  const home = env["HOME"];
  const hide = filesOfTracker(batch.tracker, folder);
  const found =
    batch.sandbox === "off"
      ? undefined
      : await findSandbox({ path: children.PATH ?? "", state, hide, ...(home === undefined ? {} : { home }) });
  const sandbox = found?.ok === true ? found.sandbox : undefined;
  const places = pathsOf(batch, { folder, state, home });
  const toolchains = await findToolchains(batch.repos, { env: children, homes: places.homes });
  const defaults = await findShimDefaults(children);
  const { paths } = toolchainPaths(toolchains, { repos: batch.repos, env: children, defaults });
  const { missing: absent, warnings } = await checkCommands(loaded, { sandbox, places, env: children, paths });
  const missing = [...absent, ...(await copyProblems(loaded))];
  const lines = (problems: readonly BatchProblem[]) => formatProblems(file, problems);
  const lacking = toolchainWarnings(toolchains, loaded.locate);
  const there = toolchains.filter(({ version }) => version !== undefined);
  const count = plural(listBatchCommands(batch).length, "command");
  return [
    ...(missing.length > 0 ? [bad("commands", lines(missing), "Correct the commands: a start is refused for them.")] : []),
    ...(warnings.length > 0 ? [warn("commands", lines(warnings), "A run starts. See that these commands are meant so.")] : []),
    ...there.map(({ repo, wanted, version, bin }) =>
      ok(
        "toolchain",
        `${repo}: ${wanted.tool} ${version ?? ""} for ${wanted.wants} (${wanted.file}), ${bin === undefined ? "on PATH" : `from ${bin}`}`,
      ),
    ),
    ...(lacking.length > 0 ? [warn("toolchain", lines(lacking), "Install it: a run starts without it.")] : []),
    ...(missing.length + warnings.length === 0 ? [ok("commands", `${count}: programs and scripts are there`)] : []),
  ];
}

/**
 * Warns of what the prepare commands of a repository are known to make and git does not ignore: all of these files would count as an
 * agent's change. Judged by the base, as a run does.
 */
async function checkInstallFolders(
  name: string,
  repo: Pick<Repo, "baseTip" | "files" | "readFile">,
  prepare: readonly PrepareCommand[],
): Promise<readonly CheckResult[]> {
  const commit = await repo.baseTip();
  const paths = await repo.files(commit);
  const read = PREPARE_FILES.filter((path) => paths.includes(path)).map(async (path) => {
    const text = await repo.readFile({ commit, path });
    return text === undefined ? [] : [[path, text] as const];
  });
  const notIgnored = notIgnoredBy(prepareCommands(prepare), new Map((await Promise.all(read)).flat()));
  const isTracked = (folder: string): boolean => paths.some((path) => path === folder || path.startsWith(`${folder}/`));
  const made = notIgnored.filter((folder) => !isTracked(folder));
  if (made.length === 0) return [];
  const what = `${name}: git does not ignore ${made.join(" and ")}, which its prepare commands make`;
  const why = "the files would count as part of each change";
  return [warn("repository", `${what}: ${why}`, `Add ${made.join(" and ")} to .gitignore, and commit that to the base.`)];
}
