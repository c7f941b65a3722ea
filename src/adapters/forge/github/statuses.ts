import { z } from "zod";
import { ForgeUnavailable } from "../../../ports/forge.ts";
import { allPages, type GitHubRepository, PAGE } from "./repository.ts";

/** Pages of a list; each has a hundred. */
const MOST_PAGES = 20;

const Status = z.object({
  context: z.string(),
  state: z.string(),
  description: z.string().nullable(),
  target_url: z.string().nullable(),
  created_at: z.string().nullish(),
});
const Statuses = z.object({ statuses: z.array(Status) });

/**
 * The newest status of each context of a commit: the older kind of check, set by services outside of GitHub Actions. Throws a
 * ForgeUnavailable if there are too many to read: one that is not read could be a failed one.
 */
export async function listStatuses(repository: GitHubRepository, head: string): Promise<readonly z.infer<typeof Status>[]> {
  const all = await allPages(MOST_PAGES, async (page) => {
    const { statuses } = await repository.read("read its statuses", Statuses, (rest, name) =>
      rest.repos.getCombinedStatusForRef({ ...name, ref: head, per_page: PAGE, page }),
    );
    return statuses;
  });
  if (all.length >= MOST_PAGES * PAGE) throw new ForgeUnavailable(`${head} has ${MOST_PAGES * PAGE} statuses or more`);
  return all;
}
