import { openRepo } from "../../adapters/vcs/repository/git-repo.ts";
import { RepoId } from "../../domain/values/ids.ts";
import { UserError } from "../../domain/values/user-error.ts";
import type { LoadedBatch } from "../engine/load-batch.ts";
import { bad, type Finding, ok } from "./finding.ts";

/** Each repository of the batch, as a start opens it. */
export async function checkRepositories({ batch }: LoadedBatch): Promise<readonly Finding[]> {
  return Promise.all(
    Object.entries(batch.repos).map(async ([name, { path, base }]) => {
      try {
        const repo = await openRepo({ id: RepoId.parse(name), path, base });
        return ok("repository", `${name}: ${base} at ${(await repo.baseTip()).slice(0, 12)} in ${path}`);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return bad("repository", `${error.what}: ${error.why}`, error.todo);
      }
    }),
  );
}
