import { type ForgeRequest, type ForgeRequestFact, requestNote } from "../forge/forge-request.ts";
import type { TicketPullRequest } from "../forge/pull-request-fact.ts";
import { countIntervention } from "../results/intervention.ts";
import { withTicket } from "../schedule/queue.ts";
import { vecAt } from "../values/vec.ts";
import type { RunEvent } from "./event.ts";
import { type RunState, ticketIndex } from "./state.ts";

type ForgeRequestEvent = Extract<RunEvent, { type: ForgeRequestFact["type"] }>;

/** Folds a person's request to the forge. It counts as an intervention once the forge has done it: a refused one changed nothing. */
export function reduceForgeRequest(state: RunState, event: ForgeRequestEvent): RunState {
  const index = ticketIndex(state, event.ticket);
  const ticket = vecAt(state.tickets, index);
  const { pullRequest } = ticket;
  if (pullRequest === undefined) return state;
  const next = withTicket(state, index, { ...ticket, pullRequest: withRequest(pullRequest, event) });
  if (event.type === "forge-request-started" || event.problem !== undefined) return next;
  const { at, ticket: target, request } = event;
  return {
    ...next,
    interventions: countIntervention(next.interventions, { at, class: "I2", target, note: requestNote(request) }),
  };
}

function withRequest({ requests = [], ...known }: TicketPullRequest, event: ForgeRequestEvent): TicketPullRequest {
  const { request } = event;
  const others = requests.filter((each) => !isSameRequest(each, request));
  if (event.type === "forge-request-started") return { ...known, requests: [...others, request] };
  const isReview = request.kind === "review" && event.problem === undefined;
  return {
    ...known,
    requests: others.length > 0 ? others : undefined,
    ...(isReview && { reviewers: [...new Set([...(known.reviewers ?? []), request.login])] }),
  };
}

/** True for two requests of the same thing. */
export function isSameRequest(a: ForgeRequest, b: ForgeRequest): boolean {
  if (a.kind === "review") return b.kind === "review" && a.login.toLowerCase() === b.login.toLowerCase();
  return b.kind === "rerun" && a.head === b.head;
}
