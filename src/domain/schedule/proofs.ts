import { proofMode } from "../batch/proof-spec.ts";
import { type LandedCommit, landedSince } from "../run/landings.ts";
import { repoLandings } from "../run/reduce-base.ts";
import { activeTickets, freeSlots, type RunState, ticketIndex } from "../run/state.ts";
import { isSettled } from "../run/ticket-state.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import { plannedTicket } from "./plan.ts";

/** Landed changes that are proven together beside other work, if a slot is free; and however busy the run is. */
const WHILE_IDLE = 8;
const AT_MOST = 32;

/** The landed commits of a base that no proven tree holds, oldest first. */
export function unprovenCommits(state: RunState, repo: RepoId): readonly LandedCommit[] {
  // Each of them was proven before it landed.
  if (proofMode(state.batch, repo) === "each") return [];
  const since = landedSince(repoLandings(state, repo)?.commits ?? [], state.proofs[repo]?.proven);
  return since.some(({ ticket }) => hasCheck(state, ticket)) ? since : [];
}

function hasCheck({ plan }: RunState, ticket: TicketId): boolean {
  return plannedTicket(plan, ticket).finish.some(({ step }) => step === "check");
}

/** Bases with landed changes whose tree is not proven. No run ends done with one. */
export function unprovenRepos(state: RunState): readonly RepoId[] {
  return Object.keys(state.landings).filter((repo) => unprovenCommits(state, repo as RepoId).length > 0) as RepoId[];
}

/**
 * Bases to prove now: before the run ends (`isLast`), or beside other work once many changes have landed. A tree whose proof failed is not
 * proven again: the change that is to blame is reverted first.
 */
export function dueProofs(state: RunState, { isLast }: { readonly isLast: boolean }): readonly RepoId[] {
  return unprovenRepos(state).filter((repo) => {
    const { running, failed } = state.proofs[repo] ?? {};
    const commits = unprovenCommits(state, repo);
    // What a broken base holds is not proven: it is repaired or reverted first, as the batch says.
    const isBroken = state.failingChecks[repo] !== undefined || state.brokenBases[repo] !== undefined;
    if (isBroken && state.batch.onBroken !== "continue") return false;
    if (running !== undefined || failed?.sha === commits.at(-1)?.sha || isReverting(state, repo)) return false;
    if (isLast) return true;
    const isIdle =
      freeSlots(state).length > 0 && !activeTickets(state).some(({ id }) => plannedTicket(state.plan, id).repo === repo);
    return commits.length >= (isIdle ? WHILE_IDLE : AT_MOST);
  });
}

/**
 * True if nothing but these tickets' changes, and what is reopened or found later, is still to land in a repository: every other ticket is
 * settled, or its change has landed.
 */
export function areLast(state: RunState, repo: RepoId, ids: readonly string[]): boolean {
  const landed = new Set(repoLandings(state, repo)?.commits.map(({ ticket }) => ticket));
  return state.plan.tickets.every(({ id, ...spec }, index) => {
    if (spec.repo !== repo || ids.includes(id)) return true;
    const { phase } = vecAt(state.tickets, index);
    return isSettled(phase) || phase === "landed" || (phase === "finishing" && landed.has(id));
  });
}

function isReverting({ plan, reverting }: RunState, repo: RepoId): boolean {
  return reverting.some((index) => plan.tickets[index]?.repo === repo);
}

/** Tickets whose landed change a proof has blamed, and that have nothing under way: it is reverted now. */
export function blamedTickets(state: RunState): readonly TicketId[] {
  return Object.values(state.proofs).flatMap(({ failed }) => {
    if (failed?.blamed === undefined) return [];
    const index = ticketIndex(state, failed.blamed);
    const { id, live, gate, attempt } = vecAt(state.tickets, index);
    const isOpen = live?.revert?.byProof === true && live.revert.to === undefined && live.revert.failed === undefined;
    const isIdle = attempt === undefined && gate === undefined && !live?.checking && !state.reverting.includes(index);
    return isOpen && isIdle ? [id] : [];
  });
}

/** Why a run with these bases cannot be done, in words; undefined if all that landed is proven. */
export function describeUnproven(state: RunState): string | undefined {
  const [repo] = unprovenRepos(state);
  if (repo === undefined) return undefined;
  const { failed } = state.proofs[repo] ?? {};
  const why = failed === undefined ? "its proof has not run" : failed.summary;
  return `what landed on the base of ${repo} is not proven: ${why}`;
}
