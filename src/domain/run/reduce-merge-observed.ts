import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { ungate } from "./reduce-approval.ts";
import { withLanding } from "./reduce-base.ts";
import { type RunState, ticketIndex } from "./state.ts";
import type { TicketState } from "./ticket-state.ts";

/** True if the ticket is left to a person by nothing but its pull request. Words of a person, here or in the tracker, replace that. */
export function isLeftByForge(ticket: TicketState): boolean {
  const { phase, humanStep, pullRequest, tracked, retriedAfter, history } = ticket;
  const isByForge = humanStep !== undefined && humanStep === pullRequest?.leftTo;
  return phase === "human-gated" && isByForge && tracked?.isSetByPerson !== true && retriedAfter !== history.length;
}

/** The pull request of a ticket was merged after it was left to a person. An attempt without an agent takes the steps behind the merge. */
export function reduceMergeObserved(state: RunState, event: Extract<RunEvent, { type: "merge-observed" }>): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  if (!isLeftByForge(ticket)) return state;
  const { from, to } = event;
  const claimed = ticket.history.at(-1)?.claimed === true;
  const pendingWork = { tip: ticket.pullRequest?.head ?? to, baseSha: from, claimed, landed: { from, to } };
  return ungate(withLanding(state, event), index, { ...ticket, pendingWork });
}
