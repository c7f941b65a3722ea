import { z } from "zod";
import { GitHubRefusal, LostAnswer } from "../../github/failures.ts";
import { Anything, type GitHubRepository } from "./repository.ts";

const Ref = z.object({ object: z.object({ sha: z.string() }) });

/** Removes a branch if it is at this commit. GitHub has no removal with a condition: it is looked at right before. */
export async function removeBranch(repository: GitHubRepository, branch: string, at: string): Promise<void> {
  if ((await readRefTip(repository, branch)) !== at) return;
  const ref = `heads/${branch}`;
  try {
    await repository.write("remove the branch", Anything, (rest, name) => rest.git.deleteRef({ ...name, ref }));
  } catch (error) {
    if (!(error instanceof LostAnswer || error instanceof GitHubRefusal)) throw error;
    if ((await readRefTip(repository, branch)) === at) throw error;
  }
}

async function readRefTip(repository: GitHubRepository, branch: string): Promise<string | undefined> {
  try {
    const { object } = await repository.read("read the branch", Ref, (rest, name) =>
      rest.git.getRef({ ...name, ref: `heads/${branch}` }),
    );
    return object.sha;
  } catch (error) {
    if (error instanceof GitHubRefusal && error.status === 404) return undefined;
    throw error;
  }
}
