import { type PrepareCommand, prepareCommands } from "../../domain/batch/prepare-command.ts";
import { notIgnoredBy } from "../../domain/batch/prepare-makes.ts";
import type { Repo } from "../../ports/vcs.ts";
import { PREPARE_FILES } from "../init/prepare-commands.ts";
import { type CheckResult, warn } from "./check-result.ts";

/**
 * Warns of what the prepare commands of a repository are known to make and git does not ignore: all of these files would count as an
 * agent's change. Judged by the base, as a run does.
 */
export async function checkInstallFolders(
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
