import { openRepo } from "../../adapters/vcs/repository/git-repo.ts";
import { RepositoryRefusal } from "../../adapters/vcs/repository/refuse.ts";
import { formatProblems, problemAt } from "../../domain/batch/problem.ts";
import type { LoadedBatch } from "./load-batch.ts";

/**
 * Opens a repository of a batch, as `openRepo` does. If its path or its base is at fault, the UserError (exit 4) names the place in
 * the batch file.
 */
export async function openBatchRepo(
  { file, locate }: Pick<LoadedBatch, "file" | "locate">,
  options: Parameters<typeof openRepo>[0],
): ReturnType<typeof openRepo> {
  try {
    return await openRepo(options);
  } catch (error) {
    if (!(error instanceof RepositoryRefusal) || error.key === undefined) throw error;
    const { key, what, why, todo } = error;
    const placed = formatProblems(file, [problemAt(locate, ["repos", options.id, key], why)]);
    throw new RepositoryRefusal({ key, what, why: placed, todo, cause: error });
  }
}
