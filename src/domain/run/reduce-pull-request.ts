import { type PullRequestFact, reducePullRequest, waitsLine } from "../forge/pull-request-fact.ts";
import type { Attempt, TicketState } from "./ticket-state.ts";

/** The pull request after a fact about it, and the attempt with what it waits for, in words. */
export function withPullRequest(
  ticket: TicketState,
  { waiting: _, ...attempt }: Attempt,
  event: PullRequestFact & { readonly at: number },
): Pick<TicketState, "attempt" | "pullRequest"> {
  if (event.type === "pull-request-gated") {
    const { pullRequest } = ticket;
    const left = pullRequest && { pullRequest: { ...pullRequest, leftTo: event.step } };
    return { attempt: { ...attempt, humanStep: event.step, gatedBy: "forge" }, ...left };
  }
  const pullRequest = reducePullRequest(ticket.pullRequest, event);
  const waiting = pullRequest && waitsLine(pullRequest);
  return { attempt: { ...attempt, ...(waiting !== undefined && { waiting }) }, ...(pullRequest && { pullRequest }) };
}
