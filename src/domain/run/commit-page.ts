import { plannedTicket } from "../schedule/plan.ts";
import type { TicketId } from "../values/ids.ts";
import { commitAddress } from "../values/repo-address.ts";
import type { RunState } from "./state.ts";

/** The page of a commit in the repository of a ticket; undefined if none is known. It is there once the commit was pushed. */
export function commitPage(run: Pick<RunState, "plan" | "repoUrls">, id: TicketId, sha: string): string | undefined {
  const { repo } = plannedTicket(run.plan, id);
  const url = run.repoUrls !== undefined && Object.hasOwn(run.repoUrls, repo) ? run.repoUrls[repo] : undefined;
  return url === undefined ? undefined : commitAddress(url, sha);
}

/** What is told in the tracker of a ticket's change: the commit, with its page if that is known. */
export function landedAs(run: Pick<RunState, "plan" | "repoUrls">, id: TicketId, sha: string): string {
  const page = commitPage(run, id, sha);
  return page === undefined ? `landed as ${sha}` : `landed as ${sha} (${page})`;
}
