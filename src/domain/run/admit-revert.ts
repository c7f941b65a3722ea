import type { TicketId } from "../values/ids.ts";
import { vecAt } from "../values/vec.ts";
import type { Command } from "./command.ts";
import type { RunFact } from "./event.ts";
import { type LiveState, ticketLandings } from "./live-check.ts";
import type { RunState } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** A landed commit, and the base before it if that is known. */
interface LandedCommit {
  readonly sha: string;
  readonly from?: string | undefined;
}

/** The commit with which this run, or an earlier one if the ticket is settled, landed a ticket; undefined if none has. */
export function landedChange({ mergedSha, mergedFrom, landedEarlier, phase }: TicketState): LandedCommit | undefined {
  if (mergedSha !== undefined) return { sha: mergedSha, from: mergedFrom };
  return phase === "done" || phase === "human-gated" ? landedEarlier : undefined;
}

/** The reason why a person cannot have a ticket's landed change reverted now; undefined if it can be tried. */
export function whyNoRevert(state: RunState, id: TicketId): string | undefined {
  const index = Object.hasOwn(state.plan.index, id) ? state.plan.index[id] : undefined;
  if (index === undefined) return `there is no ticket ${id} in this batch`;
  const ticket = vecAt(state.tickets, index);
  const { live, phase, reverted } = ticket;
  const landed = landedChange(ticket);
  if (isUnderWay(live) || state.reverting.includes(index)) return `the change of ${id} is being reverted already`;
  if (landed !== undefined) return whyNotByPerson(ticket, landed) ?? whyNotIdle(ticket) ?? whyNotByPush(state, index, landed);
  return reverted === undefined
    ? `${id} has not landed: it is ${phase}`
    : `${id} was reverted already, by ${reverted.by.slice(0, 12)}`;
}

const byHand = ({ sha }: LandedCommit): string => `take ${sha.slice(0, 12)} back with git revert`;

/** Why only a person can take back what landed. */
function whyNotByPerson(
  { id, closedByPerson, landedEarlier, live, phase }: TicketState,
  landed: LandedCommit,
): string | undefined {
  if (live !== undefined && (ticketLandings(live).length > 1 || live.revert?.hasLandedTwice))
    return `${id} has landed more than once, and only its last landing could be reverted: ${byHand(landed)}`;
  if (phase === "human-gated" || closedByPerson !== undefined || landedEarlier?.closedByPerson)
    return `a person has the last word on ${id} (${phase}): ${byHand(landed)}`;
  return landed.from === undefined ? `the base before ${landed.sha.slice(0, 12)} is not known: ${byHand(landed)}` : undefined;
}

/** True from the decision until the revert is over. */
function isUnderWay(live: LiveState | undefined): boolean {
  return live?.revert !== undefined && live.revert.failed === undefined;
}

function whyNotIdle({ id, attempt, gate, live, phase }: TicketState): string | undefined {
  if (attempt !== undefined) return `an agent is at work on ${id}`;
  if (gate !== undefined) return `the gate of ${id} is being recorded`;
  if (live?.checking) return `the live check of ${id} is running; revert it afterwards`;
  return phase === "done" || phase === "landed" ? undefined : `${id} is ${phase}: an agent is to repair what it has landed`;
}

/** Loopdash pushes reverts. Changes that land by pull requests go back by one that a person opens. */
function whyNotByPush({ batch, plan, tickets }: RunState, index: number, landed: LandedCommit): string | undefined {
  const repo = plan.tickets[index]?.repo ?? "";
  const kind = batch.repos[repo as keyof typeof batch.repos]?.forge?.kind;
  if (kind === "github-branch") return `${repo} is a branch that a loop works on: ${byHand(landed)}`;
  if (kind !== "github") return undefined;
  const url = vecAt(tickets, index).pullRequest?.url;
  const where = url === undefined ? "revert its pull request there" : `press Revert at ${url}`;
  return `changes of ${repo} land by pull requests: ${where}, and reopen the ticket in the tracker`;
}

/** A revert that a person asks for counts as an intervention once it has landed. */
export function admitRevert(
  state: RunState,
  { ticket, request }: Extract<Command, { type: "revert" }>,
  refuse: (reason: string) => readonly RunFact[],
): readonly RunFact[] {
  const why = whyNoRevert(state, ticket);
  return why === undefined ? [{ type: "revert-asked", ticket, request }] : refuse(why);
}
