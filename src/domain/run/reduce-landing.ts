import { specOf } from "../schedule/plan.ts";
import { withTicket } from "../schedule/queue.ts";
import type { RepoId, TicketId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { type Landings, landedSince, upTo, withLandedCommit, withTrusted } from "./landings.ts";
import { type LandedProof, withProven } from "./proof-fact.ts";
import { withBaseMoved } from "./reduce-people.ts";
import { indexOf, type RunState } from "./state.ts";

/** Adds a landing, or the revert of one, to the knowledge of its repository's base. */
export function withLanding(
  state: RunState,
  event: Pick<Extract<RunEvent, { type: "merge-landed" }>, "ticket" | "repo" | "from" | "to"> & {
    readonly proof?: LandedProof | undefined;
    readonly type?: RunEvent["type"];
  },
): RunState {
  const { ticket: id, repo, from, to, proof } = event;
  const index = indexOf(state, id);
  const { mergedSha, pendingWork } = vecAt(state.tickets, index);
  // The branch as it was found, with whatever others have pushed there.
  if (from === to) return withBaseMoved(state, event);
  // A landing that was cut off is reported once more; one of an earlier run belongs to the first base of this one.
  if (mergedSha === to || pendingWork?.landed?.to === to) return withBaseMoved(state, event);
  const only = state.plan.tickets[index]?.allow ?? {};
  const known = landingsOf(state, repo);
  const before = known === undefined ? { first: from, trusted: [] } : upTo(known, from);
  const approved = proof?.approved ?? [];
  const next = withTrusted(before, { from, to, only: approved.length === 0 ? only : { ...only, files: approved } });
  const commits = withLandedCommit(known?.commits ?? [], {
    sha: to,
    ticket: id,
    ...(event.type === "revert-landed" && { reverts: true as const }),
  });
  const landed: Landings = { ...next, initial: known?.initial ?? from, last: to, commits };
  const isProven = proof !== undefined && proof.unproven !== true && coversEarlier(state, repo, id);
  const proofs = isProven ? withProven(state.proofs, repo, to) : state.proofs;
  return withBaseMoved({ ...state, proofs, landings: { ...state.landings, [repo]: landed } }, event);
}

/** True if a ticket has every check of what landed since the last proof, so that its own proof covers that too. */
function coversEarlier(state: RunState, repo: RepoId, id: TicketId): boolean {
  const { plan, proofs } = state;
  const checksOf = (ticket: TicketId) =>
    specOf(plan, ticket)
      .finish.filter(({ step }) => step === "check")
      .map((step) => JSON.stringify(step));
  const own = new Set(checksOf(id));
  const earlier = landedSince(landingsOf(state, repo)?.commits ?? [], proofs[repo]?.proven);
  return earlier.every(({ ticket }) => checksOf(ticket).every((check) => own.has(check)));
}

/** The knowledge of a repository's base; undefined if nothing has landed there. */
export function landingsOf({ landings }: Pick<RunState, "landings">, repo: RepoId): Landings | undefined {
  return Object.hasOwn(landings, repo) ? landings[repo] : undefined;
}

/** Records the landed commit of a ticket, and the base before it. */
export function withMergedCommit(
  state: RunState,
  index: number,
  { from, to }: Pick<Extract<RunEvent, { type: "merge-landed" }>, "from" | "to">,
): RunState {
  return withTicket(state, index, { ...vecAt(state.tickets, index), mergedSha: to, mergedFrom: from });
}
