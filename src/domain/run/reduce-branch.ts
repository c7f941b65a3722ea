import { countIntervention } from "../results/intervention.ts";
import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import { evidenceOfCommits, type TicketBranches, withoutTip, withPeoplesCommits, withTips } from "./branch-fact.ts";
import type { RunEvent } from "./event.ts";
import { type RunState, ticketIndex } from "./state.ts";
import { type TicketState, withEvidence } from "./ticket-state.ts";

/** Counts a person's commits on a branch of a ticket, and tells its next agent. */
export function reduceBranch(state: RunState, event: Extract<RunEvent, { type: "branch-commits-observed" }>): RunState {
  const { at, ticket: id, branch, note } = event;
  const index = ticketIndex(state, id);
  const ticket = vecAt(state.tickets, index);
  const act = { at, class: "I4" as const, target: id, note: `${branch}: ${note}`, observed: true as const };
  const told = ticket.phase === "done" ? ticket : withEvidence(ticket, evidenceOfCommits(event));
  const next = withTicket(state, index, { ...told, branches: withPeoplesCommits(ticket.branches, event) });
  return { ...next, interventions: countIntervention(state.interventions, act) };
}

/** The branches of a ticket after an event of its attempt, if the engine has moved one. */
export function branchesAfter({ attempt, branches }: TicketState, event: RunEvent): { readonly branches?: TicketBranches } {
  const worktree = attempt?.worktree;
  // An attempt that goes on from finished work does not move the ticket's branch.
  const moved = attempt?.agent === undefined ? undefined : worktree?.branch;
  switch (event.type) {
    case "worktree-ready":
      return event.continues ? {} : { branches: withTips(branches, { [event.branch]: event.startsAt ?? event.baseSha }) };
    case "change-captured":
      return moved === undefined ? {} : { branches: withTips(branches, { [moved]: event.tip }) };
    case "work-kept": {
      const own = moved === undefined ? {} : { [moved]: event.sha };
      return { branches: withTips(branches, { ...own, [event.branch]: event.sha }) };
    }
    case "attempt-ended":
      return worktree === undefined || event.tip === undefined
        ? {}
        : { branches: withTips(branches, { [worktree.branch]: event.tip }) };
    // It is not known whether its branch was moved.
    case "work-not-kept":
      return worktree === undefined ? {} : { branches: withoutTip(branches, worktree.branch) };
    default:
      return {};
  }
}
