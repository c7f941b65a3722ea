import { z } from "zod";
import type { ClientOptions } from "../../github/client.ts";
import { GitHubRefusal } from "../../github/failures.ts";
import { GitHubRepository, reached } from "./repository.ts";

/** GitHub answers a request about a repository that was renamed with a redirect, which has no name (docs.github.com, "Follow redirects"). */
const Repository = z.object({
  full_name: z.string().optional(),
  permissions: z.object({ push: z.boolean(), pull: z.boolean() }).optional(),
});

/** The reason why nothing can land in a repository, and what to do. */
interface UnfitRepository {
  readonly why: string;
  readonly todo: string;
}

/**
 * Asks GitHub once whether it has the repository, and whether the token may write there if `writes`; undefined if nothing speaks against it.
 * Throws a ForgeUnavailable if GitHub cannot be asked, or does not accept the token.
 */
export function checkRepository(
  { repo, ...access }: Omit<ClientOptions, "rights"> & { readonly repo: string },
  { writes }: { readonly writes: boolean },
): Promise<UnfitRepository | undefined> {
  return reached(unfitness(new GitHubRepository(repo, access), writes));
}

async function unfitness(repository: GitHubRepository, writes: boolean): Promise<UnfitRepository | undefined> {
  const { fullName: repo } = repository;
  try {
    const { full_name, permissions } = await repository.read("read the repository", Repository, (rest, name) =>
      rest.repos.get({ ...name }),
    );
    if (full_name === undefined)
      return {
        why: `${repo} has another name at GitHub now`,
        todo: 'Correct "repo" in its forge, or the address of the remote.',
      };
    // An app's token may do neither by this answer, whatever it may do.
    if (!writes || permissions === undefined || permissions.push || !permissions.pull) return undefined;
    return {
      why: `the token may read ${repo}, and not write to it`,
      todo: "Give it the right to write contents and pull requests.",
    };
  } catch (error) {
    if (!(error instanceof GitHubRefusal) || error.status !== 404) throw error;
    const todo = 'Correct "repo" or "baseUrl" in its forge, or give the token the right to read the repository.';
    return { why: `GitHub has no repository ${repo}, or the token may not see it`, todo };
  }
}
