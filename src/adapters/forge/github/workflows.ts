import { z } from "zod";
import type { Workflow } from "../../../domain/ci/workflow.ts";
import type { ClientOptions } from "../../github/client.ts";
import { allPages, GitHubRepository, PAGE, reached } from "./repository.ts";

/** Pages of a list; each has a hundred. */
const MOST_PAGES = 10;

const Workflows = z.object({ workflows: z.array(z.object({ name: z.string(), path: z.string(), state: z.string() })) });

/**
 * Lists the workflows that GitHub knows of a repository: those that it provides itself (such as CodeQL's) too, and not those that were deleted.
 * Throws a ForgeUnavailable if GitHub cannot be asked.
 */
export async function listWorkflows({
  repo,
  ...access
}: Omit<ClientOptions, "rights"> & { readonly repo: string }): Promise<readonly Workflow[]> {
  const repository = new GitHubRepository(repo, access);
  const listed = allPages(MOST_PAGES, async (page) => {
    const { workflows } = await repository.read("list its workflows", Workflows, (rest, name) =>
      rest.actions.listRepoWorkflows({ ...name, per_page: PAGE, page }),
    );
    return workflows;
  });
  return (await reached(listed)).filter(({ state }) => state !== "deleted");
}
