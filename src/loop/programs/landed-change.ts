import { type LiveState, ticketLandings } from "../../domain/run/live-check.ts";
import { repoLandings } from "../../domain/run/reduce-base.ts";
import { type RunState, ticketById } from "../../domain/run/state.ts";
import type { PendingWork } from "../../domain/run/ticket-state.ts";
import type { TicketId } from "../../domain/values/ids.ts";
import { vecItems } from "../../domain/values/vec.ts";
import type { Commit, Repo } from "../../ports/vcs.ts";

/** Commits above a landing that are compared with the run's own. */
const MOST_COMMITS = 2_000;
/** Commits of others on which a revert is looked for if the base was changed at the same places since. */
const MOST_TRIED = 20;

/** A landed commit, and the base before it if that is known. */
export interface LandedChange {
  readonly sha: string;
  readonly from?: string | undefined;
}

/**
 * The reason why a base does not hold a landed change any more; undefined if it does. A revert leaves the commit in the base's
 * history, so if others have committed since, the change is taken back once more on a candidate: if nothing is left to take back,
 * it is gone. If later changes are in the way of that, the ticket's own checks tell more.
 */
export function whyGone(state: RunState, repo: Repo, change: LandedChange): Promise<string | undefined> {
  return goneReason(ownCommits(state, repo), repo, change);
}

/** True if the base holds the landed change of an earlier run, by the same rules. */
export async function holdsLanding(repo: Repo, change: LandedChange): Promise<boolean> {
  return (await goneReason(new Set(), repo, change)) === undefined;
}

type OwnCommits = ReadonlySet<string | undefined>;

async function goneReason(own: OwnCommits, repo: Repo, { sha, from }: LandedChange): Promise<string | undefined> {
  const short = sha.slice(0, 7);
  if (!(await repo.contains(sha))) return `${short} is no longer in ${repo.base}`;
  const others = from === undefined || from === sha ? [] : await othersCommits(own, repo, sha);
  if (from === undefined || others === undefined || others.length === 0) return undefined;
  const message = `what ${short} changed, taken back`;
  const tip = await repo.reverse({ from, tip: sha, message });
  /** Whether a commit above the landing holds nothing of the change; undefined if later changes are in the way. */
  const isTakenBack = async (onto: string): Promise<boolean | undefined> => {
    const candidate = await repo.candidate({ tip, message, onto });
    return candidate.ok ? (await repo.change({ from: onto, tip: candidate.commit })).paths.length === 0 : undefined;
  };
  const gone = `${short} was reverted in ${repo.base}: nothing of its change is left`;
  const now = await isTakenBack(await repo.baseTip());
  if (now !== undefined) return now ? gone : undefined;
  for (const { sha: commit } of others.slice(0, MOST_TRIED)) if (await isTakenBack(commit)) return gone;
  return undefined;
}

/**
 * True if a repair of a landed ticket is exactly the reverse of everything that the ticket has landed, on the commit that the agent
 * started from. Its live check would pass, and the ticket would count as shipped with nothing of it in the base.
 */
export async function takesBackAllLanded(
  repo: Repo,
  live: LiveState,
  repair: { baseSha: string; tip: string },
): Promise<boolean> {
  let left = repair.baseSha;
  for (const { from, sha } of ticketLandings(live).toReversed()) {
    if (!(await repo.has(from)) || !(await repo.has(sha))) return false;
    const message = `what ${sha.slice(0, 7)} changed, taken back`;
    const candidate = await repo.candidate({ tip: await repo.reverse({ from, tip: sha, message }), message, onto: left });
    if (!candidate.ok) return false;
    left = candidate.commit;
  }
  return (await repo.change({ from: left, tip: repair.tip })).paths.length === 0;
}

/** True if commits that the run has not landed are in the base since this one, or if nobody can tell. */
export async function haveOthersCommitted(state: RunState, repo: Repo, since: string): Promise<boolean> {
  return (await othersCommits(ownCommits(state, repo), repo, since))?.length !== 0;
}

/** The commits that the run has landed, and those of earlier runs that it knows. */
function ownCommits(state: RunState, repo: Repo): OwnCommits {
  const landings = repoLandings(state, repo.id)?.commits.map(({ sha }) => sha) ?? [];
  const ofTickets = [...vecItems(state.tickets)].flatMap(({ mergedSha, landedEarlier }) => [mergedSha, landedEarlier?.sha]);
  return new Set([...landings, ...ofTickets]);
}

/** The commits in the base since this one that are not among `own`, newest first; undefined if nobody can tell. */
async function othersCommits(own: OwnCommits, repo: Repo, since: string): Promise<readonly Commit[] | undefined> {
  const tip = await repo.baseTip();
  if (tip === since) return [];
  const commits = await repo.commitsSince({ from: since, to: tip, most: MOST_COMMITS });
  return commits?.filter(({ sha }) => !own.has(sha));
}

/** The pendingWork work of a ticket's earlier attempt, unless it has landed and a person has reverted it: an agent starts over. */
export async function workToContinue(state: RunState, repo: Repo, id: TicketId): Promise<PendingWork | undefined> {
  const { pendingWork } = ticketById(state, id);
  const { landed } = pendingWork ?? {};
  if (landed === undefined || !(await repo.contains(landed.to))) return pendingWork;
  const gone = await whyGone(state, repo, { sha: landed.to, from: landed.from });
  return gone === undefined ? pendingWork : undefined;
}
