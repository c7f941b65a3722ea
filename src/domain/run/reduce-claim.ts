import { askedReviewer, reviewerParty } from "../batch/party.ts";
import { afterAnswer, markOutage } from "../schedule/backoff.ts";
import { stopReach } from "../schedule/breaker.ts";
import { withTicket } from "../schedule/queue.ts";
import type { RunEvent } from "./event.ts";
import { reducePrepared, withPreparation } from "./prepared-fact.ts";
import { withoutRejectedWall } from "./reduce-heal.ts";
import { findAttempt } from "./reducers.ts";
import { partyCounts, type ReviewerCounts } from "./reviewer-counts.ts";
import type { RunState } from "./state.ts";
import type { Attempt, TicketState } from "./ticket-state.ts";

const repoAt = (state: RunState, index: number): string => state.plan.tickets[index]?.repo ?? "";

/** Claims of an attempt beside its change, and the reviewers' questions and answers. */
export type ClaimEvent = Extract<
  RunEvent,
  {
    type:
      | "reviewer-asked"
      | "reviewer-answered"
      | "step-retried"
      | "preparation-awaited"
      | "prepared"
      | "outbox-refused"
      | "blocker-claimed"
      | "blocker-ruled"
      | "discovery-refused";
  }
>;

/** Maximum of refusal lines kept per attempt. */
const KEPT_REFUSALS = 20;

/** Folds claims. Facts of another fence never arrive here: `admit` drops them before the journal. */
export function reduceClaim(state: RunState, event: ClaimEvent): RunState {
  const { index, ticket, attempt } = findAttempt(state, event);
  const set = (next: Partial<Attempt>): RunState => withTicket(state, index, { ...ticket, attempt: { ...attempt, ...next } });
  switch (event.type) {
    case "reviewer-asked": {
      const { question, reservedUsd } = event;
      const party = reviewerParty(event);
      const counts = partyCounts(state, party);
      const asked = set({ asked: { question, reservedUsd, ...askedReviewer(party) } });
      return { ...asked, reservedUsd: state.reservedUsd + reservedUsd, [party]: { ...counts, asked: counts.asked + 1 } };
    }
    case "reviewer-answered":
      return answered(state, index, ticket, attempt, event);
    case "step-retried":
      return {
        ...set({ retried: { step: event.step, transient: event.transient, until: event.at + event.waitMs } }),
        transients: { ...state.transients, retried: state.transients.retried + 1 },
      };
    case "preparation-awaited":
    case "prepared":
      return reducePrepared(
        withTicket(state, index, { ...ticket, attempt: withPreparation(attempt, event) }),
        event,
        repoAt(state, index),
      );
    case "blocker-claimed":
      return { ...state, blockers: { ...state.blockers, claimed: state.blockers.claimed + 1 } };
    case "blocker-ruled":
      if (!event.upheld)
        return withoutRejectedWall({ ...state, blockers: { ...state.blockers, rejected: state.blockers.rejected + 1 } }, index);
      return {
        ...set({ humanStep: event.step, ...(event.change && { change: event.change }) }),
        blockers: { ...state.blockers, upheld: state.blockers.upheld + 1 },
      };
    case "discovery-refused": {
      const told = withTicket(state, index, withRefusal(ticket, attempt.n, `discovery "${event.title}": ${event.why}`));
      return { ...told, discoveries: { ...state.discoveries, refused: state.discoveries.refused + 1 } };
    }
    case "outbox-refused":
      return withTicket(state, index, withRefusal(ticket, attempt.n, `${event.file}: ${event.why}`));
  }
}

/** Appends a refused part of an attempt's outbox. Those of an earlier attempt were reported and are dropped. */
function withRefusal(ticket: TicketState, n: number, line: string): TicketState {
  const before = ticket.refusals?.n === n ? ticket.refusals.lines : [];
  return { ...ticket, refusals: { n, lines: [...before, line].slice(0, KEPT_REFUSALS) } };
}

function answered(
  state: RunState,
  index: number,
  ticket: TicketState,
  attempt: Attempt,
  event: Extract<ClaimEvent, { type: "reviewer-answered" }>,
): RunState {
  const { asked, unanswered: _, inOutage: __, questionsUsd = 0, ...rest } = attempt;
  const { costUsd, valid, canary, stop } = event;
  const party = reviewerParty(event);
  const counts = partyCounts(state, party);
  const reach = stop === undefined ? "attempt" : stopReach(stop.kind);
  const unanswered = stop !== undefined && (reach === "waits" || reach === "run") ? { unanswered: stop.kind } : {};
  const next = withTicket(state, index, {
    ...ticket,
    costUsd: ticket.costUsd + costUsd,
    attempt: { ...rest, ...unanswered, ...markOutage(state, party, event), questionsUsd: questionsUsd + costUsd },
  });
  return {
    ...afterAnswer(next, event),
    spentUsd: state.spentUsd + costUsd,
    reservedUsd: state.reservedUsd - (asked?.reservedUsd ?? 0),
    [party]: {
      ...counts,
      valid: counts.valid + (valid ? 1 : 0),
      usd: counts.usd + costUsd,
      findings: canary === undefined ? plusFindings(counts.findings, event.findings) : counts.findings,
      canaries: canary === undefined ? counts.canaries : { ...counts.canaries, [canary]: counts.canaries[canary] + 1 },
    },
  };
}

function plusFindings(
  known: ReviewerCounts["findings"],
  { critical = 0, high = 0, medium = 0, low = 0 }: Extract<ClaimEvent, { type: "reviewer-answered" }>["findings"] = {},
): ReviewerCounts["findings"] {
  return {
    critical: known.critical + critical,
    high: known.high + high,
    medium: known.medium + medium,
    low: known.low + low,
  };
}
